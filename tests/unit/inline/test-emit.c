/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stubs and the agent, executed: what an ordinary call does, for every kind of stub. */
#include "emit-lab.h"
#include "unit.h"

#include <sys/prctl.h>
#include <x86intrin.h>

/* ---- ordinary calls ---- */

TEST(what_is_called_is_recorded)
{
	struct lab lab;

	open_lab(&lab, 4, plain, 0);
	leaf();
	nest();
	recurse(3);
	rarog_test_rig_leave();
	expect(&lab, 1, "S+0-+1+0-+0--+2+2+2+2----");
	assert_int_equal(rarog_test_rig_strand(&lab.shop, 1)->tid, gettid());
	close_lab(&lab);
}

TEST(tail_calls_take_one_frame)
{
	struct lab lab;
	const struct rarog_strand_private *p;

	open_lab(&lab, 200, plain, 0);
	p = rarog_test_rig_private(&lab.shop, 1);
	tail_a(3);
	rarog_test_rig_leave();
	expect(&lab, 1, "S+3-+4-+3-+4-");
	rarog_test_rig_enter(&lab.shop);
	memset((void *)(uintptr_t)(p->base + 2 * RAROG_FRAME_SIZE), 0xee, RAROG_FRAME_SIZE);
	tail_a(1000000);
	assert_int_equal(p->top, p->base);
	assert_int_equal(*(uint64_t *)(uintptr_t)(p->base + 2 * RAROG_FRAME_SIZE),
			 UINT64_C(0xeeeeeeeeeeeeeeee));
	close_lab(&lab);
}

static void fill_registers(uint64_t seed)
{
	uint8_t *bytes = (void *)&registers_in;

	for (size_t i = 0; i < sizeof(registers_in); i++)
		bytes[i] = (uint8_t)((i * 37 + seed) ^ (i >> 3));
	registers_in.mxcsr = 0x1f80 | 0x2000 << (seed & 1);            /* rounding down, up */
	registers_in.x87_control = 0x37f ^ (seed & 1 ? 0x400 : 0x800); /* the same */
	if (registers_avx)
		return;
	for (int i = 0; i < 16; i++) /* upper halves are not there */
		memset(registers_in.vector[i] + 16, 0, 16);
}

static void one_call_keeps_registers(uint64_t seed)
{
	fill_registers(seed);
	memset(&registers_seen, 0, sizeof(registers_seen));
	memset(&registers_out, 0, sizeof(registers_out));
	registers_seen.x87_control = registers_out.x87_control =
		registers_in.x87_control & 0xffff0000;
	keeps_registers();
	assert_memory_equal(&registers_seen, &registers_in, sizeof(registers_in));
	assert_memory_equal(&registers_out, &registers_in, sizeof(registers_in));
}

/* The first call claims a strand; later ones are fast, late (16 and 64 bits), or change chunks. */
TEST(probes_keep_registers)
{
	struct lab lab;

	registers_avx = !!__builtin_cpu_supports("avx");
	open_lab(&lab, 3, plain, 0);
	one_call_keeps_registers(1);
	for (uint64_t seed = 2; seed < 20; seed++)
		one_call_keeps_registers(seed);
	let_time_pass(&lab, 1 << 20);
	one_call_keeps_registers(20);
	let_time_pass(&lab, UINT64_C(1) << 33);
	one_call_keeps_registers(21);
	for (uint64_t seed = 22; rarog_test_rig_strand(&lab.shop, 1)->sequence < 1; seed++)
		one_call_keeps_registers(seed);
	close_lab(&lab);
}

/* ---- the other kinds of stubs ---- */

static void call_some(void *argument)
{
	(void)argument;
	leaf();
	nest();
}

TEST(only_within_the_root)
{
	const enum rarog_stub_kind kinds[PROBED] = {
		[LEAF] = RAROG_STUB_WITHIN,
		[NEST] = RAROG_STUB_WITHIN,
		[THROUGH] = RAROG_STUB_ROOT,
	};
	struct lab lab;
	const struct rarog_strand_private *p;

	open_lab(&lab, 4, kinds, 0);
	p = rarog_test_rig_private(&lab.shop, 1);
	leaf(); /* claims the strand */
	assert_int_equal(p->top, p->base);
	nest();
	assert_int_equal(p->top, p->base);
	through(call_some, NULL);
	nest();
	through(call_some, NULL);
	assert_int_equal(p->top, p->base);
	expect(&lab, 1, "S+6+0-+1+0-+0---+6+0-+1+0-+0---");
	close_lab(&lab);
}

TEST(only_outside_of_the_root)
{
	const enum rarog_stub_kind kinds[PROBED] = {
		[LEAF] = RAROG_STUB_BELOW,
		[NEST] = RAROG_STUB_BELOW,
		[THROUGH] = RAROG_STUB_ROOT,
	};
	struct lab lab;
	const struct rarog_strand_private *p;

	open_lab(&lab, 4, kinds, RAROG_AREA_BELOW | RAROG_AREA_ORDERED);
	p = rarog_test_rig_private(&lab.shop, 1);
	leaf();
	through(call_some, NULL);
	nest();
	through(call_some, NULL);
	leaf();
	assert_int_equal(p->top, p->base);
	expect(&lab, 1, "S+0-+6-+1+0-+0--+6-+0-");
	close_lab(&lab);
}

