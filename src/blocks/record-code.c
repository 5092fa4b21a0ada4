/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The graph comes first, then what follows from it nearly always: which edges have counters, how
 * large blocks are; then places. Everything is described once, for both directions.
 *
 * Blocks stand so that most of them go on to the next, or to the first that none led to yet.
 * Places repeat: a short list has those that were used last. Most functions are small, so odds
 * begin as they were in other programs (record-chances.h).
 */
#include "blocks/record-code.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/record-chances.h"
#include "blocks/record-parts.h"
#include "blocks/record-place.h"

#define WAYS 4 /* 0, 1, 2, or more ways out of a block */

#define AWAITED 64

struct models {
	struct rarog_odds goes_on[WAYS][3], returns, leaves[WAYS][2], is_pad[WAYS];
	struct rarog_number_odds more_ways;
	struct rarog_odds to_next[WAYS][2][2], to_fresh[WAYS][2][2], is_back[WAYS][2];
	struct rarog_odds is_awaited[WAYS][2];
	struct rarog_number_odds ahead[WAYS], back[WAYS], awaited[WAYS];
	struct rarog_odds is_counted[WAYS][2][3], is_blind[2][WAYS], edge_is_counted[WAYS][2][2][2];
	struct rarog_number_odds instructions[WAYS];
	struct rarog_place_models place;
};

struct coder {
	struct rarog_coder *s;
	struct rarog_block_record *record;
	struct models *m;
	uint8_t *n_before;                    /* ways into each block, at most 2 */
	uint32_t awaited[AWAITED], n_awaited; /* ahead, and led to; the last first */
	uint32_t fresh; /* the first block that none led to, after those that were coded */
	size_t edges, lines, frames; /* there is room for so many, when reading */
	uint32_t n_frames;           /* that blocks begin in */
};

/* Room for one more after @n; false and an error if there is none. */
static bool has_room(struct coder *c, void **items, size_t n, size_t *capacity, size_t size)
{
	void *more;

	if (!c->s->is_reading || n < *capacity)
		return true;
	more = reallocarray(*items, 2 * *capacity + 16, size);
	if (!more) {
		c->s->error = -ENOMEM;
		return false;
	}
	*items = more;
	*capacity = 2 * *capacity + 16;
	return true;
}

static unsigned ways_of(const struct rarog_record_block *block)
{
	return block->n_edges < WAYS ? block->n_edges : WAYS - 1;
}

/* --- the graph --- */

static void add_edge(struct coder *c, uint32_t from, uint32_t to, enum rarog_flow_state state)
{
	struct rarog_flow *flow = &c->record->flow;

	if (!c->s->is_reading ||
	    !has_room(c, (void **)&flow->edges, flow->n_edges, &c->edges, sizeof(*flow->edges)))
		return;
	flow->edges[flow->n_edges++] = (struct rarog_flow_edge){ from, to, state, false, 0 };
}

static uint32_t awaited_at(const struct coder *c, uint32_t to)
{
	uint32_t at = 0;

	while (at < c->n_awaited && c->awaited[at] != to)
		at++;
	return at;
}

/* @to is led to from a block before. Those that were passed by do not wait any more. */
static void await(struct coder *c, uint32_t number, uint32_t to)
{
	uint32_t at = awaited_at(c, to), n = 0;

	if (at == AWAITED)
		at--;
	else if (at == c->n_awaited)
		c->n_awaited++;
	memmove(c->awaited + 1, c->awaited, at * sizeof(*c->awaited));
	c->awaited[0] = to;
	for (uint32_t i = 0; i < c->n_awaited; i++)
		if (c->awaited[i] > number)
			c->awaited[n++] = c->awaited[i];
	c->n_awaited = n;
}

