/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulated program: each function is called so often per ns of its own time, and each call costs
 * what its word says. What the whole costs is known exactly, and is not taken from the budget.
 */
#include "unit.h"

#include "agent/gate.h"
#include "plan/budget.h"

#define FUNCTIONS 400 /* most tests have four that are called */
#define STEP_NS   5e6

static const struct rarog_budget_costs costs = { 25, 2 };

struct simulation {
	struct rarog_budget budget;
	double rate[FUNCTIONS]; /* calls per ns of its own time */
	double calls[FUNCTIONS];
	uint32_t word[FUNCTIONS];
	double own_ns, probes_ns;
	double stop_ns, stopped_ns; /* of a jump that is taken out or put in; of all so far */
};

static void change(void *user, uint32_t number, uint32_t word)
{
	struct simulation *s = user;

	if ((s->word[number] == RAROG_GATE_OFF) != (word == RAROG_GATE_OFF))
		s->stopped_ns += s->stop_ns;
	s->word[number] = word;
}

static void begin(struct simulation *s, double share, const double rate[FUNCTIONS])
{
	*s = (struct simulation){ .budget = { .share = share, .costs = costs } };
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		s->rate[i] = rate[i];
		s->word[i] = 1;
		assert_int_equal(rarog_budget_place(&s->budget, i, 1), 0);
	}
}

static double cost_of(uint32_t word)
{
	if (word == RAROG_GATE_OFF)
		return 0;
	return costs.recorded / word + costs.skipped * (1 - 1.0 / word);
}

static void count(struct rarog_budget_place *place, uint32_t word, double calls)
{
	double recorded = word == RAROG_GATE_OFF ? 0 : calls / word;

	place->recorded += (uint64_t)recorded;
	if (word != RAROG_GATE_OFF)
		place->counted += (uint64_t)(calls - recorded);
}

static void run(struct simulation *s, double ns)
{
	for (double until = s->own_ns + s->probes_ns + ns; s->own_ns + s->probes_ns < until;) {
		double per_ns = 1, own;

		for (int i = 0; i < FUNCTIONS; i++)
			per_ns += s->rate[i] * cost_of(s->word[i]);
		own = STEP_NS / per_ns;
		for (int i = 0; i < FUNCTIONS; i++)
			count(&s->budget.places.v[i], s->word[i], s->rate[i] * own);
		s->own_ns += own;
		s->probes_ns += STEP_NS - own;
		s->budget.lost_ns = s->stopped_ns;
		rarog_budget_step(&s->budget, s->own_ns + s->probes_ns + s->stopped_ns, change, s);
	}
}

TEST(what_costs_little_stays_exact)
{
	struct simulation s;

	begin(&s, 0.05,
	      (const double[FUNCTIONS]){ 1e-6, 1e-5, 1e-4, 1e-3 }); /* 2.8 % all together */
	run(&s, 3e9);
	for (int i = 0; i < FUNCTIONS; i++)
		assert_int_equal(s.word[i], 1);
	assert_true(s.probes_ns < 0.05 * s.own_ns);
	assert_int_equal(s.budget.changes, 0);
	rarog_budget_release(&s.budget);
}

TEST(the_whole_is_within_the_budget_within_a_second)
{
	static const double shares[] = { 0.02, 0.05, 0.1, 0.3 };

	for (int i = 0; i < 4; i++) {
		struct simulation s;

		begin(&s, shares[i], (const double[FUNCTIONS]){ 1e-7, 1e-4, 1e-2, 3e-3 });
		run(&s, 1e9);
		assert_true(s.probes_ns <= 1.02 * shares[i] * s.own_ns);
		run(&s, 3e9);
		assert_true(s.probes_ns <= 1.02 * shares[i] * s.own_ns);
		assert_true(s.probes_ns >= 0.5 * shares[i] * s.own_ns); /* and it is made use of */
		rarog_budget_release(&s.budget);
	}
}

TEST(what_is_called_most_is_thinned_most)
{
	struct simulation s;

	begin(&s, 0.05, (const double[FUNCTIONS]){ 1e-7, 1e-4, 1e-2, 3e-3 });
	run(&s, 1e9);
	assert_int_equal(s.word[0], 1);
	assert_int_equal(s.word[1], 1);
	assert_true(s.word[2] > 1 && s.word[3] > 1 && s.word[2] >= s.word[3]);
	rarog_budget_release(&s.budget);
}

