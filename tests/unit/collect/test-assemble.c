/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each rule of doc/design/assemble.md by a short script; see test-assemble-random.c for the rest.
 */
#include "assemble-recorder.h"
#include "events/stats.h"
#include "unit.h"

TEST(tail_call_takes_over)
{
	struct fixture f;

	begin(&f);
	entry(&f.words, 1, 10, false); /* 1010 */
	leave(&f.words, 5);            /* 1015: 1 tail-calls 2 */
	entry(&f.words, 2, 0, false);
	leave(&f.words, 7);
	finish(&f, 2000);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 5);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->sum, 7);
	assert_int_equal(f.rec.nodes.n, 3);
	assert_int_equal(f.rec.nodes.v[2].parent, 0);
	assert_int_equal(f.totals.events, 4);
	assert_int_equal(f.totals.calls, 2);
	assert_int_equal(f.rec.blocks.v[0].calls.start_ticks, 1000);
	assert_int_equal(f.rec.blocks.v[0].calls.delta[0], 10);
	done(&f);
}

TEST(mutual_recursion_is_not_counted_twice)
{
	struct fixture f;

	begin(&f);
	for (int i = 0; i < 3; i++) {
		entry(&f.words, 1, 10, false);
		entry(&f.words, 2, 10, false);
	}
	for (int i = 0; i < 6; i++)
		leave(&f.words, 1);
	finish(&f, 0);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->total, 50 + 6);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->total, 40 + 5);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 56 + 34 + 12);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->count, 3);
	assert_int_equal(f.rec.nodes.n, 7);
	done(&f);
}

TEST(waits_are_taken_from_what_is_open)
{
	struct fixture f;

	begin(&f);
	entry(&f.words, 1, 0, false);
	entry(&f.words, 2, 10, false);
	escape(&f.words, RAROG_ESCAPE_TIME64, 4, 1000000);
	escape(&f.words, RAROG_ESCAPE_WAIT, 4, 999990);
	leave(&f.words, 5);
	leave(&f.words, 3);
	finish(&f, 0);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->sum, 15);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 28);
	assert_int_equal(f.totals.wait_ticks, 999990);
	assert_int_equal(f.rec.blocks.v[0].calls.op[2], RAROG_OP_WAIT);
	assert_int_equal(f.rec.blocks.v[0].calls.delta[3], 1000005);
	done(&f);
}

TEST(a_loss_is_rebuilt)
{
	struct fixture f;
	struct rarog_calls *calls;

	begin(&f);
	entry(&f.words, 1, 0, false);
	entry(&f.words, 2, 10, false);
	escape(&f.words, RAROG_ESCAPE_LOST, 4, 77);
	escape(&f.words, RAROG_ESCAPE_START, 4, 5000);
	escape(&f.words, RAROG_ESCAPE_DEPTH, 2, 1);
	escape(&f.words, RAROG_ESCAPE_INHERIT, 2, 3);
	leave(&f.words, 10);
	leave(&f.words, 10);
	finish(&f, 0);
	assert_int_equal(f.totals.lost_events, 77);
	assert_int_equal(loss(&f.rec, "events"), 77);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->unwound, 1);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->sum, 3990);
	assert_int_equal(summary(&f, 3, RAROG_NONE)->count, 0);
	assert_int_equal(summary(&f, 3, RAROG_NONE)->total, 10);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 4020);
	assert_int_equal(f.totals.events, 4);
	assert_int_equal(f.rec.blocks.n, 2);
	calls = &f.rec.blocks.v[1].calls;
	assert_int_equal(calls->start_ticks, 5000);
	assert_int_equal(calls->n_open, 2);
	assert_int_equal(calls->open[1], 3);
	done(&f);
}

TEST(a_depth_ends_what_is_beyond_it)
{
	struct fixture f;

	begin(&f);
	for (uint32_t i = 1; i <= 4; i++)
		entry(&f.words, i, 10, false);
	escape(&f.words, RAROG_ESCAPE_TIME16, 1, 1);
	escape(&f.words, RAROG_ESCAPE_DEPTH, 2, 2);
	escape(&f.words, RAROG_ESCAPE_DEPTH, 2, 2);
	escape(&f.words, RAROG_ESCAPE_DEPTH, 2, 7); /* more than are open: nothing ended */
	leave(&f.words, 5);
	escape(&f.words, RAROG_ESCAPE_DEPTH, 2, 0);
	finish(&f, 0);
	assert_int_equal(f.totals.unwound, 3);
	assert_int_equal(f.totals.open, 0);
	assert_int_equal(summary(&f, 4, RAROG_NONE)->sum, 32768);
	assert_int_equal(summary(&f, 3, RAROG_NONE)->sum, 32778);
	assert_int_equal(summary(&f, 3, RAROG_NONE)->unwound, 1);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->sum, 32793);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->unwound, 0);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 32803);
	assert_int_equal(f.rec.blocks.v[0].calls.op[4], RAROG_OP_UNWOUND);
	assert_int_equal(f.rec.n_ops, 8);
	done(&f);
}

