/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the stack of open regions changes on the way from one instruction to the next, some regions
 * end and others begin. A change within a block is at its second instruction; a change on all edges
 * into a block at its first. Else it is at the end of the block that the edge comes from, if that
 * goes nowhere else. What is left are edges between a branch and a meeting of ways: there regions
 * end if they are open, which the probe finds out.
 *
 * Where no probe can stand another instruction close by will do, but none beyond a call.
 */
#include "feature/changes.h"

#include "base/error.h"
#include "binary/instruction.h"

#define SHORT 8 /* instructions to a return that are not worth telling apart */

/* --- where it may be --- */

static bool stays(uint8_t flow)
{
	return flow == RAROG_FLOW_NEXT || flow == RAROG_FLOW_NOP;
}

/* At @i of the block, or a few after it. */
static void list_after(const struct rarog_feature_code *code,
		       const struct rarog_feature_block *block, uint32_t i, size_t *n,
		       uint64_t at[RAROG_FEATURE_CANDIDATES])
{
	for (; i < block->n && *n < RAROG_FEATURE_CANDIDATES; i++) {
		const struct rarog_feature_instruction *one =
			&code->instructions.v[block->first + i];

		at[(*n)++] = one->address;
		if (!stays(one->flow))
			break;
	}
}

static void add_after(const struct rarog_feature_code *code,
		      const struct rarog_feature_block *block, uint32_t i,
		      struct rarog_feature_change *change)
{
	list_after(code, block, i, &change->n, change->at);
}

/* Before @i of the block, or a few before that. */
static void add_before(const struct rarog_feature_code *code,
		       const struct rarog_feature_block *block, uint32_t i,
		       struct rarog_feature_change *change)
{
	for (; i-- > 0 && change->n < RAROG_FEATURE_CANDIDATES;) {
		const struct rarog_feature_instruction *one =
			&code->instructions.v[block->first + i];

		if (!stays(one->flow))
			break;
		change->at[change->n++] = one->address;
	}
}

static int add_change(struct rarog_feature_changes *changes,
		      const struct rarog_feature_change *change)
{
	if (change->from == change->to || change->n == 0)
		return 0;
	return rarog_vec_push(&changes->list, *change);
}

/* --- changes --- */

/* How many regions both have from outside on. */
uint32_t rarog_feature_stacks_common(const struct rarog_feature_machine *m,
				     const struct rarog_feature_stack *a,
				     const struct rarog_feature_stack *b)
{
	uint32_t n = 0;

	while (n < a->n && n < b->n && m->items.v[a->first + n] == m->items.v[b->first + n])
		n++;
	return n;
}

static int add_within(struct rarog_feature_changes *changes, const struct rarog_feature_code *code,
		      const struct rarog_feature_block *block)
{
	const struct rarog_feature_instruction *v = code->instructions.v + block->first;
	int r = 0;

	for (uint32_t i = 1; r == 0 && i < block->n; i++) {
		struct rarog_feature_change change = { .from = v[i - 1].stack, .to = v[i].stack };

		if (change.from == change.to)
			continue;
		add_after(code, block, i, &change);
		add_before(code, block, i, &change);
		r = add_change(changes, &change);
	}
	return r;
}

static size_t count_edges_from(const struct rarog_feature_code *code, uint32_t block)
{
	size_t n = 0;

	for (size_t i = 0; i < code->graph.edges.n; i++)
		n += code->graph.edges.v[i].from == block;
	return n;
}

/* The end of a block: before the instruction that leaves it, or its last. */
static bool add_end(const struct rarog_feature_code *code, const struct rarog_feature_block *block,
		    struct rarog_feature_change *change)
{
	const struct rarog_feature_instruction *last;

	if (block->n == 0)
		return false;
	last = &code->instructions.v[block->first + block->n - 1];
	if (last->flow == RAROG_FLOW_CALL || last->flow == RAROG_FLOW_INDIRECT_CALL)
		return false;
	change->at[change->n++] = last->address;
	add_before(code, block, block->n - 1, change);
	return true;
}

static bool ends_only(const struct rarog_feature_machine *m, uint32_t from, uint32_t to)
{
	const struct rarog_feature_stack *a = &m->stacks.v[from];
	const struct rarog_feature_stack *b = &m->stacks.v[to];

	return rarog_feature_stacks_common(m, a, b) == b->n;
}

/* Of a block that is too short: where it goes on, with others, and nothing changes. */
static void add_behind(const struct rarog_feature_machine *m, const struct rarog_feature_code *code,
		       uint32_t block, struct rarog_feature_change *change)
{
	uint32_t next = RAROG_GRAPH_OUTSIDE;

	if (count_edges_from(code, block) != 1 || !ends_only(m, change->from, change->to))
		return;
	for (size_t i = 0; i < code->graph.edges.n; i++)
		if (code->graph.edges.v[i].from == block)
			next = code->graph.edges.v[i].to;
	if (next != RAROG_GRAPH_OUTSIDE && code->blocks.v[next].enters == change->to &&
	    code->blocks.v[block].leaves == change->to)
		list_after(code, &code->blocks.v[next], 0, &change->n_later, change->later);
}

