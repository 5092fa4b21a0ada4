/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random profiles for tests, kept beside as plain arrays: the truth that a reader is compared with.
 */
#ifndef RAROG_TESTS_PROFILE_RANDOM_H
#define RAROG_TESTS_PROFILE_RANDOM_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/vec.h"
#include "profile/reader.h"
#include "profile/writer.h"

static uint64_t random_state = 88172645463325252;

static inline uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64_C(2685821657736338717);
}

static inline uint64_t random_below(uint64_t limit)
{
	return random_u64() % limit;
}

/* Mostly small, sometimes any number of bits. */
static inline uint64_t random_amount(void)
{
	if (random_below(8) > 0)
		return random_below(200) * 2;
	return random_u64() >> random_below(64);
}

struct strand_calls {
	RAROG_VEC(uint32_t) op;
	RAROG_VEC(uint64_t) delta;
	RAROG_VEC(uint32_t) stack;
	uint64_t start_ticks, now;
};

struct truth {
	size_t n_locations, n_strands, n_nodes, n_summaries;
	struct rarog_location *locations;
	struct rarog_strand *strands;
	struct strand_calls *calls;
	struct rarog_node *nodes;
	struct rarog_summary *summaries;
	struct rarog_histogram_bucket *buckets;
	char (*names)[24];
};

static inline void truth_release(struct truth *t)
{
	for (size_t i = 0; i < t->n_strands; i++) {
		rarog_vec_release(&t->calls[i].op);
		rarog_vec_release(&t->calls[i].delta);
		rarog_vec_release(&t->calls[i].stack);
	}
	free(t->locations);
	free(t->strands);
	free(t->calls);
	free(t->nodes);
	free(t->summaries);
	free(t->buckets);
	free(t->names);
}

static inline void truth_locations(struct truth *t, size_t n)
{
	t->n_locations = n;
	t->locations = calloc(n, sizeof(*t->locations));
	t->names = calloc(n, sizeof(*t->names));
	for (size_t i = 0; i < n; i++) {
		snprintf(t->names[i], sizeof(t->names[i]), "function_%zu", i);
		t->locations[i] = (struct rarog_location){
			.binary = random_below(8) ? 0 : RAROG_NONE,
			.address = random_u64() >> 20,
			.size = random_amount(),
			.name = t->names[i],
			.demangled = random_below(3) ? NULL : t->names[random_below(i + 1)],
			.file = random_below(3) ? "a/file.c" : NULL,
			.line = (uint32_t)random_below(9999),
		};
	}
}

static inline void truth_nodes(struct truth *t, size_t n)
{
	t->n_nodes = n;
	t->nodes = calloc(n + 1, sizeof(*t->nodes));
	for (size_t i = 0; i < n; i++)
		t->nodes[i] = (struct rarog_node){
			.parent = i ? (uint32_t)random_below(i) : RAROG_NONE,
			.location = i && t->n_locations ? (uint32_t)random_below(t->n_locations)
							: RAROG_NONE,
			.count = random_amount(),
			.inclusive = random_amount(),
			.exclusive = random_u64() >> random_below(64),
		};
}

static inline void truth_summaries(struct truth *t, size_t n)
{
	const size_t most = 40;

	t->n_summaries = n;
	t->summaries = calloc(n + 1, sizeof(*t->summaries));
	t->buckets = calloc(n * most + 1, sizeof(*t->buckets));
	for (size_t i = 0; i < n; i++) {
		uint64_t words[12];
		struct rarog_histogram_bucket *buckets = t->buckets + i * most;
		uint32_t bucket = 0, n_buckets = 0;

		for (size_t k = 0; k < 12; k++)
			words[k] = random_amount();
		while (n_buckets < most) {
			bucket += (uint32_t)random_below(200) + (n_buckets > 0);
			if (bucket >= RAROG_HISTOGRAM_BUCKETS)
				break;
			buckets[n_buckets++] =
				(struct rarog_histogram_bucket){ bucket, random_amount() };
		}
		t->summaries[i] = (struct rarog_summary){
			.location = (uint32_t)random_below(t->n_locations),
			.strand = RAROG_NONE,
			.count = words[0],
			.timed = words[1],
			.sum = words[2],
			.total = words[3],
			.exclusive = words[4],
			.min = words[5],
			.max = words[6],
			.square_low = words[7],
			.square_high = words[8],
			.open = words[9],
			.unwound = words[10],
			.n_buckets = n_buckets,
			.buckets = buckets,
		};
	}
}

