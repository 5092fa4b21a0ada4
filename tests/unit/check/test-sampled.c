/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs in which calls were counted and not recorded: of these nothing is made up. */
#include <stdio.h>
#include <unistd.h>

#include "check/comparison.h"
#include "num-check.h"
#include "profile/measured.h"
#include "profile/writer.h"
#include "unit.h"

#define HEADER                                                                                     \
	"{\"collector\":\"trace\",\"tells_measured\":true,"                                        \
	"\"probe_cost\":{\"call_ticks\":1,\"compensated\":true}}"

/* main calls work and rare. A tick is 1 ns. */
enum { MAIN, WORK, RARE, FUNCTIONS };

/* How often each was called, how many of these were recorded, and what each of those took; what all
 * took, 0: as much each; and whether at times they were not even counted. */
struct calls {
	uint64_t count, timed, ticks, total;
	bool off;
};

static void add_tables(struct rarog_profile_writer *w)
{
	static const char *const names[FUNCTIONS] = { "main", "work", "rare" };
	const struct rarog_process process = { .pid = 1, .parent = RAROG_NONE, .command = "p" };
	const struct rarog_strand strand = { 0 };
	const struct rarog_profile_binary binary = { .path = "p" };
	const struct rarog_clock clock = { .hz = 1000000000 };

	rarog_profile_set_clock(w, &clock);
	assert_int_equal(rarog_profile_add_binary(w, &binary), 0);
	assert_int_equal(rarog_profile_add_process(w, &process), 0);
	assert_int_equal(rarog_profile_add_strand(w, &strand), 0);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct rarog_location location = { .address = 16 * i,
							 .size = 16,
							 .name = names[i] };

		assert_int_equal(rarog_profile_add_location(w, &location), i);
	}
}

static void add_amounts(struct rarog_profile_writer *w, const struct calls calls[FUNCTIONS])
{
	uint64_t below = 0;

	for (uint32_t i = FUNCTIONS; i-- > 0;) {
		const struct calls *of = &calls[i];
		uint64_t sum = of->timed * of->ticks;

		below += i != MAIN ? sum : 0;
	}
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct calls *of = &calls[i];
		uint64_t sum = of->timed * of->ticks, own = i == MAIN ? sum - below : sum;
		const struct rarog_measured off = { .location = i,
						    .binary = RAROG_NONE,
						    .how = RAROG_HOW_OFF };
		const struct rarog_summary summary = {
			.location = i,
			.strand = RAROG_NONE,
			.count = of->count,
			.timed = of->timed,
			.sum = sum,
			.total = of->total   ? of->total
				 : of->timed ? sum / of->timed * of->count
					     : 0,
			.exclusive = own,
			.min = of->timed ? of->ticks : 0,
			.max = of->timed ? of->ticks : 0,
		};
		const struct rarog_node root = { RAROG_NONE, RAROG_NONE, 0, 0, 0 },
					node = { i == MAIN ? 0 : 1, i, of->timed, sum, own };

		assert_int_equal(rarog_profile_add_summaries(w, 1, &summary), 0);
		if (of->off)
			assert_int_equal(rarog_profile_add_measured(w, 1, &off), 0);
		if (i == MAIN)
			assert_int_equal(rarog_profile_add_nodes(w, 1, &root), 0);
		if (of->timed > 0)
			assert_int_equal(rarog_profile_add_nodes(w, 1, &node), 0);
	}
}

#define COSTLY                                                                                     \
	"{\"collector\":\"trace\",\"tells_measured\":true,"                                        \
	"\"probe_cost\":{\"call_ticks\":30,\"self_ticks\":10}}"

static struct rarog_profile *run(const char *header, const struct calls calls[FUNCTIONS])
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	struct rarog_profile *profile;
	char path[] = "/tmp/rarog-sampled-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_set_header(w, header), 0);
	add_tables(w);
	add_amounts(w, calls);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	assert_int_equal(rarog_profile_open(path, &profile), 0);
	unlink(path);
	return profile;
}

static void begin(struct rarog_comparison *c)
{
	memset(c, 0, sizeof(*c));
	for (size_t side = 0; side < 2; side++)
		assert_int_equal(rarog_side_init(&c->sides[side], side ? "b" : "a", NULL), 0);
}

static void add(struct rarog_comparison *c, size_t side, const struct calls calls[FUNCTIONS])
{
	assert_int_equal(rarog_side_add(&c->sides[side], run(HEADER, calls)), 0);
}

static const struct rarog_row *row(const struct rarog_comparison *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(rarog_row_name(&c->rows[i]), name) == 0)
			return &c->rows[i];
	fail_msg("no row of %s", name);
	return NULL;
}

static const struct calls all[FUNCTIONS] = { { 1, 1, 1000 }, { 5, 5, 20 }, { 7, 7, 100 } },
			  missed[FUNCTIONS] = { { 1, 1, 1000 }, { 5, 5, 20 }, { 7, 0, 0 } };

/* What main took has rare's time in it, and nobody knows how much. */
TEST(of_what_no_window_met_exclusive_times_are_unknown)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *with = run(HEADER, all),
								*without = run(HEADER, missed);
	rarog_cleanup(rarog_freep) bool *known = NULL, *unknown = NULL;

	assert_int_equal(rarog_exclusive_unknown(with, &known), 0);
	assert_int_equal(rarog_exclusive_unknown(without, &unknown), 1);
	assert_true(unknown[MAIN] && unknown[RARE]);
}

