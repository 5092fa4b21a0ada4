/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line's code is in pieces. Which of them begin it follows from the graph of the function's
 * code: at most one place in a block, unless the same statement begins there several times
 * (unrolled loops, copies of inlined functions); and none where all ways to the block come from the
 * line itself. So an ordinary "for" line is passed once before its loop and once after each turn,
 * which is how gcov counts.
 *
 * A probe counts each time that control comes to a place, wherever from. If a block is come to from
 * the line and from elsewhere, and the line's block before it leads nowhere else, that one has no
 * place: "while" at -O0 begins with a jump to its condition.
 */
#include "binary/line-places.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/instruction.h"
#include "binary/line-search.h"

/* Does the row at @i belong to the line, in this copy? */
static bool is_same(const struct rarog_line_search *s, long i, uint64_t copy)
{
	return i >= 0 && s->lines->rows.v[i].line == s->line &&
	       rarog_source_lines_copy(s->lines, (size_t)i) == copy;
}

/* --- in a block --- */

/* The row whose code comes before that of @i, if it is of the same block; -1: none. Rows without
 * code of their own count where they are of other lines: something of those was there. */
static long row_before(const struct rarog_line_search *s, size_t i, uint32_t block)
{
	const struct rarog_line_row *rows = s->lines->rows.v;
	size_t k = i;

	while (k > 0 && rows[k - 1].address == rows[i].address && rows[k - 1].line == rows[i].line)
		k--;
	return k > 0 && rows[k - 1].address >= rarog_line_block(s, block)->address &&
			       !rows[k - 1].is_end
		       ? (long)k - 1
		       : -1;
}

/* Where beginnings of statements are told, what is between them may belong to any: the last
 * beginning in @block before the row @i; -1: none. */
static long statement_before(const struct rarog_line_search *s, size_t i, uint32_t block)
{
	const struct rarog_line_row *rows = s->lines->rows.v;

	for (; i > 0 && rows[i - 1].address >= rarog_line_block(s, block)->address &&
	       !rows[i - 1].is_end;
	     i--)
		if (rows[i - 1].is_statement)
			return (long)i - 1;
	return -1;
}

/* Does what begins at the row @i go on with what @block did before for the line? */
static bool goes_on(const struct rarog_line_search *s, size_t i, uint32_t block, uint64_t copy)
{
	bool is_told = rarog_source_lines_marks(s->lines, &s->lines->rows.v[i]);

	return is_same(s, is_told ? statement_before(s, i, block) : row_before(s, i, block), copy);
}

/* Parts of a statement are left and come back to: "f(a," on one line and "b)" on the next. */
static bool is_part(const struct rarog_line_search *s, const struct rarog_line_candidate *c)
{
	const struct rarog_line_row *row = rarog_line_row_of(s, c);
	bool is_part = false;

	if (rarog_source_lines_marks(s->lines, row))
		return false;
	for (size_t i = s->candidates.n; i-- > 0 && s->candidates.v[i].block == c->block;) {
		const struct rarog_line_candidate *before = &s->candidates.v[i];

		if (before->copy != c->copy)
			continue;
		if (rarog_line_row_of(s, before)->column == row->column)
			return false;
		is_part = true;
	}
	return is_part;
}

/* @address is of the code of the row @i. */
static int add_candidate(struct rarog_line_search *s, size_t i, uint64_t address)
{
	struct rarog_line_candidate c = { .address = address, .row = i };

	c.block = rarog_code_graph_find(&s->graph, address);
	if (c.block == UINT32_MAX)
		return 0;
	c.copy = rarog_source_lines_copy(s->lines, i);
	if (goes_on(s, i, c.block, c.copy) || is_part(s, &c))
		return 0;
	c.leads = address == rarog_line_block(s, c.block)->address ||
		  (row_before(s, i, c.block) < 0 && i > 0 && is_same(s, (long)i - 1, c.copy));
	if (s->candidates.n > 0 && s->candidates.v[s->candidates.n - 1].address == c.address)
		return 0;
	return rarog_vec_push(&s->candidates, c) < 0 ? rarog_oom() : 0;
}

/* clang says that a statement begins where the code before has another line, whether control comes
 * from there or not: all blocks that begin in the row @i may be come to. */
static int add_blocks(struct rarog_line_search *s, size_t i)
{
	const struct rarog_line_row *row = &s->lines->rows.v[i];
	const struct rarog_code_graph_block *b;
	uint32_t block = rarog_code_graph_find(&s->graph, row->address);
	int r = 0;

	if (block == UINT32_MAX || rarog_source_lines_marks(s->lines, row))
		return 0;
	for (; r == 0 && block < s->graph.blocks.n; block++) {
		b = rarog_line_block(s, block);
		if (i + 1 < s->lines->rows.n && b->address >= row[1].address)
			break;
		if (b->size > 0 && b->address >= row->address)
			r = add_candidate(s, i, b->address);
	}
	return r;
}