static inline void truth_strands(struct truth *t, size_t n)
{
	t->n_strands = n;
	t->strands = calloc(n + 1, sizeof(*t->strands));
	t->calls = calloc(n + 1, sizeof(*t->calls));
	for (size_t i = 0; i < n; i++) {
		t->strands[i] = (struct rarog_strand){ 0, (uint32_t)(1000 + i), i * 7, UINT64_MAX };
		t->calls[i].start_ticks = t->calls[i].now = random_u64() >> 8;
	}
}

/* One more event of the strand, of any kind; kept and applied to its stack. */
static inline void strand_event(struct strand_calls *s, size_t n_locations)
{
	unsigned kind = (unsigned)random_below(100);
	uint32_t op = kind < 45 && s->stack.n
			      ? RAROG_OP_RETURN
			      : RAROG_OP_ENTRY + (uint32_t)random_below(n_locations);
	uint64_t delta = random_below(500) ? random_below(90) * 2 : random_amount();

	if (kind >= 98)
		op = (uint32_t)random_below(5);
	assert_int_equal(rarog_vec_push(&s->op, op), 0);
	assert_int_equal(rarog_vec_push(&s->delta, delta), 0);
	if (op >= RAROG_OP_ENTRY)
		assert_int_equal(rarog_vec_push(&s->stack, op - RAROG_OP_ENTRY), 0);
	else if (op <= RAROG_OP_CLOSED && s->stack.n)
		s->stack.n--;
	if (op != RAROG_OP_WAIT && op != RAROG_OP_LOST)
		s->now += delta;
}

/* Give the next @n events of a strand to the writer, as a piece of their own. */
static inline void write_piece(struct rarog_profile_writer *w, struct truth *t, uint32_t strand,
			       size_t n)
{
	struct strand_calls *s = &t->calls[strand];
	size_t from = s->op.n, n_open = s->stack.n;
	uint64_t start = s->now;
	uint32_t *open = calloc(n_open + 1, sizeof(*open));

	if (n == 0) {
		free(open);
		return;
	}
	if (n_open)
		memcpy(open, s->stack.v, n_open * sizeof(*open));
	for (size_t i = 0; i < n; i++)
		strand_event(s, t->n_locations);
	assert_int_equal(rarog_profile_add_calls(w,
						 &(struct rarog_calls){
							 .strand = strand,
							 .start_ticks = start,
							 .n_open = n_open,
							 .open = open,
							 .n = n,
							 .op = s->op.v + from,
							 .delta = s->delta.v + from,
						 }),
			 0);
	free(open);
}

static inline void write_tables(struct rarog_profile_writer *w, const struct truth *t)
{
	const struct rarog_profile_binary binary = { "/bin/prog", "0123abcd", 0x5000 };
	const struct rarog_process process = { 42, RAROG_NONE, 1, 99, -1, "prog --x" };
	const struct rarog_clock clock = { 2300000000, 12345, 67890, true };

	rarog_profile_set_clock(w, &clock);
	assert_int_equal(rarog_profile_set_header(w, "{\"command\":\"prog\"}"), 0);
	assert_int_equal(rarog_profile_add_binary(w, &binary), 0);
	assert_int_equal(rarog_profile_add_process(w, &process), 0);
	for (size_t i = 0; i < t->n_locations; i++)
		assert_int_equal(rarog_profile_add_location(w, &t->locations[i]), (long)i);
	for (size_t i = 0; i < t->n_strands; i++)
		assert_int_equal(rarog_profile_add_strand(w, &t->strands[i]), (long)i);
}

static inline void assert_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static inline void compare_locations(struct rarog_profile *p, const struct truth *t)
{
	const struct rarog_location *v;

	assert_int_equal(rarog_profile_locations(p, &v), (long)t->n_locations);
	for (size_t i = 0; i < t->n_locations; i++) {
		assert_int_equal(v[i].kind, t->locations[i].kind);
		assert_int_equal(v[i].binary, t->locations[i].binary);
		assert_int_equal(v[i].address, t->locations[i].address);
		assert_int_equal(v[i].size, t->locations[i].size);
		assert_int_equal(v[i].line, t->locations[i].line);
		assert_text(v[i].name, t->locations[i].name);
		assert_text(v[i].demangled, t->locations[i].demangled);
		assert_text(v[i].file, t->locations[i].file);
	}
}

