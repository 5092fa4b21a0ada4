/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "while (1)" and "for (;;)" have no condition that control would come to, only a jump back to what
 * is after them, and "do" at most one to there. "continue" in the body, or the condition after
 * it, passes that by. Such a head is passed where its turns begin.
 *
 * Two loops may begin at one place, and what comes back there is in a turn of the inner one or of
 * the outer one. Where that may be, nothing is said.
 */
#include <errno.h>

#include "binary/instruction.h"
#include "binary/line-search.h"

bool rarog_line_only_jumps(const struct rarog_line_search *s, const struct rarog_line_candidate *c,
			   uint64_t *ret_target)
{
	const struct rarog_code_graph_block *b = rarog_line_block(s, c->block);
	size_t size = b->address + b->size - c->address;
	const uint8_t *code = rarog_binary_bytes(s->lines->binary, c->address, size);
	struct rarog_instruction in;

	if (!code || rarog_source_lines_marks(s->lines, rarog_line_row_of(s, c)) ||
	    !rarog_instruction_decode(size, code, c->address, &in) || in.length != size ||
	    in.flow != RAROG_FLOW_JUMP)
		return false;
	*ret_target = in.target;
	return true;
}

static int line_at(const struct rarog_line_search *s, uint64_t address)
{
	long row = rarog_source_lines_at(s->lines, address);

	return row < 0 ? 0 : s->lines->rows.v[row].line;
}

/* Where the turns begin of the loop whose head the line is. */
struct turn {
	uint32_t block;
	int line;            /* the first one of the loop's body */
	bool is_jumped_from; /* the line itself jumps back there: it is no "do" */
};

static bool is_behind(const struct rarog_line_search *s, uint32_t block, const struct turn *turn)
{
	return block != RAROG_GRAPH_OUTSIDE &&
	       rarog_line_block(s, block)->address >= rarog_line_block(s, turn->block)->address;
}

static bool is_come_back_to(const struct rarog_line_search *s, const struct turn *turn)
{
	size_t n;
	const struct rarog_code_graph_edge *const *edges =
		rarog_edge_index_find(&s->into, turn->block, &n);

	for (size_t i = 0; i < n; i++)
		if (is_behind(s, edges[i]->from, turn))
			return true;
	return false;
}

/* Does the line go on, by a jump back or to what is next, with the lines after it? A "break" or
 * "goto" jumps farther on, or back to lines before it. */
static bool is_head(const struct rarog_line_search *s, const struct rarog_line_candidate *c,
		    struct turn *ret_turn)
{
	const struct rarog_code_graph_block *b = rarog_line_block(s, c->block);
	uint64_t target;

	if (!rarog_line_only_jumps(s, c, &target))
		return false;
	*ret_turn = (struct turn){
		.block = rarog_code_graph_find(&s->graph, target),
		.line = line_at(s, target),
		.is_jumped_from = target <= c->address,
	};
	if (ret_turn->block == UINT32_MAX || ret_turn->line <= s->line ||
	    rarog_line_block(s, ret_turn->block)->address != target)
		return false;
	return ret_turn->is_jumped_from ||
	       (target == b->address + b->size && is_come_back_to(s, ret_turn));
}

static bool ends_with_jump(const struct rarog_line_search *s, uint32_t block)
{
	size_t n;
	const struct rarog_code_graph_edge *const *edges =
		rarog_edge_index_find(&s->out, block, &n);

	return n == 1 && edges[0]->from == block;
}

/* May what comes back to @turn from @block be in a loop within the body, which begins there, too?
 */
static bool is_doubtful(const struct rarog_line_search *s, const struct turn *turn, uint32_t block)
{
	const struct rarog_code_graph_block *b = rarog_line_block(s, block);
	int line = b->size > 0 ? line_at(s, b->address + b->size - 1) : 0;

	if (line == s->line)
		return false;
	return line == 0 || (line > s->line && line <= turn->line) ||
	       (turn->is_jumped_from && !ends_with_jump(s, block));
}

static int check_turn(const struct rarog_line_search *s, const struct turn *turn)
{
	size_t n;
	const struct rarog_code_graph_edge *const *edges =
		rarog_edge_index_find(&s->into, turn->block, &n);

	for (size_t i = 0; i < n; i++)
		if (is_behind(s, edges[i]->from, turn) && is_doubtful(s, turn, edges[i]->from))
			return -EDOM;
	return 0;
}

static bool is_candidate(const struct rarog_line_search *s, const struct rarog_line_candidate *c)
{
	for (size_t i = 0; i < s->candidates.n; i++)
		if (s->candidates.v[i].address == c->address && s->candidates.v[i].copy == c->copy)
			return true;
	return false;
}

/* A condition over several lines is passed where the line has code of it. */
static bool has_code(const struct rarog_line_search *s, uint64_t copy, const struct turn *turn)
{
	uint64_t from = rarog_line_block(s, turn->block)->address, target;

	for (size_t i = 0; i < s->candidates.n; i++) {
		const struct rarog_line_candidate *c = &s->candidates.v[i];

		if (c->copy == copy && c->address > from && !rarog_line_only_jumps(s, c, &target))
			return true;
	}
	return false;
}

int rarog_line_turn_of(const struct rarog_line_search *s, const struct rarog_line_candidate *c,
		       struct rarog_line_candidate *ret_turn)
{
	struct turn turn;
	int r;

	if (c->is_left || !is_head(s, c, &turn) || has_code(s, c->copy, &turn))
		return 0;
	r = check_turn(s, &turn);
	*ret_turn = *c;
	ret_turn->block = turn.block;
	ret_turn->address = rarog_line_block(s, turn.block)->address;
	return r < 0 ? r : !is_candidate(s, ret_turn);
}