static uint32_t code_ahead(struct coder *c, uint32_t number, unsigned n, bool first, uint32_t to)
{
	uint32_t at = awaited_at(c, to);

	if (!rarog_coder_bit(c->s, &c->m->is_awaited[n][first], at < c->n_awaited))
		return number + 2 + rarog_coder_number(c->s, &c->m->ahead[n], to - number - 2);
	at = rarog_coder_number(c->s, &c->m->awaited[n], at);
	if (at < c->n_awaited)
		return c->awaited[at];
	c->s->error = c->s->error ? c->s->error : -EINVAL;
	return number;
}

/* From @number to @to, its way @i. */
static uint32_t code_target(struct coder *c, uint32_t number, uint32_t i, uint32_t to)
{
	const struct rarog_record_block *block = &c->record->blocks[number];
	uint32_t n_blocks = (uint32_t)c->record->flow.n_blocks;
	unsigned n = ways_of(block), first = i > 0;
	bool is_led_to = number + 1 < n_blocks && c->n_before[number + 1] > 0;
	struct models *m = c->m;

	if (rarog_coder_bit(c->s, &m->to_next[n][first][is_led_to], to == number + 1))
		return number + 1;
	while (c->fresh < n_blocks && (c->fresh <= number + 1 || c->n_before[c->fresh] > 0))
		c->fresh++;
	if (rarog_coder_bit(c->s, &m->to_fresh[n][first][is_led_to], to == c->fresh))
		return c->fresh;
	if (rarog_coder_bit(c->s, &m->is_back[n][first], to <= number))
		return number - rarog_coder_number(c->s, &m->back[n], number - to);
	return code_ahead(c, number, n, first, to);
}

static void code_targets(struct coder *c, uint32_t number)
{
	struct rarog_block_record *record = c->record;
	struct rarog_record_block *block = &record->blocks[number];

	for (uint32_t i = 0; i < block->n_edges && c->s->error == 0; i++) {
		uint32_t to = c->s->is_reading
				      ? 0
				      : (record->flow.edges[block->first_edge + i].to - 1) / 2;

		to = code_target(c, number, i, to);
		if (c->s->error == 0 && to >= record->flow.n_blocks)
			c->s->error = -EINVAL;
		if (c->s->error < 0)
			return;
		c->n_before[to] += c->n_before[to] < 2;
		await(c, number, to);
		add_edge(c, RAROG_FLOW_OUT(number), RAROG_FLOW_IN(to), RAROG_FLOW_DERIVED);
	}
}

static bool code_flag(struct coder *c, struct rarog_record_block *block, unsigned flag,
		      struct rarog_odds *odds)
{
	bool is_set = rarog_coder_bit(c->s, odds, block->flags & flag);

	block->flags |= is_set ? flag : 0;
	return is_set;
}

static void code_shape(struct coder *c, uint32_t number)
{
	struct rarog_record_block *blocks = c->record->blocks, *block = &blocks[number];
	unsigned before = number > 0 ? ways_of(block - 1) : 0, n = 0;

	while (n < WAYS - 1 && rarog_coder_bit(c->s, &c->m->goes_on[before][n], block->n_edges > n))
		n++;
	if (n == WAYS - 1)
		n += rarog_coder_number(c->s, &c->m->more_ways, block->n_edges - n);
	block->n_edges = n;
	n = ways_of(block);
	if (n == 0) {
		code_flag(c, block, RAROG_RECORD_RETURNS, &c->m->returns);
		block->flags |= RAROG_RECORD_LEAVES;
	} else {
		code_flag(c, block, RAROG_RECORD_LEAVES,
			  &c->m->leaves[n][number > 0 && block[-1].flags & RAROG_RECORD_LEAVES]);
	}
	code_flag(c, block, RAROG_RECORD_IS_PAD, &c->m->is_pad[n]);
	if (c->s->is_reading)
		block->first_edge = (uint32_t)c->record->flow.n_edges;
	code_targets(c, number);
	if (block->flags & RAROG_RECORD_LEAVES)
		add_edge(c, RAROG_FLOW_OUT(number), RAROG_FLOW_OUTSIDE, RAROG_FLOW_BLIND);
}

/* --- counters --- */

