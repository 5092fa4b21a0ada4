/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A population of calls whose durations are all known is sampled by chance, with weights that
 * change in the middle of it: what is estimated is compared with the sums of all. */
#include "unit.h"

#include <math.h>

#include "agent/gate.h"
#include "events/epochs.h"
#include "run/splitmix.h"

#define CALLS  20000
#define TRIALS 400

struct population {
	uint64_t ticks[CALLS]; /* the call that begins at that tick */
	double total;
};

/* Durations are skewed, and in the second half four times as long. */
static void populate(struct population *p, uint64_t seed)
{
	struct rarog_splitmix random = { seed };

	p->total = 0;
	for (int i = 0; i < CALLS; i++) {
		uint64_t x = rarog_splitmix_next(&random) % 1000;

		p->ticks[i] = (100 + x * x / 1000) * (i < CALLS / 2 ? 1 : 4);
		p->total += (double)p->ticks[i];
	}
}

/* As the gate does it: after a call that is recorded 0 … 2N - 2 are left out. */
static uint64_t sample(struct rarog_epochs *epochs, const struct population *p,
		       const uint32_t word[4], struct rarog_splitmix *random)
{
	uint64_t left = 0, skipped = 0;

	for (uint64_t i = 0; i < CALLS; i++) {
		uint32_t n = word[i / (CALLS / 4)];

		if (i % (CALLS / 4) == 0 && (i > 0 || n != 1))
			assert_int_equal(rarog_epochs_begin(epochs, 7, i, n, skipped), 0);
		if (n == RAROG_GATE_COUNTED || left > 0) {
			left -= left > 0;
			skipped++;
			continue;
		}
		left = rarog_splitmix_next(random) % (2 * (uint64_t)n - 1);
		rarog_epochs_add(epochs, 7, i, p->ticks[i]);
	}
	return skipped;
}

static struct rarog_epochs_total estimate(const struct population *p, const uint32_t word[4],
					  uint64_t seed)
{
	struct rarog_epochs epochs = { 0 };
	struct rarog_splitmix random = { seed };
	struct rarog_epochs_total total;
	uint64_t skipped = sample(&epochs, p, word, &random);

	assert_true(rarog_epochs_total(&epochs, 7, skipped, &total));
	rarog_epochs_release(&epochs);
	return total;
}

TEST(where_each_call_was_recorded_the_total_is_exact)
{
	static struct population p;
	struct rarog_epochs_total t;

	populate(&p, 1);
	t = estimate(&p, (const uint32_t[]){ 1, 1, 1, 1 }, 2);
	assert_true(fabs(t.total - p.total) < 1e-6 * p.total);
	assert_true(t.high - t.low < 1e-6 * p.total);
}

static void check(const uint32_t word[4])
{
	static struct population p;
	double sum = 0, square = 0, width = 0, mean, error;
	int covered = 0;

	populate(&p, 3);
	for (uint64_t i = 0; i < TRIALS; i++) {
		struct rarog_epochs_total t = estimate(&p, word, 1000 + i);

		sum += t.total;
		square += t.total * t.total;
		width += (t.high - t.low) / TRIALS;
		covered += t.low <= p.total && p.total <= t.high;
	}
	mean = sum / TRIALS;
	error = sqrt((square / TRIALS - mean * mean) / TRIALS);
	assert_true(fabs(mean - p.total) < 4 * error + 0.001 * p.total); /* it has no bias … */
	assert_true(covered >= TRIALS * 93 / 100); /* … says how sure it is, … */
	/* … and is not much less sure than it could be: phases differ much here */
	assert_true(width <= 4 * 2 * 1.96 * error * sqrt(TRIALS) + 0.001 * p.total);
}

TEST(totals_are_right_on_average_and_intervals_cover_whatever_the_weights_were)
{
	check((const uint32_t[]){ 1, 64, 64, 8 });
	check((const uint32_t[]){ 32, 4, 128, 32 });
	check((const uint32_t[]){ 16, 16, 1, 1 });
}

TEST(what_was_only_counted_for_a_while_is_taken_to_be_as_what_came_next)
{
	static struct population p;
	struct rarog_epochs_total t;

	populate(&p, 5);
	t = estimate(&p, (const uint32_t[]){ 4, RAROG_GATE_COUNTED, 4, 4 }, 6);
	assert_true(t.total > p.total); /* the second quarter was shorter than the third */
	assert_true(t.total < 1.5 * p.total);
}

/* Every call is recorded, in as many epochs as there are calls; then it is off once. */
/* Short calls of which one of N is recorded, and then few long ones, each of which is. That it was
 * so the drain said when 1,000 short ones had passed that it had not seen yet. */
