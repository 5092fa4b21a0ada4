/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random streams, assembled into a profile file and read again.
 */
#ifndef RAROG_TESTS_ASSEMBLE_FILE_H
#define RAROG_TESTS_ASSEMBLE_FILE_H

#include "assemble-random.h"
#include "profile/reader.h"

struct file_options {
	bool calls_only; /* neither summaries nor tree nor losses */
	uint64_t compensate, compensate_self;
	uint64_t end_ticks;
};

static inline int add_tables(struct rarog_profile_writer *w)
{
	const struct rarog_process process = { .pid = 1, .parent = RAROG_NONE, .command = "x" };
	long r = rarog_profile_add_process(w, &process);

	for (uint32_t i = 0; r >= 0 && i < ORACLE_LOCATIONS; i++) {
		const char name[] = { (char)('a' + (int)i), '\0' };
		struct rarog_location location = { .binary = RAROG_NONE,
						   .name = name,
						   .address = 16 * i };

		r = rarog_profile_add_location(w, &location);
	}
	for (uint32_t i = 0; r >= 0 && i < ORACLE_STRANDS; i++) {
		struct rarog_strand strand = { .tid = i };

		r = rarog_profile_add_strand(w, &strand);
	}
	return r < 0 ? (int)r : 0;
}

/* As a run's header tells it. */
static inline void set_header(struct rarog_profile_writer *w, const struct file_options *how)
{
	bool compensates = how->compensate || how->compensate_self;
	char text[200];

	snprintf(text, sizeof(text),
		 "{\"probe_cost\": {\"call_ticks\": %llu.3, \"self_ticks\": %llu.3, "
		 "\"compensated\": %s}}",
		 (unsigned long long)how->compensate, (unsigned long long)how->compensate_self,
		 compensates ? "true" : "false");
	assert_int_equal(rarog_profile_set_header(w, text), 0);
}

static inline void write_profile(const char *path, struct scenario *sc,
				 const struct file_options *how)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *a = NULL;
	struct rarog_assembler_options options = { .compensate = how->compensate,
						   .compensate_self = how->compensate_self };
	struct rarog_assembler_totals totals;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(add_tables(w), 0);
	options.sink = rarog_assembler_to_writer(w);
	if (how->calls_only) {
		options.sink.nodes = NULL;
		options.sink.summaries = NULL;
		options.sink.losses = NULL;
	}
	assert_int_equal(rarog_assembler_new(&options, &a), 0);
	for (unsigned i = 0; i < sc->n_strands; i++)
		assert_int_equal(rarog_assembler_strand(a, i, sc->n_functions, sc->locations, true),
				 0);
	feed_scenario(sc, a, false);
	assert_int_equal(rarog_assembler_finish(a, how->end_ticks, &totals), 0);
	set_header(w, how);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
}

/* Everything of @p into @rec; the recorder copies. */
static inline void record_profile(struct rarog_profile *p, struct recorder *rec)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	const struct rarog_summary *summaries;
	const struct rarog_node *nodes;
	struct rarog_calls calls;
	long n = rarog_profile_summaries(p, &summaries);

	assert_true(n >= 0);
	record_summaries(rec, (size_t)n, summaries);
	n = rarog_profile_nodes(p, &nodes);
	assert_true(n >= 0);
	record_nodes(rec, (size_t)n, nodes);
	assert_int_equal(rarog_calls_cursor_new(p, RAROG_NONE, &cursor), 0);
	while (rarog_calls_next(cursor, &calls) > 0)
		record_calls(rec, &calls);
}

static inline void read_profile(const char *path, struct recorder *rec)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;

	assert_int_equal(rarog_profile_open(path, &p), 0);
	record_profile(p, rec);
}

#endif