/* What returns ends all of it: the probe of the function sees that. */
static void note_return(const struct rarog_feature_machine *m,
			const struct rarog_feature_code *code, uint32_t block,
			struct rarog_feature_change *change)
{
	const struct rarog_feature_block *its = &code->blocks.v[block];

	if (its->n > 0 && its->n <= SHORT && ends_only(m, change->from, change->to) &&
	    code->instructions.v[its->first + its->n - 1].flow == RAROG_FLOW_RETURN)
		change->host = code->graph.blocks.v[0].address;
}

/* An edge that is not as the others into its block. */
static int add_edge(const struct rarog_feature_machine *m, struct rarog_feature_changes *changes,
		    const struct rarog_feature_code *code, uint32_t from, uint32_t to)
{
	const struct rarog_feature_block *before = &code->blocks.v[from],
					 *after = &code->blocks.v[to];
	struct rarog_feature_change change = { .from = before->leaves, .to = after->enters };

	if (change.from == change.to)
		return 0;
	if (count_edges_from(code, from) == 1 && add_end(code, before, &change)) {
		list_after(code, after, 0, &change.n_later, change.later);
		return add_change(changes, &change);
	}
	change.may_be_closed = true;
	add_after(code, after, 0, &change);
	add_behind(m, code, to, &change);
	note_return(m, code, to, &change);
	return add_change(changes, &change);
}

static int add_into(const struct rarog_feature_machine *m, struct rarog_feature_changes *changes,
		    const struct rarog_feature_code *code, uint32_t to)
{
	const struct rarog_feature_block *block = &code->blocks.v[to];
	uint32_t first = to == 0 ? 0 : RAROG_FEATURE_UNKNOWN;
	struct rarog_feature_change change = { .to = block->enters };
	bool is_one = true;
	int r = 0;

	for (size_t i = 0; i < code->graph.edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &code->graph.edges.v[i];
		uint32_t leaves;

		if (edge->to != to || !rarog_feature_is_way(m, code, edge))
			continue;
		leaves = code->blocks.v[edge->from].leaves;
		is_one &= first == RAROG_FEATURE_UNKNOWN || first == leaves;
		first = leaves;
	}
	if (first == RAROG_FEATURE_UNKNOWN) /* padding, or where an exception lands */
		return 0;
	change.from = first;
	if (is_one) {
		add_after(code, block, 0, &change);
		add_behind(m, code, to, &change);
		note_return(m, code, to, &change);
		return add_change(changes, &change);
	}
	for (size_t i = 0; r == 0 && i < code->graph.edges.n; i++)
		if (code->graph.edges.v[i].to == to &&
		    rarog_feature_is_way(m, code, &code->graph.edges.v[i]))
			r = add_edge(m, changes, code, code->graph.edges.v[i].from, to);
	return r;
}

/* Where the function is left nothing stays open. A jump out of it is a call whose return is the
 * function's own: what is called still belongs to the regions, so that return alone ends them. */
static int add_out(struct rarog_feature_changes *changes, const struct rarog_feature_code *code,
		   uint32_t from)
{
	const struct rarog_feature_block *block = &code->blocks.v[from];
	struct rarog_feature_change change = { .from = block->leaves };
	const struct rarog_feature_instruction *last;
	bool is_left = false;

	if (block->n == 0 || change.from == 0)
		return 0;
	last = &code->instructions.v[block->first + block->n - 1];
	for (size_t i = 0; i < code->graph.edges.n; i++)
		is_left |= code->graph.edges.v[i].from == from &&
			   code->graph.edges.v[i].to == RAROG_GRAPH_OUTSIDE;
	if (!is_left && last->flow != RAROG_FLOW_RETURN)
		return 0;
	if (!add_end(code, block, &change))
		return 0;
	change.host = code->graph.blocks.v[0].address;
	if (last->flow != RAROG_FLOW_RETURN)
		change.n = 0;
	return rarog_vec_push(&changes->list, change);
}

int rarog_feature_changes_add(const struct rarog_feature_machine *machine,
			      const struct rarog_feature_code *code,
			      struct rarog_feature_changes *changes)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < code->blocks.n; i++) {
		if (!code->blocks.v[i].is_reached)
			continue;
		r = add_into(machine, changes, code, i);
		if (r == 0)
			r = add_within(changes, code, &code->blocks.v[i]);
		if (r == 0)
			r = add_out(changes, code, i);
	}
	return r < 0 ? rarog_oom() : 0;
}