/* The numbers are the kernel's. */
TEST(what_may_forbid_system_calls_is_heard_of)
{
	enum rarog_stub_kind kinds[PROBED] = { [LEAF] = RAROG_STUB_PRCTL };
	void (*call)(int, long) = (void (*)(int, long))(uintptr_t)leaf;
	const int others[] = { 0, PR_SET_NAME, PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS };
	const int those[] = { PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS };

	for (int i = 0; i < 2; i++) {
		struct lab lab;

		open_lab(&lab, 1, kinds, 0);
		for (size_t k = 0; k < RAROG_COUNT(others); k++)
			call(others[k], 1);
		assert_int_equal(rarog_test_rig_private(&lab.shop, 0)->filtered,
				 RAROG_FILTERED_NOT);
		call(those[i], 1);
		assert_int_equal(rarog_test_rig_private(&lab.shop, 0)->filtered,
				 RAROG_FILTERED_SOON);
		close_lab(&lab);
	}
}

static void *count_in_a_thread(void *argument)
{
	(void)argument;
	for (int i = 0; i < 777; i++)
		nest();
	return NULL;
}

TEST(counting_is_exact)
{
	enum rarog_stub_kind kinds[PROBED];
	struct lab lab;
	pthread_t thread;

	for (int i = 0; i < PROBED; i++)
		kinds[i] = RAROG_STUB_COUNT;
	registers_avx = !!__builtin_cpu_supports("avx");
	open_lab(&lab, 1, kinds, 0);
	for (int i = 0; i < 12345; i++)
		leaf();
	recurse(99);
	tail_a(6);
	one_call_keeps_registers(3);
	assert_int_equal(pthread_create(&thread, NULL, count_in_a_thread, NULL), 0);
	pthread_join(thread, NULL);
	const uint64_t *first = lab.shop.counters + RAROG_TEST_RIG_COUNTERS;
	const uint64_t *second = first + RAROG_TEST_RIG_COUNTERS;
	assert_int_equal(first[LEAF], 12345);
	assert_int_equal(first[RECURSE], 100);
	assert_int_equal(first[TAIL_A], 4);
	assert_int_equal(first[TAIL_B], 3);
	assert_int_equal(first[SEE], 1);
	assert_int_equal(first[NEST], 0);
	assert_int_equal(second[NEST], 777);
	assert_int_equal(second[LEAF], 2 * 777);
	close_lab(&lab);
}

/* Of strand 1. */
/* Calls 0, 3, 6 … of each function; what a call that is left out calls is counted on its own. */
TEST(every_third_call_is_recorded)
{
	struct lab lab;

	open_gated_lab(&lab, plain, 3);
	for (int i = 0; i < 7; i++)
		leaf();
	recurse(7); /* calls 0 to 7, one in another */
	nest();     /* leaf: calls 7 and 8 */
	nest();     /* left out; leaf: 9 and 10 */
	rarog_test_rig_leave();
	expect(&lab, 1, "S+0-+0-+0-+2+2+2---+1-+0-");
	/* number 11 would be left out, number 12 recorded */
	expect_counters(&lab, LEAF, 1, 11 - 4);
	expect_counters(&lab, RECURSE, 1, 8 - 3);
	expect_counters(&lab, NEST, 1, 2 - 1);
	close_lab(&lab);
}

/* What is switched in between: recorded and skipped calls are all, whatever N was. */
TEST(gates_are_switched_between_calls)
{
	struct lab lab;
	uint32_t *gate;

	open_gated_lab(&lab, plain, RAROG_GATE_EVERY);
	gate = &lab.shop.gates[LEAF];
	leaf();
	*gate = RAROG_GATE_OFF;
	leaf();
	leaf();
	nest(); /* recorded; both calls of leaf are not even counted */
	expect_counters(&lab, LEAF, 0, 0);
	*gate = RAROG_GATE_COUNTED;
	for (int i = 0; i < 5; i++)
		leaf();
	expect_counters(&lab, LEAF, 0, 5);
	*gate = 4;
	for (int i = 0; i < 6; i++)
		leaf();
	expect_counters(&lab, LEAF, 2, 5 + 4);
	*gate = RAROG_GATE_EVERY;
	leaf();
	expect_counters(&lab, LEAF, 2, 5 + 4);
	*gate = 2; /* two are still left out, then every second one */
	for (int i = 0; i < 5; i++)
		leaf();
	expect_counters(&lab, LEAF, 1, 5 + 4 + 3);
	rarog_test_rig_leave();
	expect(&lab, 1, "S+0-+1-+0-+0-+0-+0-+0-");
	close_lab(&lab);
}