/* What is no better counted than another edge or block is blind. */
static bool is_surely_blind(const struct coder *c, const struct rarog_record_block *block,
			    uint32_t to)
{
	return (block->n_edges == 1 && !(block->flags & RAROG_RECORD_LEAVES)) ||
	       c->n_before[to] == 1 || c->record->blocks[to].flags & RAROG_RECORD_IS_PAD;
}

static void code_states(struct coder *c, uint32_t number)
{
	struct rarog_block_record *record = c->record;
	struct rarog_record_block *block = &record->blocks[number];
	unsigned n = ways_of(block);
	bool leaves = block->flags & RAROG_RECORD_LEAVES, last = false;
	bool is_counted = code_flag(c, block, RAROG_RECORD_IS_COUNTED,
				    &c->m->is_counted[n][leaves][c->n_before[number]]);

	if (c->s->is_reading && is_counted)
		record->flow.edges[number].state = RAROG_FLOW_COUNTED;
	for (uint32_t i = 0; i < block->n_edges; i++) {
		struct rarog_flow_edge *edge = &record->flow.edges[block->first_edge + i];
		bool surely = is_surely_blind(c, block, (edge->to - 1) / 2);
		struct rarog_odds *odds = &c->m->edge_is_counted[n][is_counted][i > 0][last];

		if (rarog_coder_bit(c->s, &c->m->is_blind[surely][n],
				    edge->state == RAROG_FLOW_BLIND)) {
			edge->state = RAROG_FLOW_BLIND;
			continue;
		}
		last = rarog_coder_bit(c->s, odds, edge->state == RAROG_FLOW_COUNTED);
		edge->state = last ? RAROG_FLOW_COUNTED : RAROG_FLOW_DERIVED;
	}
}

/* --- places --- */

static void code_frames(struct coder *c, struct rarog_places *p, struct rarog_record_block *block)
{
	struct rarog_block_record *record = c->record;
	uint32_t n = rarog_place_code_frame(p, block);

	for (uint32_t i = 0; i < n && c->s->error == 0; i++) {
		if (!has_room(c, (void **)&record->frames, p->n_frames, &c->frames,
			      sizeof(*record->frames)))
			return;
		if (c->s->is_reading)
			record->frames[p->n_frames] = (struct rarog_record_frame){ 0 };
		rarog_place_code_new(p, i == 0);
	}
}

static void code_lines(struct coder *c, struct rarog_record_block *block)
{
	struct rarog_block_record *record = c->record;
	struct rarog_place_models *m = &c->m->place;
	uint32_t line = block->line;
	uint32_t n = rarog_coder_number(c->s, &m->n_lines, block->n_lines);

	if (c->s->is_reading)
		block->first_line = record->n_lines;
	block->n_lines = 0;
	for (uint32_t i = 0; i < n && c->s->error == 0; i++) {
		uint32_t *at;

		if (!has_room(c, (void **)&record->lines, block->first_line + i, &c->lines,
			      sizeof(*record->lines)))
			return;
		at = &record->lines[block->first_line + i];
		line = rarog_coder_near(c->s, m->further, &m->is_above, line,
					c->s->is_reading ? 0 : *at);
		*at = line;
		block->n_lines++;
	}
	if (c->s->is_reading)
		record->n_lines += block->n_lines;
}

static void code_places(struct coder *c)
{
	struct rarog_places p = { .s = c->s, .record = c->record, .m = &c->m->place };

	p.own.last.line = c->record->line;
	for (size_t i = 0; i < c->record->flow.n_blocks && c->s->error == 0; i++) {
		struct rarog_record_block *block = &c->record->blocks[i];

		code_frames(c, &p, block);
		rarog_place_code(&p, block);
		code_lines(c, block);
	}
	c->n_frames = p.n_frames;
	if (c->s->is_reading)
		c->record->n_frames = p.n_frames;
}

/* --- the whole --- */