TEST(open_calls_are_closed_at_the_end)
{
	struct fixture f;

	begin(&f);
	entry(&f.words, 1, 0, false);
	entry(&f.words, 2, 10, false);
	finish(&f, 1100);
	assert_int_equal(f.totals.open, 2);
	assert_int_equal(summary(&f, 2, 0)->open, 1);
	assert_int_equal(summary(&f, 2, 0)->sum, 90);
	assert_int_equal(summary(&f, 1, 0)->sum, 100);
	assert_int_equal(f.rec.blocks.v[0].calls.op[3], RAROG_OP_CLOSED);
	done(&f);
}

TEST(probe_cost_is_subtracted)
{
	struct fixture f;

	begin_with(&f, (struct rarog_assembler_options){ .compensate = 10, .compensate_self = 3 });
	entry(&f.words, 1, 0, false);
	for (int i = 0; i < 4; i++) {
		entry(&f.words, 2, 20, false);
		leave(&f.words, 5);
	}
	entry(&f.words, 3, 20, false);
	leave(&f.words, 2); /* shorter than the probe: cut to 0 */
	leave(&f.words, 20);
	finish(&f, 0);
	assert_int_equal(summary(&f, 2, 0)->sum, 8);
	assert_int_equal(summary(&f, 3, 0)->sum, 0);
	assert_int_equal(summary(&f, 1, 0)->sum, 142 - 3 - 50);
	assert_int_equal(summary(&f, 1, 0)->exclusive, 142 - 3 - 50 - 8);
	assert_int_equal(f.totals.clamped_calls, 1);
	assert_int_equal(f.totals.compensate, 10);
	assert_int_equal(f.rec.blocks.v[0].calls.delta[2], 5); /* calls stay raw */
	done(&f);
}

TEST(deep_recursion_is_linear)
{
	const size_t depth = 1000000;
	struct fixture f;
	size_t open = 0;

	begin(&f);
	for (size_t i = 0; i < depth; i++)
		entry(&f.words, 1, 1, false);
	for (size_t i = 0; i < depth; i++)
		leave(&f.words, 1);
	finish(&f, 0);
	assert_int_equal(f.rec.nodes.n, depth + 1);
	assert_int_equal(f.rec.nodes.v[1].inclusive, 2 * depth - 1);
	assert_int_equal(summary(&f, 1, 0)->total, 2 * depth - 1);
	assert_int_equal(summary(&f, 1, 0)->sum, depth * depth);
	for (size_t i = 0; i < f.rec.blocks.n; i++)
		open += f.rec.blocks.v[i].calls.n_open;
	assert_true(open <= 4 * depth);
	done(&f);
}

TEST(a_full_tree_stays_linear_and_keeps_the_time)
{
	struct fixture f;
	uint64_t exclusive = 0;

	begin_with(&f, (struct rarog_assembler_options){ .max_nodes = 100 });
	entry(&f.words, 0, 1, false);
	for (int i = 0; i < 300000; i++)
		entry(&f.words, 1 + i % 3, 1, false);
	for (int i = 0; i < 300000; i++)
		leave(&f.words, 1);
	leave(&f.words, 1);
	finish(&f, 0);
	assert_int_equal(f.rec.nodes.n, 100);
	/* A folded context is an old one again: every third call leaves it. */
	assert_int_equal(f.totals.folded_calls, (300001 - 99 + 2) / 3);
	assert_int_equal(loss(&f.rec, "contexts folded"), f.totals.folded_calls);
	for (size_t i = 0; i < f.rec.nodes.n; i++)
		exclusive += f.rec.nodes.v[i].exclusive;
	assert_int_equal(exclusive, 600001);
	assert_int_equal(f.rec.nodes.v[0].inclusive, 600001);
	done(&f);
}