TEST(what_even_counting_is_too_dear_of_is_off_and_tried_again_more_and_more_seldom)
{
	struct simulation s;
	uint64_t counted[2];

	begin(&s, 0.1,
	      (const double[FUNCTIONS]){ 1e-7, 1e-4, 0.2, 1e-4 }); /* counting takes 30 % */
	run(&s, 0.9e9);
	assert_int_equal(s.word[2], RAROG_GATE_OFF);
	assert_int_equal(s.word[0], 1);
	run(&s, 4e9);
	counted[0] = s.budget.places.v[2].counted;
	run(&s, 20e9);
	counted[1] = s.budget.places.v[2].counted;
	assert_true(counted[1] > counted[0]); /* it was tried */
	assert_true(s.budget.places.v[2].backoff >= 4e9);
	rarog_budget_release(&s.budget);
}

/* None of them costs much by itself. */
TEST(many_functions_are_within_the_budget_together)
{
	double rate[FUNCTIONS];
	struct simulation s;

	for (int i = 0; i < FUNCTIONS; i++)
		rate[i] = 8e-4; /* counting takes 0.16 %, of all 64 % */
	begin(&s, 0.1, rate);
	run(&s, 4e9);
	assert_true(s.probes_ns <= 0.102 * s.own_ns);
	assert_true(s.probes_ns >= 0.05 * s.own_ns);
	rarog_budget_release(&s.budget);
}

/* 200 calls at once, and then hardly any: all of them together cost less than a thousandth of what
 * may be spent. */
TEST(a_burst_of_what_is_called_seldom_stays_exact)
{
	struct simulation s;

	begin(&s, 0.05, (const double[FUNCTIONS]){ 1e-7, 0, 1e-1, 3e-2 });
	run(&s, 1e9);
	s.rate[1] = 200 / STEP_NS;
	run(&s, STEP_NS);
	s.rate[1] = 0;
	assert_int_equal(s.word[1], 1);
	run(&s, 1e9);
	assert_int_equal(s.word[1], 1);
	rarog_budget_release(&s.budget);
}

TEST(when_it_is_called_seldom_each_call_is_recorded_again)
{
	struct simulation s;

	begin(&s, 0.05, (const double[FUNCTIONS]){ 1e-7, 1e-4, 1e-2, 3e-2 });
	run(&s, 1e9);
	assert_true(s.word[2] > 1);
	assert_true(s.word[3] != 1);
	s.rate[2] = s.rate[3] = 1e-6;
	run(&s, 12e9);
	assert_int_equal(s.word[2], 1);
	assert_int_equal(s.word[3], 1);
	assert_true(s.probes_ns <= 0.06 * s.own_ns);
	rarog_budget_release(&s.budget);
}

TEST(never_more_is_recorded_than_the_plan_wants)
{
	struct simulation s = { .budget = { .share = 0.05, .costs = costs } };

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		s.rate[i] = 1e-6;
		s.word[i] = 100;
		assert_int_equal(rarog_budget_place(&s.budget, i, 100), 0);
	}
	run(&s, 1e9);
	for (int i = 0; i < FUNCTIONS; i++)
		assert_int_equal(s.word[i], 100);
	rarog_budget_release(&s.budget);
}

/* It was off for seconds at a time; when it is called seldom it is not for long any more. */
TEST(what_is_off_is_tried_again_soon_where_there_is_room)
{
	for (double before = 20e9; before < 30e9; before += 1e9) {
		struct simulation s;

		begin(&s, 0.05, (const double[FUNCTIONS]){ 1, 1e-6, 0, 0 });
		run(&s, before);
		assert_true(s.budget.places.v[0].was_off);
		s.rate[0] = 1e-6;
		run(&s, 5e9); /* up to 8 s is what it would wait */
		assert_int_equal(s.word[0], 1);
		rarog_budget_release(&s.budget);
	}
}

