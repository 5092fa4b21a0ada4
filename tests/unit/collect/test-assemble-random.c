/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Oracle: assemble-oracle.h, a brute-force assembler, on random streams. The written calls are
 * replayed into a second oracle as doc/design/assemble.md tells readers to; some runs go through
 * a profile file.
 */
#include "assemble-file.h"
#include "unit.h"

static void one_random_run(struct scenario *sc, struct recorder *rec, struct oracle *again)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *a = NULL;
	struct rarog_assembler_options options = { .sink = recorder_sink(rec) };
	struct rarog_assembler_totals totals;
	bool is_bounded = below(4) == 0, keeps = below(4) > 0;
	uint64_t end_ticks = below(2) ? UINT64_C(1) << 50 : 0;

	options.max_nodes = is_bounded ? 1 + below(20) : 0;
	if (below(4) == 0) {
		options.compensate = below(300);
		options.compensate_self = below(100);
	}
	oracle_init(sc->truth, is_bounded ? options.max_nodes : ORACLE_NODES);
	sc->truth->compensate = options.compensate;
	sc->truth->compensate_self = options.compensate_self;
	make_scenario(sc);
	assert_int_equal(rarog_assembler_new(&options, &a), 0);
	for (unsigned i = 0; i < sc->n_strands; i++) {
		close_all(sc->truth, i, end_ticks);
		assert_int_equal(
			rarog_assembler_strand(a, i, sc->n_functions, sc->locations, keeps), 0);
	}
	feed_scenario(sc, a, is_bounded);
	assert_int_equal(rarog_assembler_finish(a, end_ticks, &totals), 0);
	compare_summaries(rec, sc->truth);
	compare_nodes(rec, sc->truth);
	compare_totals(&totals, sc, rec);
	oracle_init(again, ORACLE_NODES);
	if (keeps && !is_bounded && !options.compensate && !options.compensate_self)
		compare_replayed(rec, again);
	assert_true(keeps || rec->blocks.n == 0);
}

TEST(random_streams_agree_with_brute_force)
{
	struct scenario sc = { .truth = malloc(sizeof(struct oracle)) };
	struct oracle *again = malloc(sizeof(*again));
	struct recorder rec = { 0 };

	assert_non_null(sc.truth);
	assert_non_null(again);
	for (uint64_t i = 0; i < 10000; i++) {
		random_state = i;
		one_random_run(&sc, &rec, again);
		recorder_clear(&rec);
	}
	for (unsigned i = 0; i < ORACLE_STRANDS; i++)
		rarog_vec_release(&sc.words[i].w);
	recorder_release(&rec);
	free(sc.truth);
	free(again);
}

/* ---- through a profile file ---- */

TEST(a_profile_file_keeps_all_of_it)
{
	struct scenario sc = { .truth = malloc(sizeof(struct oracle)) };
	struct oracle *again = malloc(sizeof(*again));
	struct recorder rec = { 0 };
	char path[] = "/tmp/rarog-test-assemble-XXXXXX";

	assert_non_null(sc.truth);
	assert_non_null(again);
	assert_true(close(mkstemp(path)) == 0);
	for (uint64_t i = 0; i < 50; i++) {
		random_state = i << 32;
		oracle_init(sc.truth, ORACLE_NODES);
		oracle_init(again, ORACLE_NODES);
		make_scenario(&sc);
		for (unsigned s = 0; s < sc.n_strands; s++)
			close_all(sc.truth, s, 0);
		write_profile(path, &sc, &(struct file_options){ 0 });
		read_profile(path, &rec);
		compare_summaries(&rec, sc.truth);
		compare_nodes(&rec, sc.truth);
		compare_replayed(&rec, again);
		recorder_clear(&rec);
	}
	unlink(path);
	for (unsigned i = 0; i < ORACLE_STRANDS; i++)
		rarog_vec_release(&sc.words[i].w);
	recorder_release(&rec);
	free(sc.truth);
	free(again);
}