TEST(what_was_left_out_before_each_call_is_recorded_was_not_long)
{
	struct rarog_epochs epochs = { 0 };
	struct rarog_epochs_total t;

	for (uint64_t round = 0; round < 20; round++) {
		uint64_t from = 1000000 * round, skipped = 32000 * round;

		assert_int_equal(rarog_epochs_begin(&epochs, 7, from, 64, skipped), 0);
		for (uint64_t i = 0; i < 500; i++)
			rarog_epochs_add(&epochs, 7, from + 1 + i, 40);
		assert_int_equal(rarog_epochs_begin(&epochs, 7, from + 1000, 1, skipped + 31000),
				 0);
		for (uint64_t i = 0; i < 3; i++)
			rarog_epochs_add(&epochs, 7, from + 1000 + i, 3000000);
	}
	assert_true(rarog_epochs_total(&epochs, 7, 20 * 32000, &t));
	assert_true(fabs(t.total - 20 * (32500 * 40 + 3 * 3e6)) < 1);
	rarog_epochs_release(&epochs);
}

/* Many short calls in bursts of which hardly any is recorded, and between them long ones, each of
 * which is. What was left out is like the short ones of the first burst. */
TEST(what_was_left_out_is_like_nothing_of_which_each_call_was_recorded)
{
	struct rarog_epochs epochs = { 0 };
	struct rarog_epochs_total t;
	uint64_t skipped = 6400;

	assert_int_equal(rarog_epochs_begin(&epochs, 7, 1, 64, 0), 0);
	for (uint64_t i = 0; i < 100; i++)
		rarog_epochs_add(&epochs, 7, 2 + i, 40);
	for (uint64_t round = 1; round <= 10; round++) {
		assert_int_equal(rarog_epochs_begin(&epochs, 7, 1000 * round, 1024, skipped), 0);
		skipped += 2000;
		assert_int_equal(rarog_epochs_begin(&epochs, 7, 1000 * round + 500, 1, skipped), 0);
		for (uint64_t i = 0; i < 5; i++)
			rarog_epochs_add(&epochs, 7, 1000 * round + 500 + i, 3000000);
	}
	assert_true(rarog_epochs_total(&epochs, 7, skipped, &t));
	assert_true(fabs(t.total - ((6500 + 20000) * 40 + 50 * 3e6)) < 1);
	rarog_epochs_release(&epochs);
}

TEST(of_places_that_change_very_often_nothing_is_forgotten)
{
	struct rarog_epochs epochs = { 0 };
	struct rarog_epochs_total t;
	double sum = 0;

	for (uint64_t i = 1; i <= 5000; i++) {
		assert_int_equal(rarog_epochs_begin(&epochs, 0, 10 * i, 1 + i % 2, 0), 0);
		rarog_epochs_add(&epochs, 0, 10 * i + 5, i);
		sum += (double)i;
	}
	assert_false(epochs.of.v[0].was_off);
	assert_int_equal(rarog_epochs_begin(&epochs, 0, 60000, RAROG_GATE_OFF, 0), 0);
	assert_true(epochs.of.v[0].was_off);
	assert_in_range(epochs.of.v[0].v.n, 100, 1024);
	assert_true(rarog_epochs_total(&epochs, 0, 0, &t));
	assert_true(t.total == sum && t.low == sum && t.high == sum);
	/* what comes late is not taken to be as what came early */
	assert_int_equal(rarog_epochs_begin(&epochs, 0, 70000, 4, 0), 0);
	rarog_epochs_add(&epochs, 0, 70001, 1000000);
	rarog_epochs_add(&epochs, 0, 70002, 1000000);
	assert_true(rarog_epochs_total(&epochs, 0, 6, &t));
	assert_true(fabs(t.total - sum - 8e6) < 1);
	rarog_epochs_release(&epochs);
}

TEST(other_places_and_those_of_which_nothing_was_recorded_have_no_total)
{
	struct rarog_epochs epochs = { 0 };
	struct rarog_epochs_total t;

	assert_false(rarog_epochs_total(&epochs, 0, 5, &t));
	assert_int_equal(rarog_epochs_begin(&epochs, 3, 0, RAROG_GATE_COUNTED, 0), 0);
	assert_false(rarog_epochs_total(&epochs, 3, 5, &t));
	assert_false(rarog_epochs_total(&epochs, 2, 5, &t));
	rarog_epochs_add(&epochs, 2, 0, 100);
	assert_true(rarog_epochs_total(&epochs, 2, 5, &t));
	assert_true(t.total == 600);
	rarog_epochs_release(&epochs);
}
