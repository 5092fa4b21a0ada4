/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dynamic probing of two places, of which one is called a thousand times a step, the other once. */
#include "unit.h"

#include "agent/gate.h"
#include "plan/probing.h"

#define STEP_NS 10e6

struct simulation {
	struct rarog_budget budget;
	struct rarog_probing probing;
	double ran_ns;
	double turned[16]; /* when the first place was switched */
	size_t n;
};

static void change(void *user, uint32_t number, uint32_t word)
{
	struct simulation *s = user;

	assert_int_equal(number, 0);
	assert_int_equal(word, s->n % 2 ? 1 : RAROG_GATE_OFF);
	assert_true(s->n < 16);
	s->turned[s->n++] = s->ran_ns;
}

static void begin(struct simulation *s, uint64_t threshold, bool reattaches)
{
	*s = (struct simulation){ .probing = { threshold, reattaches } };
	assert_int_equal(rarog_budget_place(&s->budget, 0, 1), 0);
	assert_int_equal(rarog_budget_place(&s->budget, 1, 1), 0);
}

static void run(struct simulation *s, double seconds)
{
	for (double end = s->ran_ns + seconds * 1e9; s->ran_ns < end;) {
		s->ran_ns += STEP_NS;
		if (s->budget.places.v[0].word != RAROG_GATE_OFF)
			s->budget.places.v[0].recorded += 1000;
		s->budget.places.v[1].recorded++;
		rarog_probing_step(&s->budget, &s->probing, s->ran_ns, change, s);
	}
}

TEST(what_was_called_often_enough_is_off_for_good)
{
	struct simulation s;

	begin(&s, 10000, false);
	run(&s, 50);
	assert_int_equal(s.n, 1);
	assert_true(s.turned[0] == 10 * STEP_NS);
	assert_int_equal(s.budget.places.v[0].recorded, 10000);
	assert_true(s.budget.places.v[0].was_off && !s.budget.places.v[1].was_off);
	rarog_budget_release(&s.budget);
}

/* It is on for ten steps each time, and off for 0.5 s, 1 s, 2 s, 4 s. */
TEST(or_until_a_while_has_passed_each_twice_as_long)
{
	double at = 0, off = 0.5e9;
	struct simulation s;

	begin(&s, 10000, true);
	run(&s, 8.2);
	assert_int_equal(s.n, 9);
	for (size_t i = 0; i + 1 < s.n; i += 2, off *= 2) {
		at += 10 * STEP_NS;
		assert_true(s.turned[i] == at);
		at += off;
		assert_true(s.turned[i + 1] == at);
	}
	rarog_budget_release(&s.budget);
}

TEST(what_is_to_stay_stays)
{
	struct simulation s;

	begin(&s, 10000, false);
	s.budget.places.v[0].stays = true;
	run(&s, 5);
	assert_int_equal(s.n, 0);
	rarog_budget_release(&s.budget);
}
