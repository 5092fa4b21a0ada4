/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and records come back as they were written; damaged bytes are refused or mean something.
 */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "blocks/record-code.h"
#include "blocks/record-texts.h"

static const uint32_t numbers[] = { 0, 1, 2, 7, 255, 256, 65535, 1u << 31, UINT32_MAX };

static void code_numbers(struct rarog_coder *s)
{
	struct rarog_number_odds odds = { 0 }, near[2] = { 0 };
	struct rarog_odds is_below = { 0 };

	for (size_t i = 0; i < RAROG_COUNT(numbers); i++) {
		uint32_t from = numbers[(i * 4) % RAROG_COUNT(numbers)];

		assert_int_equal(rarog_coder_number(s, &odds, s->is_reading ? 0 : numbers[i]),
				 numbers[i]);
		assert_int_equal(
			rarog_coder_near(s, near, &is_below, from, s->is_reading ? 0 : numbers[i]),
			numbers[i]);
	}
}

TEST(numbers_of_all_sizes)
{
	struct rarog_coder out, in;

	rarog_coder_write(&out);
	code_numbers(&out);
	assert_int_equal(rarog_coder_finish(&out), 0);
	rarog_coder_read(&in, out.bytes, out.n);
	code_numbers(&in);
	assert_int_equal(rarog_coder_finish(&in), 0);
	free(out.bytes);
}

/* --- records --- */

enum { MAX_BLOCKS = 40, MAX_EDGES = MAX_BLOCKS * 6 + 1, MAX_LINES = 4 * MAX_BLOCKS };

struct made {
	struct rarog_block_record record;
	struct rarog_flow_edge edges[MAX_EDGES];
	struct rarog_record_block blocks[MAX_BLOCKS];
	struct rarog_record_frame frames[3 * MAX_BLOCKS + 2];
	struct rarog_record_part parts[3 * MAX_BLOCKS];
	uint32_t lines[MAX_LINES];
	uint64_t seed;
};

static uint32_t pick(struct made *m, uint32_t n)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(m->seed >> 33) % n;
}

static void add_edge(struct made *m, uint32_t from, uint32_t to, enum rarog_flow_state state)
{
	m->edges[m->record.flow.n_edges++] = (struct rarog_flow_edge){ from, to, state, false, 0 };
}

static void add_ways(struct made *m, uint32_t number, uint32_t n_blocks)
{
	static const enum rarog_flow_state states[] = { RAROG_FLOW_DERIVED, RAROG_FLOW_COUNTED,
							RAROG_FLOW_BLIND };
	struct rarog_record_block *block = &m->blocks[number];
	uint32_t first = pick(m, n_blocks);

	block->first_edge = (uint32_t)m->record.flow.n_edges;
	block->n_edges = pick(m, n_blocks < 5 ? n_blocks : 5);
	for (uint32_t i = 0; i < block->n_edges; i++)
		add_edge(m, RAROG_FLOW_OUT(number), RAROG_FLOW_IN((first + i) % n_blocks),
			 states[pick(m, 3)]);
	block->flags |= block->n_edges == 0 ? (pick(m, 2) ? RAROG_RECORD_RETURNS : 0) : 0;
	if (block->n_edges > 0 && pick(m, 4) > 0)
		return;
	block->flags |= RAROG_RECORD_LEAVES;
	add_edge(m, RAROG_FLOW_OUT(number), RAROG_FLOW_OUTSIDE, RAROG_FLOW_BLIND);
}

/* New frames, each inside the one before. */
static void add_frames(struct made *m, uint32_t n)
{
	struct rarog_block_record *record = &m->record;
	uint32_t parent =
		record->n_frames > 0 && pick(m, 2) ? pick(m, record->n_frames) : RAROG_RECORD_NONE;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = record->n_frames++;

		m->frames[number] = (struct rarog_record_frame){
			parent,
			pick(m, 9),
			pick(m, 2),
			pick(m, 3000),
			pick(m, 80),
			parent == RAROG_RECORD_NONE ? number : m->frames[parent].outermost
		};
		parent = number;
	}
}

