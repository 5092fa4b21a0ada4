/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stubs and the agent, executed: calls that begin late, and that gain what others pause for. */
#include "emit-lab.h"
#include "engine/inline/code/emit-delay.h"
#include "unit.h"

#include <x86intrin.h>

/* What is accounted for is what the clock says: at least what was asked, at most what has passed.
 */
TEST(calls_begin_late_by_the_clock)
{
	struct lab lab;
	const uint64_t asked = 50000, calls = 20;
	uint64_t start, passed, *total;

	open_gated_lab(&lab, plain, RAROG_GATE_COUNTED);
	leaf();
	lab.shop.gates[LEAF] = RAROG_GATE_DELAY | asked;
	start = __rdtsc();
	for (uint64_t i = 0; i < calls; i++)
		leaf();
	passed = __rdtsc() - start;
	lab.shop.gates[LEAF] = RAROG_GATE_COUNTED;
	leaf();
	rarog_test_rig_leave();
	total = &lab.shop.counters[RAROG_TEST_RIG_COUNTERS + 2 * LEAF];
	assert_true(total[0] >= calls * asked);
	assert_true(total[0] <= passed);
	assert_int_equal(total[1], calls + 2);
	close_lab(&lab);
}

TEST(calls_begin_late_by_turns_of_a_loop)
{
	struct lab lab;

	open_gated_lab(&lab, plain, RAROG_GATE_DELAY | RAROG_GATE_TURNS | 7);
	for (int i = 0; i < 5; i++)
		leaf();
	nest(); /* and leaf twice in it */
	rarog_test_rig_leave();
	expect_counters(&lab, LEAF, 7 * 7, 7);
	expect_counters(&lab, NEST, 7, 1);
	close_lab(&lab);
}

/* What leaf has made this thread pause for; the rest of what is owed: nothing. */
static uint64_t paused(const struct lab *lab)
{
	return lab->shop.counters[RAROG_TEST_RIG_COUNTERS + 2 * LEAF];
}

TEST(what_a_call_gains_all_others_owe)
{
	struct lab lab;
	uint32_t *gate;
	uint64_t *gained, before;

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_GAINS | 1000);
	gate = &lab.shop.gates[LEAF];
	gained = &lab.shop.control->gained;
	for (int i = 0; i < 5; i++)
		leaf();
	assert_int_equal(*gained, 5000);
	*gate = DEBTS | RAROG_GATE_PAYS;
	leaf(); /* it has gained that itself */
	assert_int_equal(paused(&lab), 0);
	*gained += 100000; /* another thread's */
	leaf();
	assert_true(paused(&lab) >= 100000 && paused(&lab) < 200000);
	before = paused(&lab);
	leaf();
	assert_int_equal(paused(&lab), before);
	rarog_test_rig_leave();
	expect_counters(&lab, LEAF, before, 5 + 3);
	close_lab(&lab);
}

/* Rarog keeps noise_until ahead of the clock; it is gone here. */
TEST(noise_pauses_and_gains_end_with_rarog)
{
	struct lab lab;
	struct rarog_control *control;

	open_gated_lab(&lab, plain, RAROG_GATE_DELAY | 50000);
	control = lab.shop.control;
	control->noise_until = 0;
	leaf();
	assert_int_equal(paused(&lab), 0);
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_GAINS | 1000;
	leaf();
	assert_int_equal(control->gained, 0);
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS;
	control->gained = 1ull << 40; /* some minutes */
	control->noise_until = __rdtsc() + 1000000;
	leaf(); /* it has begun when that is over, or not */
	assert_true(paused(&lab) < 1000000 + RAROG_DELAY_GAP_TICKS);
	assert_int_equal(control->noise_until, 0);
	rarog_test_rig_leave();
	close_lab(&lab);
}

/* Threads in the function at the same time are faster by the same: that is gained once. */
TEST(who_owes_and_gains_owes_the_rest)
{
	struct lab lab;
	uint64_t *gained;

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_GAINS | 1000);
	leaf();
	gained = &lab.shop.control->gained;
	*gained += 800; /* less than what the next call gains */
	leaf();
	assert_int_equal(*gained, 2000);
	assert_int_equal(paused(&lab), 0);
	*gained += 51000; /* more: the rest is to be paid */
	leaf();
	assert_int_equal(*gained, 53000);
	assert_true(paused(&lab) >= 50000 && paused(&lab) < 100000);
	rarog_test_rig_leave();
	close_lab(&lab);
}

TEST(what_is_gained_while_a_thread_waits_is_forgiven)
{
	struct lab lab;
	uint64_t *gained, before;

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_WAITS);
	leaf();
	gained = &lab.shop.control->gained;
	*gained += 1000000;
	lab.shop.control->woken = *gained;
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS;
	leaf();
	assert_int_equal(paused(&lab), 0);
	*gained += 30000; /* it waits no more; and pays before it waits again */
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS | RAROG_GATE_WAITS;
	leaf();
	before = paused(&lab);
	assert_true(before >= 30000 && before < 100000);
	*gained += 1000000;
	lab.shop.control->woken = *gained;
	leaf();
	assert_int_equal(paused(&lab), before);
	*gained += 1000;
	lab.shop.control->woken = *gained;
	*gained += 40000; /* after it was woken */
	leaf();
	assert_true(paused(&lab) >= before + 40000 && paused(&lab) < before + 100000);
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_WAKES;
	leaf();
	assert_int_equal(lab.shop.control->woken, *gained);
	rarog_test_rig_leave();
	close_lab(&lab);
}

static void *leaf_late(void *shop)
{
	rarog_test_rig_enter(shop);
	leaf();
	leaf();
	rarog_test_rig_leave();
	return NULL;
}

TEST(a_new_thread_owes_nothing)
{
	struct lab lab;
	pthread_t thread;

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_PAYS);
	lab.shop.control->gained = 1ull << 40;
	leaf();
	assert_int_equal(pthread_create(&thread, NULL, leaf_late, &lab.shop), 0);
	pthread_join(thread, NULL);
	assert_int_equal(paused(&lab), 0);
	assert_int_equal(lab.shop.counters[2 * RAROG_TEST_RIG_COUNTERS + 2 * LEAF], 0);
	assert_int_equal(lab.shop.counters[2 * RAROG_TEST_RIG_COUNTERS + 2 * LEAF + 1], 2);
	rarog_test_rig_leave();
	close_lab(&lab);
}