TEST(histograms_spill)
{
	struct rarog_histograms h = { 0 };
	struct rarog_histogram_bucket buckets[RAROG_HISTOGRAM_BUCKETS];
	uint32_t *row;

	assert_int_equal(rarog_histograms_reserve(&h, 3), 0);
	row = rarog_histograms_row(&h, 1);
	row[7] = UINT32_MAX;
	assert_int_equal(rarog_histograms_expect(&h, UINT32_MAX), 0); /* spills */
	assert_int_equal(row[7], 0);
	row[7] = 5;
	row[9] = 1;
	assert_int_equal(rarog_histograms_buckets(&h, 1, buckets), 2);
	assert_int_equal(buckets[0].bucket, 7);
	assert_int_equal(buckets[0].count, UINT64_C(4294967300));
	assert_int_equal(buckets[1].count, 1);
	assert_int_equal(rarog_histograms_buckets(&h, 0, buckets), 0);
	rarog_histograms_release(&h);
}

static void expect_bad(struct fixture *f, const char *message)
{
	struct rarog_assembler_totals totals;

	assert_int_equal(rarog_assembler_feed(f->assembler, 0, f->words.w.n, f->words.w.v),
			 -EBADMSG);
	assert_string_equal(rarog_error_message(), message);
	assert_int_equal(rarog_assembler_feed(f->assembler, 0, 1, f->words.w.v), -EBADMSG);
	assert_int_equal(rarog_assembler_finish(f->assembler, 0, &totals), 0);
	done(f);
}

TEST(malformed_streams_are_named)
{
	struct fixture f;

	begin(&f);
	entry(&f.words, 1, 0, false);
	leave(&f.words, 0);
	leave(&f.words, 9);
	expect_bad(&f, "malformed events: strand 0, word 9: an exit while no call is open");
	begin(&f);
	entry(&f.words, FUNCTIONS, 0, false);
	expect_bad(&f, "malformed events: strand 0, word 6: entry into function 12 of 12");
	begin(&f);
	escape(&f.words, 8, 0, 0);
	expect_bad(&f, "malformed events: strand 0, word 6: unknown escape 8");
	begin(&f);
	escape(&f.words, RAROG_ESCAPE_INHERIT, 2, 12);
	expect_bad(&f, "malformed events: strand 0, word 6: function 12 of 12 inherited");
	begin(&f);
	escape(&f.words, RAROG_ESCAPE_TIME64, 4, UINT64_MAX);
	expect_bad(&f, "malformed events: strand 0, word 6: the clock runs over");
	begin(&f);
	f.words.w.n = 0;
	entry(&f.words, 1, 0, false);
	expect_bad(&f,
		   "malformed events: strand 0, word 0: the strand does not begin with its start");
}

TEST(misuse_is_refused)
{
	static const uint32_t twice[] = { 1, 1 };
	static const uint32_t none[] = { RAROG_NONE };
	struct fixture f;

	begin(&f);
	assert_int_equal(rarog_assembler_feed(f.assembler, 1, 0, NULL), -EINVAL);
	assert_int_equal(rarog_assembler_strand(f.assembler, 1, 2, twice, true), -EINVAL);
	assert_int_equal(rarog_assembler_strand(f.assembler, 1, 1, none, true), -EINVAL);
	assert_int_equal(rarog_assembler_strand(f.assembler, 0, 0, NULL, false), 0);
	assert_int_equal(rarog_assembler_strand(f.assembler, 0, 0, NULL, true), -EINVAL);
	assert_int_equal(rarog_assembler_end(f.assembler, 0, 0), 0);
	assert_int_equal(rarog_assembler_end(f.assembler, 0, 0), -EINVAL);
	assert_int_equal(rarog_assembler_feed(f.assembler, 0, 0, NULL), -EINVAL);
	done(&f);
}

TEST(errors_of_the_sink_come_through)
{
	struct fixture f;

	begin(&f);
	f.rec.fail_after = 1;
	for (int i = 0; i < 20000; i++) {
		entry(&f.words, 1, 1, false);
		leave(&f.words, 1);
	}
	assert_int_equal(rarog_assembler_feed(f.assembler, 0, f.words.w.n, f.words.w.v), -EIO);
	assert_string_equal(rarog_error_message(), "the sink is full");
	done(&f);
}