static void add_place(struct made *m, struct rarog_record_block *block)
{
	struct rarog_block_record *record = &m->record;
	uint32_t which = pick(m, 3);

	block->frame = RAROG_RECORD_NONE;
	block->line = pick(m, 4) * 1000;
	block->column = pick(m, 20);
	if (which == 1)
		add_frames(m, 1 + pick(m, 3));
	if (which > 0 && record->n_frames > 0) {
		block->frame = which == 1 ? record->n_frames - 1 : pick(m, record->n_frames);
		block->line = m->frames[m->frames[block->frame].outermost].line;
		block->column = m->frames[m->frames[block->frame].outermost].column;
		block->inner_line = pick(m, 5000);
		block->inner_column = pick(m, 3);
	}
	block->first_line = record->n_lines;
	block->n_lines = pick(m, 4);
	for (uint32_t i = 0; i < block->n_lines; i++)
		m->lines[record->n_lines++] = pick(m, 5000);
}

static void add_parts(struct made *m, struct rarog_record_block *block)
{
	struct rarog_block_record *record = &m->record;

	block->flags |= pick(m, 3) ? 0 : RAROG_RECORD_STOPS;
	block->first_part = record->n_parts;
	block->n_parts = pick(m, 2) ? pick(m, 4) : 0;
	for (uint32_t i = 0; i < block->n_parts; i++) {
		uint32_t frame = record->n_frames > 0 && pick(m, 4) ? pick(m, record->n_frames)
								    : RAROG_RECORD_NONE;

		m->parts[record->n_parts++] =
			(struct rarog_record_part){ frame,
						    frame != RAROG_RECORD_NONE && pick(m, 3)
							    ? m->frames[frame].file
							    : pick(m, 5),
						    pick(m, 5000), pick(m, 4) };
	}
}

static void make(struct made *m, uint64_t seed)
{
	uint32_t n;

	memset(m, 0, sizeof(*m));
	m->seed = seed;
	n = 1 + pick(m, MAX_BLOCKS);
	m->record = (struct rarog_block_record){
		.name_text = pick(m, 3000),
		.line = pick(m, 100000),
		.flow = { n, 0, m->edges },
		.blocks = m->blocks,
		.frames = m->frames,
		.lines = m->lines,
		.parts = m->parts,
	};
	for (uint32_t i = 0; i < n; i++) {
		m->blocks[i].flags = pick(m, 2) | (pick(m, 9) ? 0 : RAROG_RECORD_IS_PAD);
		add_edge(m, RAROG_FLOW_IN(i), RAROG_FLOW_OUT(i),
			 m->blocks[i].flags & RAROG_RECORD_IS_COUNTED ? RAROG_FLOW_COUNTED
								      : RAROG_FLOW_DERIVED);
	}
	add_edge(m, RAROG_FLOW_OUTSIDE, RAROG_FLOW_IN(0), RAROG_FLOW_BLIND);
	for (uint32_t i = 0; i < n; i++) {
		add_ways(m, i, n);
		m->blocks[i].instructions = pick(m, 300);
		add_place(m, &m->blocks[i]);
	}
	add_frames(m, pick(m, 3)); /* in which no block begins */
	for (uint32_t i = 0; i < m->record.n_frames; i++)
		m->frames[i].begins = 7 * m->frames[i].name + 3 * m->frames[i].file;
	for (uint32_t i = 0; i < n; i++)
		add_parts(m, &m->blocks[i]);
}

static void write_record(struct made *m, struct rarog_coder *s)
{
	rarog_coder_write(s);
	rarog_record_code(s, &m->record);
	assert_int_equal(rarog_coder_finish(s), 0);
}