/* --- between blocks --- */

static bool leads_only_to(const struct rarog_line_search *s, uint32_t from, uint32_t to)
{
	size_t n;
	const struct rarog_code_graph_edge *const *edges = rarog_edge_index_find(&s->out, from, &n);

	for (size_t i = 0; i < n; i++)
		if (edges[i]->to != to)
			return false;
	return true;
}

/* Do all jumps to the part @c of a function that this has come from the line? */
static bool is_jumped_from_line(const struct rarog_line_search *s,
				const struct rarog_line_candidate *c)
{
	uint64_t target = rarog_line_block(s, c->block)->address;
	const struct rarog_binary *binary = s->lines->binary;
	long host = rarog_binary_host(binary, s->function);
	const struct rarog_function *f = &s->functions[host];
	const uint8_t *code = rarog_binary_bytes(binary, f->address, f->size);
	struct rarog_instruction in;
	size_t found = 0;

	if (!code || host == (long)s->function)
		return false;
	for (uint64_t at = 0; at < f->size; at += in.length) {
		if (!rarog_instruction_decode(f->size - at, code + at, f->address + at, &in))
			return false;
		if (in.relative_size == 0 || in.target != target)
			continue;
		if (!is_same(s, rarog_source_lines_at(s->lines, f->address + at), c->copy))
			return false;
		found++;
	}
	return found > 0;
}

/* Is all of @block the line's? */
static bool is_whole(const struct rarog_line_search *s, uint32_t block, uint64_t copy)
{
	const struct rarog_code_graph_block *b = rarog_line_block(s, block);
	long row = b->size > 0 ? rarog_source_lines_at(s->lines, b->address + b->size - 1) : -1;

	for (; is_same(s, row, copy); row--)
		if (s->lines->rows.v[row].address <= b->address)
			return true;
	return false;
}

/* --- turns --- */

static int make_turns(struct rarog_line_search *s)
{
	struct rarog_line_turns *turns = &s->turns;
	size_t n = s->graph.blocks.n + 1;

	if (turns->seen)
		return 0;
	turns->seen = calloc(n, sizeof(*turns->seen));
	return turns->seen ? rarog_dominators_make(&s->into, &s->out, &turns->dominators)
			   : rarog_oom();
}

static void turns_release(struct rarog_line_turns *turns)
{
	rarog_dominators_release(&turns->dominators);
	rarog_vec_release(&turns->open);
	free(turns->seen);
	*turns = (struct rarog_line_turns){ 0 };
}

/* To the blocks before @block that are the line's. 1: @c is one of them; 0; -ENOMEM */
static int step_back(struct rarog_line_search *s, const struct rarog_line_candidate *c,
		     uint32_t block)
{
	struct rarog_line_turns *turns = &s->turns;
	size_t n;
	const struct rarog_code_graph_edge *const *edges =
		rarog_edge_index_find(&s->into, block, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t from = edges[i]->from;

		if (from == c->block)
			return 1;
		if (from == RAROG_GRAPH_OUTSIDE || turns->seen[from] == turns->search ||
		    !is_whole(s, from, c->copy))
			continue;
		turns->seen[from] = turns->search;
		if (rarog_vec_push(&turns->open, from) < 0)
			return rarog_oom();
	}
	return 0;
}

/* Does the way to @c from the block @from end a turn of a loop that begins at @c and is all
 * on the line? Then control comes to that block from @c without leaving the line, and not
 * otherwise: all blocks between the two are of the loop. 1, 0, -ENOMEM */
static int is_turn(struct rarog_line_search *s, const struct rarog_line_candidate *c, uint32_t from)
{
	struct rarog_line_turns *turns = &s->turns;
	int r;

	if (!is_whole(s, c->block, c->copy))
		return 0;
	if (from == c->block)
		return 1;
	if (!is_whole(s, from, c->copy))
		return 0;
	r = make_turns(s);
	if (r < 0 || !rarog_dominators_has(&turns->dominators, c->block, from))
		return r;
	turns->search++;
	turns->open.n = 0;
	r = step_back(s, c, from);
	while (r == 0 && turns->open.n > 0)
		r = step_back(s, c, turns->open.v[--turns->open.n]);
	return r;
}

/* --- how control comes to a block --- */

