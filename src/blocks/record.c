/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section comes from a file that may be anything: each number is checked before it is used. */
#include "blocks/record-probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "profile/bytes.h"

/* A number of at most @limit. */
static uint32_t read_up_to(struct rarog_byte_cursor *c, uint64_t limit)
{
	uint64_t value = rarog_get_varint(c);

	if (value <= limit && value <= UINT32_MAX)
		return (uint32_t)value;
	c->bad = true;
	return 0;
}

static char *read_text(struct rarog_byte_cursor *c)
{
	uint32_t size = read_up_to(c, (uint64_t)(c->end - c->at));
	const uint8_t *text = rarog_get_bytes(c, size);

	return strndup(text ? (const char *)text : "", text ? size : 0);
}

/* --- the flow --- */

/* Edges of @record while their number is not known. */
struct builder {
	struct rarog_record *record;
	size_t capacity, line_capacity;
	uint32_t line;
	size_t n_counted;
};

static int add_edge(struct builder *b, uint32_t from, uint32_t to, enum rarog_flow_state state)
{
	struct rarog_flow *flow = &b->record->flow;

	if (flow->n_edges == b->capacity) {
		size_t capacity = 2 * b->capacity + 8;
		struct rarog_flow_edge *edges = reallocarray(flow->edges, capacity, sizeof(*edges));

		if (!edges)
			return rarog_oom();
		flow->edges = edges;
		b->capacity = capacity;
	}
	flow->edges[flow->n_edges++] =
		(struct rarog_flow_edge){ .from = from, .to = to, .state = state };
	b->n_counted += state == RAROG_FLOW_COUNTED;
	return 0;
}

static int add_line(struct builder *b, uint32_t line)
{
	struct rarog_record *record = b->record;

	if (record->n_lines == b->line_capacity) {
		size_t capacity = 2 * b->line_capacity + 16;
		uint32_t *lines = reallocarray(record->lines, capacity, sizeof(*lines));

		if (!lines)
			return rarog_oom();
		record->lines = lines;
		b->line_capacity = capacity;
	}
	record->lines[record->n_lines++] = line;
	return 0;
}

/* They begin at the block's first. */
static int read_lines(struct rarog_byte_cursor *c, struct builder *b,
		      struct rarog_record_block *block)
{
	uint32_t line = block->line;
	int r = 0;

	block->first_line = b->record->n_lines;
	block->n_lines = read_up_to(c, (uint64_t)(c->end - c->at));
	for (uint32_t i = 0; r == 0 && !c->bad && i < block->n_lines; i++) {
		uint64_t difference = rarog_get_varint(c);

		line += (uint32_t)rarog_unzigzag(difference);
		r = add_line(b, line);
	}
	return r;
}

static const enum rarog_flow_state states[] = { RAROG_FLOW_DERIVED, RAROG_FLOW_COUNTED,
						RAROG_FLOW_BLIND };

static int read_successors(struct rarog_byte_cursor *c, struct builder *b, uint32_t number)
{
	struct rarog_record *record = b->record;
	struct rarog_record_block *block = &record->blocks[number];
	int r = 0;

	block->first_edge = (uint32_t)record->flow.n_edges;
	block->n_edges = read_up_to(c, (uint64_t)(c->end - c->at));
	for (uint32_t i = 0; r == 0 && !c->bad && i < block->n_edges; i++) {
		uint32_t value = read_up_to(c, 4 * (record->flow.n_blocks - 1) + 2);

		if (value % 4 > 2)
			c->bad = true;
		else
			r = add_edge(b, RAROG_FLOW_OUT(number), RAROG_FLOW_IN(value / 4),
				     states[value % 4]);
	}
	return r;
}

#define ALL_FLAGS                                                                                  \
	(RAROG_RECORD_IS_COUNTED | RAROG_RECORD_LEAVES | RAROG_RECORD_RETURNS | RAROG_RECORD_IS_PAD)

static int read_block(struct rarog_byte_cursor *c, struct builder *b, uint32_t number)
{
	struct rarog_record_block *block = &b->record->blocks[number];
	enum rarog_flow_state *state = &b->record->flow.edges[number].state;
	uint32_t flags = read_up_to(c, ALL_FLAGS);
	uint64_t difference;
	int r;

	*state = flags & RAROG_RECORD_IS_COUNTED ? RAROG_FLOW_COUNTED : RAROG_FLOW_DERIVED;
	b->n_counted += *state == RAROG_FLOW_COUNTED;
	block->flags = flags;
	block->instructions = read_up_to(c, UINT32_MAX);
	difference = rarog_get_varint(c);
	b->line += (uint32_t)rarog_unzigzag(difference);
	block->line = b->line;
	block->column = read_up_to(c, UINT32_MAX);
	r = read_lines(c, b, block);
	if (r == 0 && !c->bad)
		r = read_successors(c, b, number);
	if (r == 0 && !c->bad && flags & RAROG_RECORD_LEAVES)
		r = add_edge(b, RAROG_FLOW_OUT(number), RAROG_FLOW_OUTSIDE, RAROG_FLOW_BLIND);
	return r;
}