TEST(what_was_missed_is_not_compared)
{
	static const struct calls *const sides[][2] = {
		{ all, missed },
		{ missed, all },
		{ missed, missed },
	};

	for (size_t i = 0; i < RAROG_COUNT(sides); i++) {
		rarog_cleanup(rarog_comparison_release) struct rarog_comparison c;

		begin(&c);
		add(&c, RAROG_BASELINE, sides[i][0]);
		add(&c, RAROG_TARGET, sides[i][1]);
		assert_int_equal(rarog_comparison_fill(&c), 0);
		assert_true(row(&c, "rare")->is_unknown);
		assert_true(row(&c, "main")->is_inclusive);
		assert_close(row(&c, "main")->values[0][RAROG_MEASURE_EXCLUSIVE][0], 1000, 0);
		assert_close(row(&c, "main")->values[1][RAROG_MEASURE_EXCLUSIVE][0], 1000, 0);
		assert_false(row(&c, "work")->is_unknown);
	}
}

/* Of ten calls that took 10 each two were recorded, of ten that took 100 each eight: the total says
 * 1100, where all calls as the mean of the recorded ones would have taken 1640. */
TEST(totals_of_calls_that_did_not_always_count_for_as_many_are_taken_as_they_are)
{
	static const struct calls thinned[FUNCTIONS] = { { 1, 1, 5000 }, { 20, 10, 82, 1100 } };
	rarog_cleanup(rarog_comparison_release) struct rarog_comparison c;

	begin(&c);
	add(&c, RAROG_BASELINE, thinned);
	add(&c, RAROG_TARGET, thinned);
	assert_int_equal(rarog_comparison_fill(&c), 0);
	assert_close(row(&c, "work")->values[0][RAROG_MEASURE_INCLUSIVE][0], 1100, 1e-9);
	assert_close(row(&c, "work")->values[0][RAROG_MEASURE_CALLS][0], 20, 0);
}

/* Each call that was counted was recorded, and yet there were others; one such run of two is
 * enough. */
TEST(what_was_off_at_times_is_unknown_in_part)
{
	static const struct calls off[FUNCTIONS] = { { 1, 1, 1000 },
						     { 5, 5, 20, .off = true },
						     { 7, 7, 100 } };
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = run(HEADER, off);
	rarog_cleanup(rarog_freep) bool *unknown = NULL, *are_off = NULL;
	rarog_cleanup(rarog_comparison_release) struct rarog_comparison c;

	assert_int_equal(rarog_off_at_times(profile, &are_off), 1);
	assert_true(!are_off[MAIN] && are_off[WORK] && !are_off[RARE]);
	assert_int_equal(rarog_exclusive_unknown(profile, &unknown), 1);
	assert_true(unknown[MAIN] && unknown[WORK] && !unknown[RARE]);
	begin(&c);
	add(&c, RAROG_BASELINE, all);
	add(&c, RAROG_BASELINE, off);
	add(&c, RAROG_TARGET, all);
	add(&c, RAROG_TARGET, all);
	assert_int_equal(rarog_comparison_fill(&c), 0);
	assert_true(row(&c, "work")->is_unknown);
	assert_false(row(&c, "rare")->is_unknown);
}

/* What their probes cost is taken off the time of the whole program. */
TEST(calls_that_were_not_recorded_cost_no_probe)
{
	static const struct calls sampled[FUNCTIONS] = { { 1, 1, 1000 },
							 { 5000, 5, 20 },
							 { 7, 1, 100 } };
	static const struct calls counted[FUNCTIONS] = { { 1, 0, 0 }, { 5, 0, 0 }, { 7, 0, 0 } };
	rarog_cleanup(rarog_comparison_release) struct rarog_comparison c;

	begin(&c);
	add(&c, RAROG_BASELINE, sampled);
	add(&c, RAROG_TARGET, counted);
	assert_close(c.sides[RAROG_BASELINE].runs.v[0].calls, 1 + 5 + 1, 0);
	assert_close(c.sides[RAROG_TARGET].runs.v[0].calls, 1 + 5 + 7, 0);
}

/* 1000 less 10 of its own probe and 30 of each of five below are 840; two such calls. */
TEST(estimates_are_without_the_cost_of_probes)
{
	static const struct calls once[FUNCTIONS] = { { 1, 1, 1000 }, { 5, 5, 20 }, { 0 } },
				  twice[FUNCTIONS] = { { 2, 1, 1000 }, { 5, 5, 20 }, { 0 } };
	rarog_cleanup(rarog_comparison_release) struct rarog_comparison c;

	begin(&c);
	assert_int_equal(rarog_side_add(&c.sides[RAROG_BASELINE], run(COSTLY, once)), 0);
	assert_int_equal(rarog_side_add(&c.sides[RAROG_TARGET], run(COSTLY, twice)), 0);
	assert_int_equal(rarog_comparison_fill(&c), 0);
	assert_close(row(&c, "main")->values[0][RAROG_MEASURE_INCLUSIVE][0], 840, 1e-9);
	assert_close(row(&c, "main")->values[1][RAROG_MEASURE_INCLUSIVE][0], 1680, 1e-9);
	assert_close(row(&c, "main")->values[1][RAROG_MEASURE_CALLS][0], 2, 0);
}
