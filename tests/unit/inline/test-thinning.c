/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When it is looked at what a budget has come to: words of calls come, time does not pass. And what
 * a process had run when it was met. */
#include <unistd.h>

#include "unit.h"

#include "agent/abi.h"
#include "engine/inline/ring/processes.h"
#include "engine/inline/ring/thinning.h"
#include "plan/plan.h"

#define AT_ONCE 1000 /* calls in a chunk of these tests */

static const struct rarog_budget_costs costs = { 15, 1 };

static void begin(struct rarog_thinning *t, double share)
{
	const struct rarog_plan plan = { .overhead = share };

	rarog_thinning_begin(t, &plan, &costs);
	t->next_ticks = UINT64_MAX;
}

/* An entry and a return each, of a function that has no gate. */
static void add_calls(struct rarog_thinning *t, uint32_t n)
{
	static struct rarog_id_map ids;
	static const struct rarog_image image = { .ids = &ids };
	uint16_t words[3 * AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++) {
		words[3 * i] = RAROG_WORD_ENTRY | 1;
		words[3 * i + 1] = 7;
		words[3 * i + 2] = 1;
	}
	for (uint32_t i = 0; i < n; i += AT_ONCE)
		rarog_thinning_words(t, &image, 0, RAROG_COUNT(words), words);
}

/* Calls until it is due, all of which are to be recorded. */
static uint32_t calls_until_due(double share)
{
	struct rarog_thinning t;
	uint32_t n = 0;

	begin(&t, share);
	for (; n < 1000000 && !rarog_thinning_is_due(&t); n += AT_ONCE)
		add_calls(&t, AT_ONCE);
	rarog_thinning_release(&t);
	return n;
}

/* 10 % of 10 ms are 1 ms, in which some 33,000 calls of 30 ns are recorded. */
TEST(it_is_looked_at_once_when_more_was_recorded_than_may_be)
{
	assert_in_range(calls_until_due(0.1), 30000, 40000);
	assert_in_range(calls_until_due(0.2), 60000, 80000);
}

/* Two chunks come whenever they are full, however long that took. */
TEST(few_calls_say_nothing)
{
	assert_in_range(calls_until_due(0.001), 20000, 22000);
}

TEST(when_it_is_time_it_is_looked_anyway)
{
	struct rarog_thinning t;

	begin(&t, 0.1);
	assert_false(rarog_thinning_is_due(&t));
	t.next_ticks = 0;
	assert_true(rarog_thinning_is_due(&t));
	begin(&t, 0);
	t.next_ticks = 0;
	add_calls(&t, 100000);
	assert_false(rarog_thinning_is_due(&t));
}

/* Of this process, that has run for a while: nobody has got ready who runs already, or was another
 * program before. */
TEST(what_getting_ready_took_is_not_the_programs_own)
{
	for (uint32_t i = 0; i < 4; i++) {
		bool is_running = i & 1;
		uint32_t programs_before = i / 2;
		struct rarog_modules modules = { .leaves = is_running };
		struct rarog_image image = { .modules = &modules };
		struct rarog_drained process = { .pid = getpid(),
						 .image = &image,
						 .index = programs_before };
		struct rarog_thinning t;

		begin(&t, 0.1);
		rarog_thinning_met(&t, &process);
		assert_true(process.ran_ns > 0);
		assert_int_equal(t.ran_ns, 0);
		assert_int_equal(t.ready_ns, is_running || programs_before ? 0 : process.ran_ns);
	}
}