TEST(calls_can_stop_and_functions_be_added)
{
	struct fixture f;

	begin(&f);
	entry(&f.words, 1, 1, false);
	assert_int_equal(rarog_assembler_feed(f.assembler, 0, f.words.w.n, f.words.w.v), 0);
	f.words.w.n = 0;
	uint32_t more[FUNCTIONS + 1];

	memcpy(more, identity, sizeof(identity));
	more[FUNCTIONS] = 99;
	assert_int_equal(rarog_assembler_strand(f.assembler, 0, FUNCTIONS + 1, more, false), 0);
	entry(&f.words, FUNCTIONS, 1, false);
	leave(&f.words, 2);
	leave(&f.words, 2);
	finish(&f, 0);
	assert_int_equal(f.rec.n_ops, 1);
	assert_int_equal(summary(&f, 99, 0)->sum, 2);
	assert_int_equal(summary(&f, 1, 0)->sum, 5);
	done(&f);
}

/* Replay only the clock and which calls are open: every block begins with both. */
static size_t check_open(const struct recorder *rec)
{
	RAROG_VEC(uint32_t) open = { 0 };
	uint64_t clock = 1000;
	size_t left;

	for (size_t i = 0; i < rec->blocks.n; i++) {
		const struct rarog_calls *calls = &rec->blocks.v[i].calls;

		assert_int_equal(calls->start_ticks, clock);
		assert_int_equal(calls->n_open, open.n);
		if (open.n)
			assert_memory_equal(calls->open, open.v, 4 * open.n);
		for (size_t j = 0; j < calls->n; j++) {
			if (calls->op[j] <= RAROG_OP_CLOSED || calls->op[j] >= RAROG_OP_ENTRY)
				clock += calls->delta[j];
			if (calls->op[j] >= RAROG_OP_ENTRY)
				assert_int_equal(
					rarog_vec_push(&open, calls->op[j] - RAROG_OP_ENTRY), 0);
			else if (calls->op[j] <= RAROG_OP_CLOSED)
				open.n--;
		}
	}
	left = open.n;
	rarog_vec_release(&open);
	return left;
}

TEST(blocks_repeat_what_is_open)
{
	struct fixture f;
	size_t depth = 0;

	begin(&f);
	for (uint32_t i = 0; i < 50000; i++) {
		entry(&f.words, i * 7 % FUNCTIONS, 1, false);
		depth++;
		if (i % 5 == 3) {
			leave(&f.words, 1);
			depth--;
		}
		if (i % 99 == 0) {
			escape(&f.words, RAROG_ESCAPE_TIME64, 4, 5000);
			escape(&f.words, RAROG_ESCAPE_WAIT, 4, 3000);
		}
		if (i % 10007 == 0) {
			depth -= depth / 2;
			escape(&f.words, RAROG_ESCAPE_DEPTH, 2, depth);
		}
	}
	finish(&f, 0);
	assert_int_equal(f.totals.open, depth);
	assert_true(f.rec.blocks.n > 8);
	assert_int_equal(check_open(&f.rec), 0);
	done(&f);
}

/* Ids beyond 16 bits, and blocks that fill up. */
TEST(wide_ids_and_many_blocks)
{
	const size_t n = 70000;
	rarog_cleanup(rarog_freep) uint32_t *locations = malloc(n * sizeof(*locations));
	struct fixture f;
	size_t at = 0;

	assert_non_null(locations);
	for (size_t i = 0; i < n; i++)
		locations[i] = (uint32_t)(n - 1 - i);
	begin(&f);
	assert_int_equal(rarog_assembler_strand(f.assembler, 1, n, locations, true), 0);
	for (uint32_t i = 0; i < 60000; i++) {
		entry(&f.words, i + 9999, 3, false);
		leave(&f.words, 2);
	}
	while (at < f.words.w.n) {
		size_t most = 1 + at % 5000, rest = f.words.w.n - at;
		size_t piece = most < rest ? most : rest;

		assert_int_equal(rarog_assembler_feed(f.assembler, 1, piece, f.words.w.v + at), 0);
		at += piece;
	}
	assert_int_equal(rarog_assembler_finish(f.assembler, 0, &f.totals), 0);
	assert_int_equal(f.totals.calls, 60000);
	assert_int_equal(f.rec.n_ops, 120000);
	assert_int_equal(summary(&f, (uint32_t)n - 1 - 69998, 1)->count, 1);
	assert_int_equal(summary(&f, (uint32_t)n - 1 - 9999, RAROG_NONE)->sum, 2);
	done(&f);
}