/* Each switch to off or back stops the program for 30 ms, which its budget pays like probes. */
TEST(what_switching_takes_is_part_of_the_budget)
{
	struct simulation s;

	begin(&s, 0.05, (const double[FUNCTIONS]){ 1e-2, 5e-2, 1e-3, 1e-4 });
	s.stop_ns = 30e6;
	run(&s, 20e9);
	assert_true(s.stopped_ns > 0);
	assert_true((s.probes_ns + s.stopped_ns) / s.own_ns < 0.055);
	rarog_budget_release(&s.budget);
}

/* 45 ms at once, of the 80 that may be spent in a second. */
TEST(what_was_spent_at_first_is_saved_within_a_second)
{
	struct simulation s;

	begin(&s, 0.1, (const double[FUNCTIONS]){ 1e-7, 1e-4, 1e-2, 3e-3 });
	s.stopped_ns = 45e6;
	run(&s, 1e9);
	assert_true((s.probes_ns + s.stopped_ns) / s.own_ns < 0.09);
	assert_true(s.word[2] != RAROG_GATE_OFF && s.word[3] != RAROG_GATE_OFF);
	rarog_budget_release(&s.budget);
}

/* Two functions take half as much again as the program, all of a sudden: within 25 ms of that the
 * first 5 are lost. */
TEST(what_takes_far_too_much_is_thinned_at_once)
{
	struct simulation s;
	double before;

	begin(&s, 0.05, (const double[FUNCTIONS]){ 1e-7, 1e-7, 1e-7, 1e-4 });
	run(&s, 1e9);
	before = s.probes_ns;
	s.rate[1] = s.rate[2] = 3e-2;
	run(&s, 5 * STEP_NS);
	assert_true(s.probes_ns - before < 0.6 * STEP_NS + 4 * 0.1 * STEP_NS);
	rarog_budget_release(&s.budget);
}

/* The first 300 calls of all of them take 3 ms, all that is called in this time 10. */
TEST(the_first_calls_of_many_functions_are_not_all_recorded)
{
	double rate[FUNCTIONS];
	struct simulation s;

	for (int i = 0; i < FUNCTIONS; i++)
		rate[i] = 1e-5;
	begin(&s, 0.02, rate);
	run(&s, 100e6);
	assert_true(s.probes_ns < 3e6);
	rarog_budget_release(&s.budget);
}

/* A thousand calls in a microsecond are those of longer ago, which come late. */
TEST(a_moment_says_nothing_of_rates)
{
	struct simulation s;
	uint64_t changes;

	begin(&s, 0.05, (const double[FUNCTIONS]){ 1e-7, 1e-6, 1e-3, 3e-2 });
	run(&s, 2e9);
	changes = s.budget.changes;
	s.budget.places.v[1].recorded += 10000;
	rarog_budget_step(&s.budget, s.own_ns + s.probes_ns + 1e3, change, &s);
	assert_int_equal(s.word[1], 1);
	assert_int_equal(s.budget.changes, changes);
	rarog_budget_release(&s.budget);
}

TEST(places_without_a_gate_take_nothing_from_the_others)
{
	struct simulation s = { .budget = { .share = 0.05, .costs = costs } };

	assert_int_equal(rarog_budget_place(&s.budget, 5000, 1), 0);
	assert_int_equal(rarog_budget_place(&s.budget, FUNCTIONS - 1, 1), 0);
	for (int i = 0; i < FUNCTIONS; i++)
		s.word[i] = 1;
	s.rate[FUNCTIONS - 1] = 1e-3; /* 2.5 % */
	run(&s, 3e9);
	assert_int_equal(s.word[FUNCTIONS - 1], 1);
	rarog_budget_release(&s.budget);
}

TEST(places_without_a_gate_are_left_alone)
{
	struct simulation s = { .budget = { .share = 0.01, .costs = costs } };

	assert_int_equal(rarog_budget_place(&s.budget, FUNCTIONS - 1, 1), 0);
	for (int i = 0; i < FUNCTIONS; i++) {
		s.word[i] = 1;
		s.rate[i] = 1e-2;
	}
	run(&s, 1e9);
	assert_int_equal(s.word[0], 1);
	assert_true(s.word[FUNCTIONS - 1] != 1);
	rarog_budget_release(&s.budget);
}