/* A thread whose first call is only counted has a strand for it. */
TEST(the_first_call_may_be_one_that_is_only_counted)
{
	struct lab lab;

	open_gated_lab(&lab, plain, RAROG_GATE_COUNTED);
	leaf();
	leaf();
	expect_counters(&lab, LEAF, 0, 2);
	rarog_test_rig_leave();
	close_lab(&lab);
}

TEST(counting_is_switched_off_and_on)
{
	enum rarog_stub_kind kinds[PROBED];
	struct lab lab;

	for (int i = 0; i < PROBED; i++)
		kinds[i] = RAROG_STUB_COUNT;
	open_gated_lab(&lab, kinds, RAROG_GATE_EVERY);
	leaf();
	lab.shop.gates[LEAF] = RAROG_GATE_OFF;
	leaf();
	nest();
	lab.shop.gates[LEAF] = RAROG_GATE_EVERY;
	leaf();
	rarog_test_rig_leave();
	assert_int_equal(lab.shop.counters[RAROG_TEST_RIG_COUNTERS + LEAF], 2);
	assert_int_equal(lab.shop.counters[RAROG_TEST_RIG_COUNTERS + NEST], 1);
	close_lab(&lab);
}

static void *leaf_in_a_thread(void *nothing)
{
	rarog_test_rig_enter(nothing);
	for (int i = 0; i < 5; i++)
		leaf();
	rarog_test_rig_leave();
	return NULL;
}

TEST(threads_are_sampled_on_their_own)
{
	struct lab lab;
	pthread_t thread;

	open_gated_lab(&lab, plain, 3);
	leaf();
	leaf();
	assert_int_equal(pthread_create(&thread, NULL, leaf_in_a_thread, &lab.shop), 0);
	pthread_join(thread, NULL);
	leaf();
	leaf();
	rarog_test_rig_leave();
	expect(&lab, 1, "S+0-+0-");
	expect(&lab, 2, "S+0-+0-");
	close_lab(&lab);
}

TEST(calls_left_out_keep_registers)
{
	const uint32_t words[] = { RAROG_GATE_COUNTED,
				   RAROG_GATE_OFF,
				   RAROG_GATE_DELAY | 400,
				   RAROG_GATE_DELAY | RAROG_GATE_TURNS | 10,
				   DEBTS | RAROG_GATE_GAINS | 1000,
				   DEBTS | RAROG_GATE_PAYS,
				   DEBTS | RAROG_GATE_WAITS,
				   DEBTS | RAROG_GATE_PAYS | RAROG_GATE_WAITS,
				   DEBTS | RAROG_GATE_WAKES | RAROG_GATE_FIRST,
				   DEBTS | RAROG_GATE_WAITS | RAROG_GATE_FIRST |
					   RAROG_GATE_SECOND };
	struct lab lab;

	registers_avx = !!__builtin_cpu_supports("avx");
	open_gated_lab(&lab, plain, 2);
	for (unsigned seed = 1; seed < 8; seed++)
		one_call_keeps_registers(seed);
	for (unsigned i = 0; i < RAROG_COUNT(words); i++) {
		for (unsigned k = 0; k < PROBED; k++)
			lab.shop.gates[k] = words[i];
		lab.shop.control->gained += 3000; /* to be paid for, where it is */
		for (unsigned seed = 8; seed < 11; seed++)
			one_call_keeps_registers(seed);
	}
	close_lab(&lab);
}

/* ---- readings of the clock that wait ---- */

#define READINGS 2000

static uint64_t least_of(void (*function)(void))
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		_mm_lfence();
		uint64_t start = __rdtsc();

		function();
		_mm_lfence();
		uint64_t ticks = __rdtsc() - start;

		least = ticks < least ? ticks : least;
	}
	return least;
}

/* A call without calls of its own is two words and the time that it took. */
static uint64_t least_recorded(const struct words *words, uint32_t function)
{
	uint64_t least = UINT64_MAX;

	for (size_t at = 0, n; at + 2 < words->w.n; at += n) {
		const uint16_t *w = words->w.v + at;

		n = (size_t)rarog_stream_record(words->w.n - at, w);
		if (n == 2 && w[1] == function && w[2] < least)
			least = w[2];
	}
	return least;
}

/* How much longer chain() took than leaf(), by probes and, before there are any, by ourselves. */
static void measure_chain(uint64_t flags, uint64_t *ret_recorded, uint64_t *ret_true)
{
	struct words words = { 0 };
	struct lab lab;

	*ret_true = least_of(chain) - least_of(leaf);
	open_lab(&lab, 4, plain, flags);
	for (int i = 0; i < READINGS; i++) {
		leaf();
		chain();
	}
	rarog_test_rig_leave();
	take_words(&words, &lab, 1);
	*ret_recorded = least_recorded(&words, CHAIN) - least_recorded(&words, LEAF);
	rarog_vec_release(&words.w);
	close_lab(&lab);
}

TEST(ordered_probes_wait_for_the_function)
{
	uint64_t recorded, expected;

	measure_chain(RAROG_AREA_ORDERED, &recorded, &expected);
	assert_in_range(recorded, expected * 7 / 10, expected * 15 / 10);
	assert_in_range(expected, 50, 4000);
}