static bool begin(struct coder *c, uint32_t n_blocks)
{
	struct rarog_block_record *record = c->record;

	if (c->s->is_reading) {
		/* a block takes more than five decisions */
		if (n_blocks == 0 || n_blocks > 64 * (size_t)(c->s->end - c->s->at) + 256) {
			c->s->error = c->s->error ? c->s->error : -EINVAL;
			return false;
		}
		record->blocks = calloc(n_blocks, sizeof(*record->blocks));
		record->flow.n_blocks = n_blocks;
	}
	c->n_before = calloc(n_blocks, 1);
	if (!record->blocks || !c->n_before) {
		c->s->error = -ENOMEM;
		return false;
	}
	for (uint32_t i = 0; i < n_blocks && c->s->error == 0; i++)
		add_edge(c, RAROG_FLOW_IN(i), RAROG_FLOW_OUT(i), RAROG_FLOW_DERIVED);
	add_edge(c, RAROG_FLOW_OUTSIDE, RAROG_FLOW_IN(0), RAROG_FLOW_BLIND);
	return c->s->error == 0;
}

static void code_blocks(struct coder *c)
{
	struct rarog_block_record *record = c->record;
	uint32_t n = (uint32_t)record->flow.n_blocks;

	for (uint32_t i = 0; i < n && c->s->error == 0; i++)
		code_shape(c, i);
	for (uint32_t i = 0; i < n && c->s->error == 0; i++)
		code_states(c, i);
	for (uint32_t i = 0; i < n && c->s->error == 0; i++) {
		struct rarog_record_block *block = &record->blocks[i];

		block->instructions = rarog_coder_number(c->s, &c->m->instructions[ways_of(block)],
							 block->instructions);
	}
	code_places(c);
}

/* Numbers that come once: five bits say how many bits there are. */
static uint32_t code_once(struct rarog_coder *s, uint32_t number)
{
	uint64_t plus_one = (uint64_t)number + 1, read = 1;
	unsigned width = 0, n = 0;

	while (plus_one >> (width + 1) != 0)
		width++;
	for (int i = 5; i >= 0; i--)
		n = n << 1 | rarog_coder_even(s, width >> i & 1);
	for (unsigned i = n < 32 ? n : 32; i-- > 0;)
		read = read << 1 | rarog_coder_even(s, plus_one >> i & 1);
	return (uint32_t)(read - 1);
}

static uint32_t n_counters(const struct rarog_block_record *record)
{
	const struct rarog_flow *flow = &record->flow;
	size_t n = record->placement == RAROG_BLOCKS_BOTH ? flow->n_blocks : 0;

	for (size_t i = 0; i < flow->n_edges; i++)
		n += flow->edges[i].state == RAROG_FLOW_COUNTED;
	return (uint32_t)n;
}

#ifndef RAROG_RECORD_CHANCES_ANEW
static_assert(sizeof(struct models) / sizeof(struct rarog_odds) == CHANCES_OF,
	      "tests/tools/record-chances.c has to be run");
#endif

static struct models *new_models(void)
{
	struct models *m = calloc(1, sizeof(*m));
	struct rarog_odds *odds = (struct rarog_odds *)m;

	for (size_t i = 0; m && i < sizeof(chances) / sizeof(*chances); i++)
		rarog_coder_expect(&odds[chances[i].odds], chances[i].of_one);
	return m;
}

void rarog_record_code(struct rarog_coder *s, struct rarog_block_record *record)
{
	struct coder c = { .s = s, .record = record, .m = new_models() };
	uint32_t n_blocks;

	if (!c.m)
		s->error = -ENOMEM;
	record->name_text = code_once(s, record->name_text);
	record->file_text = code_once(s, record->file_text);
	record->line = code_once(s, record->line);
	n_blocks = code_once(s, (uint32_t)record->flow.n_blocks);
	if (s->error == 0 && begin(&c, n_blocks))
		code_blocks(&c);
	if (s->error == 0)
		rarog_record_code_parts(s, record, c.n_frames);
	if (s->error == 0 && s->is_reading)
		record->n_counters = n_counters(record);
	free(c.n_before);
	free(c.m);
}
