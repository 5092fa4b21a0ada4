/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stubs and the agent, executed: calls that begin late, and that gain what others pause for. */
#include "emit-lab.h"
#include "engine/delay.h"
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

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_GAINS | 20000);
	gate = &lab.shop.gates[LEAF];
	gained = &lab.shop.control->gained;
	for (int i = 0; i < 5; i++)
		leaf();
	assert_int_equal(*gained, 100000);
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

/* Nobody else sees what a thread gains before it is much, or before it wakes another or waits. */
TEST(small_gains_are_told_together)
{
	static const uint32_t tells[] = { RAROG_GATE_WAKES, RAROG_GATE_WAITS };
	const uint64_t n = RAROG_GAIN_STEP_TICKS / 1000;
	struct lab lab;
	uint64_t *gained, sum;

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_GAINS | 1000);
	gained = &lab.shop.control->gained;
	for (uint64_t i = 0; i < n; i++)
		leaf();
	assert_int_equal(*gained, 0);
	leaf();
	sum = 1000 * (n + 1);
	assert_int_equal(*gained, sum);
	for (size_t i = 0; i < RAROG_COUNT(tells); i++) {
		lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_GAINS | 1000;
		leaf();
		assert_int_equal(*gained, sum);
		lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS | tells[i];
		leaf();
		sum += 1000;
		assert_int_equal(*gained, sum);
	}
	assert_int_equal(lab.shop.control->woken[0], sum - 1000);
	assert_int_equal(paused(&lab), 0);
	rarog_test_rig_leave();
	close_lab(&lab);
}

/* A pause is a turn of the loop longer than what is owed; what it is longer by nobody owes. */
TEST(who_pauses_gains_nothing_by_it)
{
	static const uint32_t tells[] = { RAROG_GATE_WAKES, RAROG_GATE_WAITS };
	struct lab lab;
	uint64_t *gained;

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_PAYS);
	gained = &lab.shop.control->gained;
	for (int i = 0; i < 1000; i++) {
		uint64_t owed = *gained += 100; /* another thread's */

		lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS;
		leaf();
		lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS | tells[i % 2];
		leaf();
		if (*gained != owed) /* somebody had the processor while it paused */
			assert_true(*gained >= owed + 256);
	}
	assert_true(paused(&lab) >= 1000 * 100 - 512);
	rarog_test_rig_leave();
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

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_GAINS | 20000);
	leaf();
	gained = &lab.shop.control->gained;
	*gained += 800; /* less than what the next call gains */
	leaf();
	assert_int_equal(*gained, 40000);
	assert_int_equal(paused(&lab), 0);
	*gained += 70000; /* more: the rest is to be paid */
	leaf();
	assert_int_equal(*gained, 110000);
	assert_true(paused(&lab) >= 50000 && paused(&lab) < 100000);
	rarog_test_rig_leave();
	close_lab(&lab);
}

/* Its calls take as much longer as they gain: all others owe that, and the caller has paid. */
TEST(what_a_call_gains_and_loses_all_pause_for)
{
	struct lab lab;
	uint64_t *gained, before;

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_GAINS | RAROG_GATE_LOSES | 20000);
	gained = &lab.shop.control->gained;
	for (int i = 0; i < 5; i++)
		leaf();
	before = paused(&lab);
	assert_true(before >= 100000 && before < 150000);
	assert_true(*gained >= 100000 && *gained <= before + 5 * rarog_delay_around_ticks());
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS;
	leaf();
	assert_int_equal(paused(&lab), before);
	*gained += 70000; /* another thread's: longer than what the next call gains */
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_GAINS | RAROG_GATE_LOSES | 20000;
	leaf();
	assert_true(paused(&lab) - before >= 50000 && paused(&lab) - before < 110000);
	rarog_test_rig_leave();
	close_lab(&lab);
}

