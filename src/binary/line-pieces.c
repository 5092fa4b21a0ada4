/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pieces are discriminators of the line table: what DWARF has to tell blocks of one line apart
 * by. */
#include "binary/line-pieces.h"

#include <dwarf.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/debug-info.h"

static int add_row(Dwarf_Line *line, uint32_t unit, struct rarog_line_pieces *pieces)
{
	struct rarog_line_piece row = { .unit = unit };
	unsigned discriminator = 0;
	Dwarf_Addr address;
	bool is_end = false;

	if (dwarf_lineaddr(line, &address) != 0)
		return 0;
	dwarf_lineendsequence(line, &is_end);
	dwarf_linediscriminator(line, &discriminator);
	row.address = address;
	row.piece = is_end ? 0 : discriminator;
	row.unit = is_end ? UINT32_MAX : unit;
	return rarog_vec_push(&pieces->rows, row);
}

static int add_unit(Dwarf_Die *die, uint32_t unit, struct rarog_line_pieces *pieces)
{
	Dwarf_Lines *lines;
	size_t n;
	int r = 0;

	if (dwarf_getsrclines(die, &lines, &n) != 0)
		return 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_row(dwarf_onesrcline(lines, i), unit, pieces);
	return r;
}

/* --- what was inlined --- */

#define MAX_DEPTH 256

/* LLVM's; no dwarf.h has it: the discriminator of the call. */
#define AT_DISCRIMINATOR 0x2136

struct walk {
	uint32_t unit;
	size_t budget; /* entries that may still be looked at: damaged trees may go in circles */
	struct rarog_line_pieces *pieces;
};

static int add_calls(struct walk *w, Dwarf_Die *die, uint32_t depth)
{
	struct rarog_inlined_piece call = { .unit = w->unit, .depth = depth };
	Dwarf_Attribute attribute;
	Dwarf_Addr base, start, end;
	Dwarf_Word piece = 0;
	ptrdiff_t at = 0;
	int r = 0;

	if (dwarf_attr(die, AT_DISCRIMINATOR, &attribute))
		dwarf_formudata(&attribute, &piece);
	call.piece = (uint32_t)piece;
	while (r == 0 && piece > 0 && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		call.start = start;
		call.end = end;
		r = rarog_vec_push(&w->pieces->calls, call);
	}
	return r;
}

static int walk_children(struct walk *w, Dwarf_Die *parent, uint32_t depth, unsigned level)
{
	Dwarf_Die die;
	int r = 0;

	if (level > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		bool is_inlined = dwarf_tag(&die) == DW_TAG_inlined_subroutine;

		if (w->budget == 0)
			return 0;
		w->budget--;
		if (is_inlined)
			r = add_calls(w, &die, depth);
		if (r == 0)
			r = walk_children(w, &die, depth + is_inlined, level + 1);
	} while (r == 0 && dwarf_siblingof(&die, &die) == 0);
	return r;
}

static int compare_calls(const void *a, const void *b)
{
	const struct rarog_inlined_piece *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* --- rows --- */

/* Where one sequence ends and another begins, the beginning counts. */
static int compare(const void *a, const void *b)
{
	const struct rarog_line_piece *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (y->unit == UINT32_MAX) - (x->unit == UINT32_MAX);
}

/* qsort() may turn rows of one address around, and the last of them counts. */
static void sort(struct rarog_line_pieces *pieces)
{
	bool is_sorted = true;

	for (size_t i = 1; is_sorted && i < pieces->rows.n; i++)
		is_sorted = compare(&pieces->rows.v[i - 1], &pieces->rows.v[i]) <= 0;
	if (!is_sorted)
		qsort(pieces->rows.v, pieces->rows.n, sizeof(*pieces->rows.v), compare);
}

int rarog_line_pieces_read(struct rarog_binary *binary,
			   uint32_t (*unit_of)(const void *context, const char *name,
					       const char *directory),
			   const void *context, struct rarog_line_pieces *ret_pieces)
{
	struct rarog_debug *debug;
	int r = rarog_debug_get(binary, &debug);

	for (size_t i = 0; r == 0 && i < debug->units.n; i++) {
		struct rarog_debug_unit *unit = &debug->units.v[i];
		const char *name = dwarf_diename(&unit->die);
		uint32_t number = name ? unit_of(context, name, unit->directory) : UINT32_MAX;

		struct walk walk = { number, debug->size_bytes, ret_pieces };

		if (number != UINT32_MAX && (add_unit(&unit->die, number, ret_pieces) < 0 ||
					     walk_children(&walk, &unit->tree, 0, 0) < 0))
			r = rarog_oom();
	}
	if (r == 0)
		sort(ret_pieces);
	if (ret_pieces->calls.n > 1)
		qsort(ret_pieces->calls.v, ret_pieces->calls.n, sizeof(*ret_pieces->calls.v),
		      compare_calls);
	return r;
}

void rarog_line_pieces_release(struct rarog_line_pieces *pieces)
{
	rarog_vec_release(&pieces->rows);
	rarog_vec_release(&pieces->calls);
}

const struct rarog_line_piece *rarog_line_pieces_at(const struct rarog_line_pieces *pieces,
						    uint64_t address)
{
	size_t after = rarog_lower_bound(i, pieces->rows.n, pieces->rows.v[i].address <= address);

	return after > 0 ? &pieces->rows.v[after - 1] : NULL;
}