static int read_blocks(struct rarog_byte_cursor *c, struct rarog_record *record)
{
	/* a block has at least six bytes */
	uint32_t n = read_up_to(c, (uint64_t)(c->end - c->at) / 6);
	struct builder b = { .record = record, .line = record->line };
	int r = 0;

	if (c->bad || n == 0) {
		c->bad = true;
		return 0;
	}
	record->blocks = calloc(n, sizeof(*record->blocks));
	if (!record->blocks)
		return rarog_oom();
	record->flow.n_blocks = n;
	for (uint32_t i = 0; r == 0 && i < n; i++)
		r = add_edge(&b, RAROG_FLOW_IN(i), RAROG_FLOW_OUT(i), RAROG_FLOW_DERIVED);
	if (r == 0)
		r = add_edge(&b, RAROG_FLOW_OUTSIDE, RAROG_FLOW_IN(0), RAROG_FLOW_BLIND);
	for (uint32_t i = 0; r == 0 && !c->bad && i < n; i++)
		r = read_block(c, &b, i);
	if (record->placement == RAROG_BLOCKS_BOTH)
		b.n_counted += n;
	if (b.n_counted != record->n_counters)
		c->bad = true;
	return r;
}

static int read_body(struct rarog_byte_cursor *c, struct rarog_record *record)
{
	record->name = read_text(c);
	record->file = read_text(c);
	if (!record->name || !record->file)
		return rarog_oom();
	record->line = read_up_to(c, UINT32_MAX);
	record->n_counters = read_up_to(c, UINT32_MAX);
	return read_blocks(c, record);
}

/* --- the head --- */

static int check_head(const unsigned char *bytes, size_t size)
{
	uint32_t own;

	if (size < RAROG_RECORD_HEAD)
		return rarog_fail(-EINVAL, "a record of blocks is cut off");
	own = rarog_load_u32(bytes);
	if (own < RAROG_RECORD_HEAD || own > size)
		return rarog_fail(-EINVAL, "a record of blocks claims %u of %zu bytes", own, size);
	if (bytes[8] != RAROG_BLOCKS_VERSION)
		return rarog_fail(-ENOTSUP,
				  "compiled by a rarog whose records are of version %u, this one "
				  "reads %u; compile again",
				  bytes[8], RAROG_BLOCKS_VERSION);
	if (bytes[9] >= RAROG_BLOCKS_N_PLACEMENTS || bytes[10] >= RAROG_BLOCKS_N_THREADS ||
	    bytes[11] > (RAROG_RECORD_IS_ABSOLUTE | RAROG_RECORD_HAS_TRIPS))
		return rarog_fail(-EINVAL, "a record of blocks has unknown settings");
	return 0;
}

/* @address: of the record. Leaves @c at the body. */
static void read_head(struct rarog_byte_cursor *c, uint64_t address, struct rarog_record *record)
{
	const uint8_t *head = rarog_get_bytes(c, RAROG_RECORD_HEAD);
	const uint8_t *absolute;

	if (!head)
		return;
	record->placement = head[9];
	record->threads = head[10];
	record->counters = address + 4 + (uint64_t)(int64_t)(int32_t)rarog_load_u32(head + 4);
	if (!(head[11] & RAROG_RECORD_IS_ABSOLUTE))
		return;
	absolute = rarog_get_bytes(c, sizeof(uint64_t));
	record->counters = absolute ? rarog_load_u64(absolute) : 0;
}

long rarog_record_read(const unsigned char *bytes, size_t size, uint64_t address,
		       struct rarog_record *ret_record)
{
	struct rarog_record record = { 0 };
	struct rarog_byte_cursor c;
	uint32_t own;
	int r = check_head(bytes, size);

	if (r < 0)
		return r;
	own = rarog_load_u32(bytes);
	c = (struct rarog_byte_cursor){ .at = bytes, .end = bytes + own };
	read_head(&c, address, &record);
	r = read_body(&c, &record);
	if (r == 0 && !c.bad && bytes[11] & RAROG_RECORD_HAS_TRIPS)
		r = rarog_record_read_loops(&c, &record);
	if (r == 0 && (c.bad || c.at != c.end))
		r = rarog_fail(-EINVAL, "a record of blocks is damaged");
	if (r < 0) {
		rarog_record_release(&record);
		return r;
	}
	*ret_record = record;
	return (long)own;
}

void rarog_record_release(struct rarog_record *record)
{
	free(record->name);
	free(record->file);
	free(record->flow.edges);
	free(record->blocks);
	free(record->lines);
	free(record->loops);
	*record = (struct rarog_record){ 0 };
}