/* As gains are: nobody else sees them before they are much. */
TEST(small_gains_that_are_lost_are_told_together)
{
	const uint64_t n = RAROG_GAIN_STEP_TICKS / 1000, around = rarog_delay_around_ticks();
	struct lab lab;

	open_gated_lab(&lab, plain, DEBTS | RAROG_GATE_GAINS | RAROG_GATE_LOSES | 1000);
	for (uint64_t i = 0; i < n / 2; i++)
		leaf();
	assert_true(paused(&lab) >= 1000 * (n / 2));
	if (paused(&lab) + around * n / 2 <
	    RAROG_GAIN_STEP_TICKS) /* nobody had the processor meanwhile */
		assert_int_equal(lab.shop.control->gained, 0);
	for (uint64_t i = 0; i < n; i++)
		leaf();
	assert_true(lab.shop.control->gained >= 1000 * n);
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
	lab.shop.control->woken[0] = *gained;
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS;
	leaf();
	assert_int_equal(paused(&lab), 0);
	*gained += 30000; /* it waits no more; and pays before it waits again */
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_PAYS | RAROG_GATE_WAITS;
	leaf();
	before = paused(&lab);
	assert_true(before >= 30000 && before < 100000);
	*gained += 1000000;
	lab.shop.control->woken[0] = *gained;
	leaf();
	assert_int_equal(paused(&lab), before);
	*gained += 1000;
	lab.shop.control->woken[0] = *gained;
	*gained += 40000; /* after it was woken */
	leaf();
	assert_true(paused(&lab) >= before + 40000 && paused(&lab) < before + 100000);
	lab.shop.gates[LEAF] = DEBTS | RAROG_GATE_WAKES;
	leaf();
	assert_int_equal(lab.shop.control->woken[0], *gained);
	rarog_test_rig_leave();
	close_lab(&lab);
}

struct settling {
	struct rarog_test_rig *shop;
	uint32_t bits;
	const int *first, *second;
};

static void settle(const struct settling *s)
{
	void (*call)(const int *, const int *) =
		(void (*)(const int *, const int *))(uintptr_t)leaf;

	s->shop->gates[LEAF] = DEBTS | s->bits;
	call(s->first, s->second);
}

static void *settle_late(void *settling)
{
	rarog_test_rig_enter(((struct settling *)settling)->shop);
	settle(settling);
	rarog_test_rig_leave();
	return NULL;
}

static void settle_beside(struct settling s)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, settle_late, &s), 0);
	pthread_join(thread, NULL);
}

#define GAINED 50000

/* Does this thread pause for what another one gains while it waits as @waits says? That one wakes
 * one as @wakes says. */
static bool pauses(struct settling waits, struct settling wakes)
{
	struct lab lab;
	const struct settling pays = { &lab.shop, RAROG_GATE_PAYS, NULL, NULL };
	uint64_t pause;

	open_gated_lab(&lab, plain, RAROG_GATE_COUNTED);
	waits.shop = wakes.shop = &lab.shop;
	settle(&waits);
	lab.shop.control->gained += GAINED;
	settle_beside(wakes);
	settle(&pays);
	pause = paused(&lab);
	rarog_test_rig_leave();
	close_lab(&lab);
	assert_true(pause == 0 || pause >= GAINED);
	return pause > 0;
}

TEST(who_is_woken_by_another_object_is_forgiven_nothing)
{
	const uint32_t waits = RAROG_GATE_WAITS | RAROG_GATE_FIRST;
	const uint32_t wakes = RAROG_GATE_WAKES | RAROG_GATE_FIRST;
	const uint32_t either = waits | RAROG_GATE_SECOND;
	const uint32_t second = RAROG_GATE_WAITS | RAROG_GATE_SECOND; /* as syscall() */
	const int o[3] = { 0 };
	/* as pthread_cond_wait() does, which lets its mutex go: a thread that waits for that is
	 * woken. It waits for the condition: others take the mutex and let it go until it runs. */
	const struct settling condition = { NULL, wakes | either, &o[0], &o[1] };

	assert_false(pauses((struct settling){ NULL, waits, &o[0], &o[1] },
			    (struct settling){ NULL, wakes, &o[0], &o[2] }));
	assert_true(pauses((struct settling){ NULL, waits, &o[0], &o[1] },
			   (struct settling){ NULL, wakes, &o[1], &o[0] }));
	assert_true(pauses((struct settling){ NULL, waits, &o[0], &o[1] },
			   (struct settling){ NULL, RAROG_GATE_WAKES, NULL, NULL }));
	assert_false(pauses((struct settling){ NULL, second, NULL, &o[1] },
			    (struct settling){ NULL, wakes, &o[1], NULL }));
	for (int i = 0; i < 3; i++)
		assert_int_equal(pauses((struct settling){ NULL, either, &o[0], &o[1] },
					(struct settling){ NULL, wakes, &o[i], NULL }),
				 i > 0);
	assert_false(pauses((struct settling){ NULL, waits, &o[1], NULL }, condition));
	assert_true(pauses((struct settling){ NULL, waits, &o[0], NULL }, condition));
}