static inline void compare_nodes(struct rarog_profile *p, const struct truth *t)
{
	const struct rarog_node *v;

	assert_int_equal(rarog_profile_nodes(p, &v), (long)t->n_nodes);
	if (t->n_nodes)
		assert_memory_equal(v, t->nodes, t->n_nodes * sizeof(*v));
}

static inline void compare_summaries(struct rarog_profile *p, const struct truth *t)
{
	const struct rarog_summary *v;

	assert_int_equal(rarog_profile_summaries(p, &v), (long)t->n_summaries);
	for (size_t i = 0; i < t->n_summaries; i++) {
		struct rarog_summary a = v[i], b = t->summaries[i];

		assert_int_equal(a.n_buckets, b.n_buckets);
		for (uint32_t k = 0; k < a.n_buckets; k++) {
			assert_int_equal(a.buckets[k].bucket, b.buckets[k].bucket);
			assert_int_equal(a.buckets[k].count, b.buckets[k].count);
		}
		a.buckets = b.buckets = NULL;
		assert_int_equal(a.location, b.location);
		assert_int_equal(a.strand, b.strand);
		assert_memory_equal(&a.count, &b.count,
				    offsetof(struct rarog_summary, n_buckets) -
					    offsetof(struct rarog_summary, count));
	}
}

/* Everything that the cursor gives must be what was written, strand by strand, from the start on;
 * returns how many events there were. */
static inline size_t compare_calls(struct rarog_profile *p, const struct truth *t, uint32_t strand)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	size_t *seen = calloc(t->n_strands + 1, sizeof(*seen)), sum = 0;
	struct strand_calls *now = calloc(t->n_strands + 1, sizeof(*now));
	struct rarog_calls calls;
	int r;

	assert_int_equal(rarog_calls_cursor_new(p, strand, &cursor), 0);
	for (size_t i = 0; i < t->n_strands; i++)
		now[i].now = t->calls[i].start_ticks;
	while ((r = rarog_calls_next(cursor, &calls)) == 1) {
		const struct strand_calls *s = &t->calls[calls.strand];
		struct strand_calls *at = &now[calls.strand];

		assert_true(strand == RAROG_NONE || strand == calls.strand);
		assert_true(seen[calls.strand] + calls.n <= s->op.n);
		assert_memory_equal(calls.op, s->op.v + seen[calls.strand],
				    calls.n * sizeof(*calls.op));
		assert_memory_equal(calls.delta, s->delta.v + seen[calls.strand],
				    calls.n * sizeof(*calls.delta));
		assert_int_equal(calls.start_ticks, at->now);
		assert_int_equal(calls.n_open, at->stack.n);
		if (calls.n_open)
			assert_memory_equal(calls.open, at->stack.v,
					    calls.n_open * sizeof(*calls.open));
		seen[calls.strand] += calls.n;
		sum += calls.n;
		for (size_t i = 0; i < calls.n; i++) {
			uint32_t op = calls.op[i];

			if (op >= RAROG_OP_ENTRY)
				assert_int_equal(rarog_vec_push(&at->stack, op - RAROG_OP_ENTRY),
						 0);
			else if (op <= RAROG_OP_CLOSED && at->stack.n)
				at->stack.n--;
			if (op != RAROG_OP_WAIT && op != RAROG_OP_LOST)
				at->now += calls.delta[i];
		}
	}
	assert_int_equal(r, 0);
	for (size_t i = 0; i < t->n_strands; i++)
		rarog_vec_release(&now[i].stack);
	free(now);
	free(seen);
	return sum;
}

static inline size_t truth_events(const struct truth *t)
{
	size_t sum = 0;

	for (size_t i = 0; i < t->n_strands; i++)
		sum += t->calls[i].op.n;
	return sum;
}

/* A directory of the test's own. */
static inline int make_directory(void **state)
{
	char *directory = strdup("/tmp/rarog-test-XXXXXX");

	if (!directory || !mkdtemp(directory))
		return -1;
	*state = directory;
	return 0;
}

static inline int remove_directory(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	free(*state);
	return system(command) == 0 ? 0 : -1;
}

static inline const char *path_in(void **state, const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", (const char *)*state, name);
	return path;
}

static inline void put_file(const char *path, size_t n, const uint8_t *bytes)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(n ? fwrite(bytes, 1, n, f) : 0, n);
	assert_int_equal(fclose(f), 0);
}

#endif