static bool is_edge_from_line(const struct rarog_line_search *s,
			      const struct rarog_code_graph_edge *edge,
			      const struct rarog_line_candidate *c)
{
	const struct rarog_code_graph_block *from;
	long last;

	if (edge->from == RAROG_GRAPH_OUTSIDE)
		return is_jumped_from_line(s, c);
	from = rarog_line_block(s, edge->from);
	if (from->size == 0)
		return false;
	last = rarog_source_lines_at(s->lines, from->address + from->size - 1);
	if (last >= 0 && rarog_source_lines_marks(s->lines, rarog_line_row_of(s, c))) {
		long told = statement_before(s, (size_t)last + 1, edge->from);

		last = told < 0 ? last : told;
	}
	return is_same(s, last, c->copy);
}

/* The place in @block from which on all of it belongs to the line. */
static struct rarog_line_candidate *last_of(struct rarog_line_search *s, uint32_t block,
					    uint64_t copy)
{
	const struct rarog_code_graph_block *b = rarog_line_block(s, block);
	long row = rarog_source_lines_at(s->lines, b->address + b->size - 1);

	while (is_same(s, row_before(s, (size_t)row, block), copy))
		row--;
	for (size_t i = 0; i < s->candidates.n; i++)
		if (s->candidates.v[i].block == block && s->candidates.v[i].copy == copy &&
		    s->candidates.v[i].address == s->lines->rows.v[row].address)
			return &s->candidates.v[i];
	return NULL;
}

/* How control comes to a block. */
struct arrivals {
	size_t others;           /* from other lines, or in a loop's next turn */
	RAROG_VEC(uint32_t) own; /* blocks of the line before it */
};

static int add_arrival(struct rarog_line_search *s, const struct rarog_line_candidate *c,
		       const struct rarog_code_graph_edge *edge, struct arrivals *a)
{
	bool is_doubtful = edge->from == RAROG_GRAPH_OUTSIDE
				   ? edge->to > 0
				   : rarog_line_block(s, edge->from)->size == 0;
	bool is_own = is_edge_from_line(s, edge, c);
	int r = is_own && edge->from != RAROG_GRAPH_OUTSIDE ? is_turn(s, c, edge->from) : 0;

	if (r < 0)
		return r;
	if ((!is_own && !is_doubtful) || r > 0)
		a->others++;
	else if (!is_own)
		return 0;
	else if (rarog_vec_push(&a->own, edge->from) < 0)
		return rarog_oom();
	return 0;
}

/* What leads to @c only is counted there. */
static void leave_before(struct rarog_line_search *s, const struct rarog_line_candidate *c,
			 const struct arrivals *a)
{
	for (size_t i = 0; i < a->own.n; i++) {
		uint32_t from = a->own.v[i];
		struct rarog_line_candidate *before =
			from != RAROG_GRAPH_OUTSIDE && leads_only_to(s, from, c->block)
				? last_of(s, from, c->copy)
				: NULL;

		if (before)
			before->is_left = true;
	}
}

static void arrivals_release(struct arrivals *a)
{
	rarog_vec_release(&a->own);
}

static int find_arrivals(struct rarog_line_search *s, const struct rarog_line_candidate *c,
			 struct arrivals *a)
{
	size_t n;
	const struct rarog_code_graph_edge *const *edges =
		rarog_edge_index_find(&s->into, c->block, &n);
	int r = 0;

	*a = (struct arrivals){ 0 };
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_arrival(s, c, edges[i], a);
	return r;
}

static int judge(struct rarog_line_search *s, struct rarog_line_candidate *c)
{
	rarog_cleanup(arrivals_release) struct arrivals a = { 0 };
	int r = find_arrivals(s, c, &a);

	/* data that looks like a table's entry is no reason to count twice */
	c->is_left = a.others == 0 && (a.own.n > 0 || !rarog_line_row_of(s, c)->is_statement);
	if (a.others > 0)
		leave_before(s, c, &a);
	return r;
}

/* Add @c, and leave what leads there only. */
static int add_instead(struct rarog_line_search *s, const struct rarog_line_candidate *c)
{
	rarog_cleanup(arrivals_release) struct arrivals a = { 0 };
	int r = find_arrivals(s, c, &a);

	if (r < 0)
		return r;
	leave_before(s, c, &a);
	return rarog_vec_push(&s->candidates, *c) < 0 ? rarog_oom() : 0;
}

/* Where the line is a loop's head without code, its turns are candidates instead of the jumps. */
static int put_turns(struct rarog_line_search *s)
{
	size_t n = s->candidates.n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct rarog_line_candidate c;

		r = rarog_line_turn_of(s, &s->candidates.v[i], &c);
		if (r > 0)
			r = add_instead(s, &c);
	}
	return r;
}

