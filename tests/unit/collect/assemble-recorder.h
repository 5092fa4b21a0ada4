/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests of the assembler: a sink that remembers, words to feed, and both around an assembler.
 */
#ifndef RAROG_TESTS_ASSEMBLE_RECORDER_H
#define RAROG_TESTS_ASSEMBLE_RECORDER_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/abi.h"
#include "base/error.h"
#include "base/vec.h"
#include "events/assemble.h"

#define FUNCTIONS 12

struct block {
	struct rarog_calls calls;
};

struct recorder {
	RAROG_VEC(struct block) blocks;
	RAROG_VEC(struct rarog_node) nodes;
	RAROG_VEC(struct rarog_summary) summaries;
	RAROG_VEC(struct rarog_loss) losses;
	RAROG_VEC(struct rarog_off_cpu) off_cpu;
	RAROG_VEC(struct rarog_node_off_cpu) nodes_off_cpu;
	size_t n_ops, fail_after;
};

static inline void *copy(const void *from, size_t size)
{
	void *to = malloc(size + 1);

	assert_non_null(to);
	if (size)
		memcpy(to, from, size);
	return to;
}

static inline int record_calls(void *context, const struct rarog_calls *calls)
{
	struct recorder *rec = context;
	struct block block = { *calls };

	if (rec->fail_after && rec->n_ops >= rec->fail_after)
		return rarog_fail(-EIO, "the sink is full");
	block.calls.open = copy(calls->open, calls->n_open * sizeof(*calls->open));
	block.calls.op = copy(calls->op, calls->n * sizeof(*calls->op));
	block.calls.delta = copy(calls->delta, calls->n * sizeof(*calls->delta));
	rec->n_ops += calls->n;
	assert_true(calls->n > 0);
	return rarog_vec_push(&rec->blocks, block);
}

static inline int record_nodes(void *context, size_t n, const struct rarog_node *v)
{
	struct recorder *rec = context;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_vec_push(&rec->nodes, v[i]), 0);
	return 0;
}

static inline int record_summaries(void *context, size_t n, const struct rarog_summary *v)
{
	struct recorder *rec = context;

	for (size_t i = 0; i < n; i++) {
		struct rarog_summary row = v[i];

		row.buckets = copy(v[i].buckets, v[i].n_buckets * sizeof(*v[i].buckets));
		assert_int_equal(rarog_vec_push(&rec->summaries, row), 0);
	}
	return 0;
}

static inline int record_losses(void *context, size_t n, const struct rarog_loss *v)
{
	struct recorder *rec = context;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_vec_push(&rec->losses, v[i]), 0);
	return 0;
}

static inline int record_off_cpu(void *context, size_t n, const struct rarog_off_cpu *v)
{
	struct recorder *rec = context;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_vec_push(&rec->off_cpu, v[i]), 0);
	return 0;
}

static inline int record_nodes_off_cpu(void *context, size_t n, const struct rarog_node_off_cpu *v)
{
	struct recorder *rec = context;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_vec_push(&rec->nodes_off_cpu, v[i]), 0);
	return 0;
}

static inline void drop(const void *memory)
{
	free((void *)(uintptr_t)memory);
}

static inline void recorder_clear(struct recorder *rec)
{
	for (size_t i = 0; i < rec->blocks.n; i++) {
		drop(rec->blocks.v[i].calls.open);
		drop(rec->blocks.v[i].calls.op);
		drop(rec->blocks.v[i].calls.delta);
	}
	for (size_t i = 0; i < rec->summaries.n; i++)
		drop(rec->summaries.v[i].buckets);
	rec->blocks.n = rec->nodes.n = rec->summaries.n = rec->losses.n = rec->n_ops = 0;
	rec->off_cpu.n = rec->nodes_off_cpu.n = 0;
}

static inline void recorder_release(struct recorder *rec)
{
	recorder_clear(rec);
	rarog_vec_release(&rec->blocks);
	rarog_vec_release(&rec->nodes);
	rarog_vec_release(&rec->summaries);
	rarog_vec_release(&rec->losses);
	rarog_vec_release(&rec->off_cpu);
	rarog_vec_release(&rec->nodes_off_cpu);
}

static inline struct rarog_assembler_sink recorder_sink(struct recorder *rec)
{
	return (struct rarog_assembler_sink){
		rec,           record_calls,   record_nodes,         record_summaries,
		record_losses, record_off_cpu, record_nodes_off_cpu,
	};
}

static inline uint64_t loss(const struct recorder *rec, const char *what)
{
	for (size_t i = 0; i < rec->losses.n; i++)
		if (strcmp(rec->losses.v[i].what, what) == 0)
			return rec->losses.v[i].count;
	return 0;
}

/* ---- writing words ---- */

struct words {
	RAROG_VEC(uint16_t) w;
};

static inline void word(struct words *s, uint64_t value)
{
	assert_int_equal(rarog_vec_push(&s->w, (uint16_t)value), 0);
}

static inline void payload(struct words *s, int n, uint64_t value)
{
	for (int i = 0; i < n; i++)
		word(s, value >> (16 * i));
}

static inline void escape(struct words *s, uint16_t kind, int n, uint64_t value)
{
	word(s, RAROG_WORD_ESCAPE);
	word(s, kind);
	payload(s, n, value);
}

static inline void entry(struct words *s, uint32_t id, uint16_t delta, bool is_wide)
{
	word(s, RAROG_WORD_ENTRY | delta);
	if (is_wide || id >= RAROG_ID_WIDE) {
		word(s, RAROG_ID_WIDE);
		payload(s, 2, id);
	} else {
		word(s, id);
	}
}

static inline void leave(struct words *s, uint16_t delta)
{
	word(s, delta);
}

static const uint32_t identity[FUNCTIONS] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

struct fixture {
	struct rarog_assembler *assembler;
	struct recorder rec;
	struct words words;
	struct rarog_assembler_totals totals;
};

static inline void begin_with(struct fixture *f, struct rarog_assembler_options options)
{
	*f = (struct fixture){ 0 };
	options.sink = recorder_sink(&f->rec);
	assert_int_equal(rarog_assembler_new(&options, &f->assembler), 0);
	assert_int_equal(rarog_assembler_strand(f->assembler, 0, FUNCTIONS, identity, true), 0);
	escape(&f->words, RAROG_ESCAPE_START, 4, 1000);
}

static inline void begin(struct fixture *f)
{
	begin_with(f, (struct rarog_assembler_options){ 0 });
}

static inline void finish(struct fixture *f, uint64_t end_ticks)
{
	assert_int_equal(rarog_assembler_feed(f->assembler, 0, f->words.w.n, f->words.w.v), 0);
	assert_int_equal(rarog_assembler_finish(f->assembler, end_ticks, &f->totals), 0);
}

static inline void done(struct fixture *f)
{
	rarog_assembler_free(f->assembler);
	recorder_release(&f->rec);
	rarog_vec_release(&f->words.w);
}

static inline const struct rarog_summary *summary(const struct fixture *f, uint32_t location,
						  uint32_t strand)
{
	for (size_t i = 0; i < f->rec.summaries.n; i++)
		if (f->rec.summaries.v[i].location == location &&
		    f->rec.summaries.v[i].strand == strand)
			return &f->rec.summaries.v[i];
	fail_msg("no summary of location %u, strand %u", location, strand);
	return NULL;
}

#endif