/* A mutex that is free: it is let go before and after, by its owner. */
TEST(who_takes_what_is_free_is_forgiven_nothing)
{
	const int o[1] = { 0 };
	struct lab lab;
	struct settling lock = { &lab.shop, RAROG_GATE_WAITS | RAROG_GATE_FIRST, o, NULL };
	struct settling unlock = { &lab.shop, RAROG_GATE_WAKES | RAROG_GATE_FIRST, o, NULL };
	const struct settling pays = { &lab.shop, RAROG_GATE_PAYS, NULL, NULL };

	open_gated_lab(&lab, plain, RAROG_GATE_COUNTED);
	settle(&pays); /* its strand is the first */
	settle_beside(lock);
	settle_beside(unlock);
	settle(&lock);
	lab.shop.control->gained += GAINED;
	settle(&unlock);
	settle_beside(lock);
	settle(&pays);
	assert_true(paused(&lab) >= GAINED);
	rarog_test_rig_leave();
	close_lab(&lab);
}

/* Of glibc, here laid out by hand: what says whether a thread waits. */
struct looked_at {
	uint32_t bit;
	int first, writer; /* the first word, and that at 24 */
	bool waits;
};

/* Is what another one gains then forgiven, whose unlock or post comes later? */
static bool is_forgiven(const struct looked_at *one)
{
	const int words[7] = { one->first, [6] = one->writer };
	const struct settling other = { NULL, RAROG_GATE_WAKES | RAROG_GATE_FIRST, words, NULL };
	uint32_t by = one->bit == RAROG_GATE_ONCE ? 0 : RAROG_GATE_FIRST;

	return !pauses((struct settling){ NULL, RAROG_GATE_WAITS | by | one->bit, words, NULL },
		       other);
}

TEST(who_finds_it_free_does_not_wait)
{
	const struct looked_at all[] = {
		{ .bit = RAROG_GATE_SEMAPHORE, .first = 0, .waits = true },
		{ .bit = RAROG_GATE_SEMAPHORE, .first = 1 },
		{ .bit = RAROG_GATE_SEMAPHORE, .first = INT32_MAX },
		{ .bit = RAROG_GATE_READS, .writer = 4711, .waits = true },
		{ .bit = RAROG_GATE_READS, .first = 8 }, /* a reader */
		{ .bit = RAROG_GATE_ONCE, .first = 1, .waits = true },
		{ .bit = RAROG_GATE_ONCE, .first = 5, .waits = true }, /* in a forked process */
		{ .bit = RAROG_GATE_ONCE, .first = 0 },
		{ .bit = RAROG_GATE_ONCE, .first = 2 },
	};

	for (size_t i = 0; i < RAROG_COUNT(all); i++)
		assert_int_equal(is_forgiven(&all[i]), all[i].waits);
}

/* Nobody says when that was: what is gained later is forgiven, too, until the next call. */
TEST(who_waits_until_something_was_done_once_is_forgiven_up_to_now)
{
	const int doing = 1;
	struct lab lab;
	struct settling once = { &lab.shop, RAROG_GATE_WAITS | RAROG_GATE_ONCE, &doing, NULL };
	const struct settling pays = { &lab.shop, RAROG_GATE_PAYS, NULL, NULL };

	open_gated_lab(&lab, plain, RAROG_GATE_COUNTED);
	settle(&once);
	lab.shop.control->gained += GAINED;
	settle(&pays);
	assert_int_equal(paused(&lab), 0);
	lab.shop.control->gained += GAINED;
	settle(&pays);
	assert_true(paused(&lab) >= GAINED);
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