static void compare(const struct rarog_block_record *a, const struct rarog_block_record *b)
{
	assert_int_equal(a->name_text, b->name_text);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->flow.n_blocks, b->flow.n_blocks);
	assert_int_equal(a->flow.n_edges, b->flow.n_edges);
	assert_int_equal(a->n_lines, b->n_lines);
	assert_int_equal(a->n_frames, b->n_frames);
	for (size_t i = 0; i < a->flow.n_edges; i++) {
		assert_int_equal(a->flow.edges[i].from, b->flow.edges[i].from);
		assert_int_equal(a->flow.edges[i].to, b->flow.edges[i].to);
		assert_int_equal(a->flow.edges[i].state, b->flow.edges[i].state);
	}
	assert_memory_equal(a->blocks, b->blocks, a->flow.n_blocks * sizeof(*a->blocks));
	if (a->n_lines > 0)
		assert_memory_equal(a->lines, b->lines, a->n_lines * sizeof(*a->lines));
	if (a->n_frames > 0)
		assert_memory_equal(a->frames, b->frames, a->n_frames * sizeof(*a->frames));
	assert_int_equal(a->n_parts, b->n_parts);
	if (a->n_parts > 0)
		assert_memory_equal(a->parts, b->parts, a->n_parts * sizeof(*a->parts));
}

TEST(records_come_back)
{
	static struct made m;

	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct rarog_block_record read = { 0 };
		struct rarog_coder out, in;

		make(&m, seed);
		write_record(&m, &out);
		rarog_coder_read(&in, out.bytes, out.n);
		rarog_record_code(&in, &read);
		assert_int_equal(rarog_coder_finish(&in), 0);
		compare(&m.record, &read);
		rarog_record_release(&read);
		free(out.bytes);
	}
}

/* What else than a crash comes of it is not said. */
TEST(damaged_records_are_read_to_an_end)
{
	static struct made m;

	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct rarog_block_record read = { 0 };
		struct rarog_coder out, in;

		make(&m, seed);
		write_record(&m, &out);
		out.bytes[pick(&m, (uint32_t)out.n)] ^= (uint8_t)(1 << pick(&m, 8));
		rarog_coder_read(&in, out.bytes, pick(&m, 2) ? out.n : pick(&m, (uint32_t)out.n));
		rarog_record_code(&in, &read);
		if (rarog_coder_finish(&in) == 0)
			for (size_t i = 0; i < read.flow.n_edges; i++)
				assert_true(read.flow.edges[i].to <= 2 * read.flow.n_blocks);
		rarog_record_release(&read);
		free(out.bytes);
	}
}

/* --- texts --- */

TEST(texts_come_back)
{
	char names[][16] = { "", "main", "main.c", "_ZN1a1bEv", "_ZN1a1bEvi", "\xff\x01", "_ZN1a" };
	char *pointers[RAROG_COUNT(names)];
	struct rarog_texts written = { pointers, RAROG_COUNT(names), RAROG_COUNT(names), 0 };
	struct rarog_texts *read = calloc(1, sizeof(*read));
	struct rarog_coder out, in;

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		pointers[i] = names[i];
	rarog_coder_write(&out);
	rarog_texts_code(&out, &written);
	assert_int_equal(rarog_coder_finish(&out), 0);
	rarog_coder_read(&in, out.bytes, out.n);
	rarog_texts_code(&in, read);
	assert_int_equal(rarog_coder_finish(&in), 0);
	assert_int_equal(read->n, RAROG_COUNT(names));
	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		assert_string_equal(read->v[i], names[i]);
	rarog_texts_free(read);
	free(out.bytes);
}

/* Each number costs little more than -log2 of how often it comes: 1 of 64 for what always comes. */
TEST(what_always_comes_is_nearly_free)
{
	struct rarog_odds odds = { 0 };
	struct rarog_coder s;

	rarog_coder_write(&s);
	for (int i = 0; i < 80000; i++)
		rarog_coder_bit(&s, &odds, true);
	assert_int_equal(rarog_coder_finish(&s), 0);
	assert_in_range(s.n, 80000 * 0.022 / 8, 80000 * 0.024 / 8);
	free(s.bytes);
}