/* --- jumps --- */

/* Is the block of @c a jump to another line? */
static bool is_jump(const struct rarog_line_search *s, const struct rarog_line_candidate *c)
{
	uint64_t target;

	return c->address == rarog_line_block(s, c->block)->address &&
	       rarog_line_only_jumps(s, c, &target) &&
	       !is_same(s, rarog_source_lines_at(s->lines, target), c->copy);
}

static void leave_jumps(struct rarog_line_search *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->candidates.n; i++)
		kept += !s->candidates.v[i].is_left && !is_jump(s, &s->candidates.v[i]);
	for (size_t i = 0; kept > 0 && i < s->candidates.n; i++)
		s->candidates.v[i].is_left |= is_jump(s, &s->candidates.v[i]);
}

/* --- all functions --- */

static int put_places(struct rarog_line_search *s, struct rarog_line_places *places)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->candidates.n; i++)
		if (s->candidates.v[i].leads && !s->candidates.v[i].is_left)
			r = judge(s, &s->candidates.v[i]);
	if (r == 0)
		r = put_turns(s);
	leave_jumps(s);
	for (size_t i = 0; r == 0 && i < s->candidates.n; i++) {
		const struct rarog_line_candidate *c = &s->candidates.v[i];

		if (c->is_left)
			continue;
		if (rarog_vec_push(&places->v, (struct rarog_line_place){
						       c->address, c->copy, s->function,
						       rarog_line_row_of(s, c)->column }) < 0)
			return rarog_oom();
	}
	return r;
}

/* With the graph of @function. */
static int open_function(const struct rarog_code_graphs *graphs, uint32_t function,
			 struct rarog_line_search *s)
{
	int r;

	s->function = function;
	s->candidates.n = 0;
	r = rarog_code_graphs_read(graphs, function, false, &s->graph);
	if (r == 0)
		r = rarog_edge_index_make(&s->graph, true, &s->into);
	return r < 0 ? r : rarog_edge_index_make(&s->graph, false, &s->out);
}

static void close_function(struct rarog_line_search *s)
{
	turns_release(&s->turns);
	rarog_edge_index_release(&s->into);
	rarog_edge_index_release(&s->out);
	rarog_code_graph_release(&s->graph);
}

static bool is_of_wanted(const struct rarog_line_search *s, size_t row)
{
	return s->lines->rows.v[row].line == s->line && !s->lines->rows.v[row].is_end;
}

static int add_row(struct rarog_line_search *s, size_t row)
{
	const struct rarog_line_row *r = &s->lines->rows.v[row];
	int result = r->is_statement ? add_candidate(s, row, r->address) : 0;

	return result < 0 ? result : add_blocks(s, row);
}

/* Rows are by address, and so are functions. Returns the first row after the function's. */
static size_t find_in_function(struct rarog_line_search *s, size_t row, int *ret_result)
{
	const struct rarog_function *f = &s->functions[s->function];
	int r = 0;

	do {
		if (r == 0 && is_of_wanted(s, row))
			r = add_row(s, row);
		row++;
	} while (row < s->lines->rows.n && s->lines->rows.v[row].address - f->address < f->size);
	*ret_result = r;
	return row;
}

static int compare_places(const void *left, const void *right)
{
	const struct rarog_line_place *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

int rarog_line_places_find(const struct rarog_code_graphs *graphs, struct rarog_source_lines *lines,
			   int line, struct rarog_line_places *ret_places)
{
	struct rarog_line_search s = { .lines = lines, .line = line };
	int r = 0;

	*ret_places = (struct rarog_line_places){ 0 };
	rarog_binary_functions(lines->binary, &s.functions);
	for (size_t row = 0; r == 0 && row < lines->rows.n;) {
		long function =
			is_of_wanted(&s, row)
				? rarog_binary_find(lines->binary, lines->rows.v[row].address)
				: -1;

		if (function < 0) {
			row++;
			continue;
		}
		r = open_function(graphs, (uint32_t)function, &s);
		if (r == 0)
			row = find_in_function(&s, row, &r);
		if (r == 0)
			r = put_places(&s, ret_places);
		close_function(&s);
	}
	rarog_vec_release(&s.candidates);
	if (r == 0 && ret_places->v.n > 0)
		qsort(ret_places->v.v, ret_places->v.n, sizeof(*ret_places->v.v), compare_places);
	return r;
}

void rarog_line_places_release(struct rarog_line_places *places)
{
	rarog_vec_release(&places->v);
}
