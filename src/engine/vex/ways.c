/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the last instruction of a piece is says where control goes; how often is the piece's count,
 * or at conditions what was counted there. Only pieces that ran are known: a loop whose way back
 * never ran is none.
 *
 * Of a call's return and of jumps through tables nothing was counted. They are found last: what no
 * other way explains of a piece's count came by these, by the call before it first. Several jumps
 * through tables meet in one block, the pool: which led where is not known.
 */
#include "engine/vex/ways.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/instruction.h"

struct begin {
	uint64_t address;
	uint32_t piece;
};

struct finder {
	const struct rarog_vex_image *image;
	const struct rarog_binary *binary;
	size_t n;
	const struct rarog_vex_piece *pieces;
	struct begin *begins; /* [n], by address */
	uint64_t *rest;       /* [n], of the count: not explained so far */
	uint32_t *before; /* [n], the piece that ends with a call, and returns here; RAROG_NONE */
	uint64_t jumps;   /* through tables or pointers */
	bool *is_jump;    /* [n], it ends with such */
	struct rarog_vex_ways *ways;
};

static uint64_t end_of(const struct rarog_vex_piece *piece)
{
	return piece->address + piece->size;
}

static int by_address(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* The piece that begins at @address; RAROG_NONE: none. */
static uint32_t piece_at(const struct finder *f, uint64_t address)
{
	size_t low = rarog_lower_bound(i, f->n, f->begins[i].address < address);

	return low < f->n && f->begins[low].address == address ? f->begins[low].piece : RAROG_NONE;
}

/* --- ways --- */

static int add_way(struct finder *f, uint32_t from, uint32_t to, uint64_t count, bool is_unknown)
{
	const struct rarog_edge_count way = {
		.from = from, .to = to, .count = is_unknown ? 0 : count, .is_unknown = is_unknown
	};

	return rarog_vec_push(&f->ways->list, way) < 0 ? rarog_oom() : 0;
}

static int lead_to(struct finder *f, uint32_t from, uint64_t address, uint64_t count)
{
	uint32_t to = piece_at(f, address);

	if (to == RAROG_NONE)
		return 0;
	f->rest[to] -= count < f->rest[to] ? count : f->rest[to];
	f->ways->back += to == 0 ? count : 0;
	return add_way(f, from, to, count, false);
}

/* How often control went from the condition that ends at @end to what follows; @count: if nothing
 * was counted there. */
static uint64_t went_on(const struct finder *f, uint64_t end, uint64_t count)
{
	size_t n = f->image->branches.n;
	const struct rarog_vex_branch *of = f->image->branches.v;
	size_t i = rarog_lower_bound(k, n, of[k].end < end);
	uint64_t to_next = 0, elsewhere = 0;
	bool is_counted = false;

	for (; i < n && of[i].end == end; i++) {
		is_counted |= of[i].next == end;
		*(of[i].next == end ? &to_next : &elsewhere) += of[i].went_on;
	}
	if (is_counted)
		return to_next < count ? to_next : count;
	return elsewhere < count ? count - elsewhere : 0;
}

static int add_ways(struct finder *f, uint32_t number)
{
	const struct rarog_vex_piece *piece = &f->pieces[number];
	uint64_t at = end_of(piece) - piece->last, falls;
	const uint8_t *code = rarog_binary_bytes(f->binary, at, piece->last);
	struct rarog_instruction in;
	uint32_t next;
	int r;

	if (!code || !rarog_instruction_decode(piece->last, code, at, &in))
		return 0;
	switch (in.flow) {
	case RAROG_FLOW_JUMP:
		return lead_to(f, number, in.target, piece->count);
	case RAROG_FLOW_BRANCH:
	case RAROG_FLOW_COUNT:
		falls = went_on(f, end_of(piece), piece->count);
		r = lead_to(f, number, end_of(piece), falls);
		return r == 0 ? lead_to(f, number, in.target, piece->count - falls) : r;
	case RAROG_FLOW_CALL:
	case RAROG_FLOW_INDIRECT_CALL:
	case RAROG_FLOW_SYSTEM:
		next = piece_at(f, end_of(piece));
		if (next != RAROG_NONE)
			f->before[next] = number;
		return 0;
	case RAROG_FLOW_INDIRECT_JUMP:
		f->is_jump[number] = true;
		f->jumps += piece->count;
		return 0;
	case RAROG_FLOW_RETURN:
	case RAROG_FLOW_STOP:
		return 0;
	default: /* a repeated string instruction may have gone to itself */
		return lead_to(f, number, end_of(piece), went_on(f, end_of(piece), piece->count));
	}
}

/* --- what remains --- */

/* A return cannot come more often than its call, but where setjmp() returns twice. */
static int add_return(struct finder *f, uint32_t to)
{
	uint32_t from = f->before[to];
	uint64_t calls = from == RAROG_NONE ? 0 : f->pieces[from].count, count = f->rest[to];
	bool is_unknown = count > calls;

	if (from == RAROG_NONE)
		return 0;
	count = is_unknown ? calls : count;
	f->rest[to] -= count;
	return add_way(f, from, to, count, is_unknown);
}

/* Landing pads are among what remains, and jumps may have left the function: only if both sums are
 * the same it is known. */
static int add_pool(struct finder *f)
{
	uint32_t pool = (uint32_t)f->n;
	uint64_t remains = 0;
	int r = 0;

	for (uint32_t i = 1; i < f->n; i++)
		remains += f->rest[i];
	if (f->jumps == 0 || remains == 0)
		return 0;
	f->ways->pool = f->jumps;
	for (uint32_t i = 0; r == 0 && i < f->n; i++) {
		if (f->is_jump[i])
			r = add_way(f, i, pool, f->pieces[i].count, f->jumps != remains);
		if (r == 0 && i > 0 && f->rest[i] > 0)
			r = add_way(f, pool, i, f->rest[i], f->jumps != remains);
	}
	return r;
}

static int by_from(const void *a, const void *b)
{
	const struct rarog_edge_count *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* A condition may lead to what follows either way. */
static void join(struct rarog_vex_ways *ways)
{
	size_t n = 0;

	if (ways->list.n > 1)
		qsort(ways->list.v, ways->list.n, sizeof(*ways->list.v), by_from);
	for (size_t i = 0; i < ways->list.n; i++) {
		const struct rarog_edge_count way = ways->list.v[i];

		if (n > 0 && by_from(&ways->list.v[n - 1], &way) == 0) {
			ways->list.v[n - 1].count += way.count;
			ways->list.v[n - 1].is_unknown |= way.is_unknown;
		} else {
			ways->list.v[n++] = way;
		}
	}
	ways->list.n = n;
}

static int find(struct finder *f)
{
	int r = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		f->begins[i] = (struct begin){ f->pieces[i].address, i };
		f->rest[i] = f->pieces[i].count;
		f->before[i] = RAROG_NONE;
	}
	qsort(f->begins, f->n, sizeof(*f->begins), by_address);
	for (uint32_t i = 0; r == 0 && i < f->n; i++)
		r = add_ways(f, i);
	for (uint32_t i = 1; r == 0 && i < f->n; i++)
		r = add_return(f, i);
	if (r == 0)
		r = add_pool(f);
	join(f->ways);
	return r;
}

int rarog_vex_ways_find(const struct rarog_vex_image *image, const struct rarog_binary *binary,
			size_t n, const struct rarog_vex_piece pieces[n],
			struct rarog_vex_ways *ret_ways)
{
	rarog_cleanup(rarog_freep) struct begin *begins = calloc(n + 1, sizeof(*begins));
	rarog_cleanup(rarog_freep) uint32_t *before = calloc(n + 1, sizeof(*before));
	rarog_cleanup(rarog_freep) uint64_t *rest = calloc(n + 1, sizeof(*rest));
	rarog_cleanup(rarog_freep) bool *is_jump = calloc(n + 1, sizeof(*is_jump));
	struct finder f = { .image = image,
			    .binary = binary,
			    .n = n,
			    .pieces = pieces,
			    .begins = begins,
			    .rest = rest,
			    .before = before,
			    .is_jump = is_jump,
			    .ways = ret_ways };
	int r;

	*ret_ways = (struct rarog_vex_ways){ 0 };
	r = begins && before && rest && is_jump ? find(&f) : rarog_oom();
	if (r < 0)
		rarog_vex_ways_release(ret_ways);
	return r;
}

void rarog_vex_ways_release(struct rarog_vex_ways *ways)
{
	rarog_vec_release(&ways->list);
}
