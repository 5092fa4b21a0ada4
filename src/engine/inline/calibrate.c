/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function of one instruction (of two, which are a region) is called in batches, plain and
 * through a stub, and the batches' medians are compared, in a test rig with one chunk that is
 * rewound after every batch. Gates stand before a function that calls itself: in a loop that only
 * waits for its calls the processor has time to spare for them, which programs do not have.
 */
#include "engine/inline/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "engine/inline/test-rig.h"
#include "plan/budget.h"

#define BATCHES 65
#define CALLS   1000

#define NOP 0x0f, 0x1f, 0x44, 0x00, 0x00 /* nopl 0(%rax,%rax) */
#define RET 0xc3

static const uint8_t leaf[] = { NOP, RET };
static const uint8_t region[] = { NOP, NOP, RET }; /* from the first to the second */

/*
 * fib:	push %rbx; mov %edi,%ebx; mov %edi,%eax
 *	cmp  $2,%ebx; jb out
 *	lea  -1(%rbx),%edi; call fib; push %rax
 *	lea  -2(%rbx),%edi; call fib; pop %rdx
 *	add  %edx,%eax
 * out:	pop  %rbx; ret
 */
static const uint8_t recursion[] = { 0x53, 0x89, 0xfb, 0x89, 0xf8, 0x83, 0xfb, 2,
				     0x72, 20,   0x8d, 0x7b, 0xff, 0xe8, 0xee, 0xff,
				     0xff, 0xff, 0x50, 0x8d, 0x7b, 0xfe, 0xe8, 0xe5,
				     0xff, 0xff, 0xff, 0x5a, 0x01, 0xd0, 0x5b, RET };
#define FIBONACCI       13
#define FIBONACCI_CALLS 753

/* What of a plain call is the function's own: the nop and the return, of four instructions. The
 * loop and the call are the caller's, and are not in the measured duration. Of a region's it is a
 * nop of five. */
#define BODY        0.5
#define REGION_BODY 0.2

struct bench {
	struct rarog_test_rig shop;
	double body;
	void (*plain)(void);
	void (*traced)(void);
};

static void bench_release(struct bench *b)
{
	rarog_test_rig_close(&b->shop);
}

static int bench_init(struct bench *b, bool is_ordered, bool has_gate)
{
	const struct rarog_test_rig_options options = {
		.chunks = 1,
		.stubs = 2,
		.flags = is_ordered ? RAROG_AREA_ORDERED : 0,
		.has_gates = has_gate,
		.word = RAROG_GATE_EVERY,
		.has_chance = has_gate,
	};
	int r = rarog_test_rig_open(&options, &b->shop);

	if (r < 0)
		return r;
	b->plain = (void (*)(void))(uintptr_t)b->shop.functions;
	b->traced = (void (*)(void))(uintptr_t)(b->shop.functions + 64);
	return 0;
}

static int bench_function(struct bench *b)
{
	int r;

	memcpy(b->shop.functions, leaf, sizeof(leaf));
	memcpy(b->shop.functions + 64, leaf, sizeof(leaf));
	b->body = BODY;
	r = rarog_test_rig_probe(&b->shop, RAROG_STUB_CALL, 0, b->shop.functions + 64);
	return r < 0 ? r : rarog_test_rig_set_up(&b->shop);
}

static int bench_region(struct bench *b)
{
	struct rarog_mark_stub mark = { .kind = RAROG_STUB_MARK_BEGIN,
					.return_place = { .from = RAROG_RETURN_FROM_RSP } };
	int r;

	memcpy(b->shop.functions, region, sizeof(region));
	memcpy(b->shop.functions + 64, region, sizeof(region));
	b->body = REGION_BODY;
	r = rarog_test_rig_mark(&b->shop, &mark, b->shop.functions + 64);
	mark.kind = RAROG_STUB_MARK_END;
	if (r == 0)
		r = rarog_test_rig_mark(&b->shop, &mark, b->shop.functions + 64 + sizeof(leaf) - 1);
	return r < 0 ? r : rarog_test_rig_set_up(&b->shop);
}

static uint64_t time_calls(void (*function)(void))
{
	uint64_t start = __rdtsc();

	for (int i = 0; i < CALLS; i++)
		function();
	return __rdtsc() - start;
}

static uint64_t time_rdtsc(void)
{
	uint64_t start = __rdtsc();

	for (int i = 0; i < CALLS; i++)
		__asm__ volatile("rdtsc" : : : "rax", "rdx");
	return __rdtsc() - start;
}

static void empty(const struct bench *b)
{
	rarog_test_rig_strand(&b->shop, 1)->cursor = (uint64_t)b->shop.chunks;
}

/* Sum of the durations in the chunk, and make it empty again. */
static uint64_t take_durations(const struct bench *b)
{
	struct rarog_strand_shared *strand = rarog_test_rig_strand(&b->shop, 1);
	const uint16_t *words = (const void *)b->shop.chunks;
	uint64_t sum = 0;

	for (const uint16_t *at = words; (uint64_t)(at + 3) <= strand->cursor; at += 3)
		sum += at[2];
	empty(b);
	return sum;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double median_of(uint64_t batches[BATCHES])
{
	const uint64_t *median = batches + BATCHES / 2;

	qsort(batches, BATCHES, sizeof(*batches), compare);
	return (double)*median;
}

static double median_per_call(uint64_t batches[BATCHES])
{
	return median_of(batches) / CALLS;
}

static int measure(const struct bench *b, struct rarog_probe_cost *cost)
{
	uint64_t plain[BATCHES], traced[BATCHES], durations[BATCHES], rdtsc[BATCHES];
	int r = rarog_test_rig_enter(&b->shop);
	double base;

	if (r < 0)
		return r;
	b->traced(); /* claims the strand; START takes six words */
	take_durations(b);
	for (int i = 0; i < BATCHES; i++) {
		plain[i] = time_calls(b->plain);
		traced[i] = time_calls(b->traced);
		durations[i] = take_durations(b);
		rdtsc[i] = time_rdtsc();
	}
	rarog_test_rig_leave();
	base = median_per_call(plain);
	cost->rdtsc = median_per_call(rdtsc);
	cost->call = median_per_call(traced) - base;
	cost->self = median_per_call(durations) - base * b->body;
	if (cost->self < 0)
		cost->self = 0;
	return 0;
}

int rarog_probe_cost_measure(bool is_ordered, bool of_regions, struct rarog_probe_cost *ret_cost)
{
	rarog_cleanup(bench_release) struct bench b = { 0 };
	int r = bench_init(&b, is_ordered, false);

	*ret_cost = (struct rarog_probe_cost){ 0 };
	if (r == 0)
		r = of_regions ? bench_region(&b) : bench_function(&b);
	return r < 0 ? r : measure(&b, ret_cost);
}

/* --- gates --- */

#define SELDOM 1000000 /* none of so few calls is recorded, as good as always */

static int bench_recursion(struct bench *b)
{
	int r;

	memcpy(b->shop.functions, recursion, sizeof(recursion));
	memcpy(b->shop.functions + 64, recursion, sizeof(recursion));
	r = rarog_test_rig_probe(&b->shop, RAROG_STUB_CALL, 0, b->shop.functions + 64);
	return r < 0 ? r : rarog_test_rig_set_up(&b->shop);
}

static uint64_t time_recursion(void (*function)(void))
{
	unsigned (*fibonacci)(unsigned) = (unsigned (*)(unsigned))(uintptr_t)function;
	uint64_t start = __rdtsc();

	fibonacci(FIBONACCI);
	return __rdtsc() - start;
}

/* With @word, as against a plain call. */
static double measure_word(const struct bench *b, uint32_t word)
{
	uint64_t plain[BATCHES], gated[BATCHES];

	__atomic_store_n(b->shop.gates, word, __ATOMIC_RELAXED);
	time_recursion(b->traced);
	for (int i = 0; i < BATCHES; i++) {
		empty(b);
		plain[i] = time_recursion(b->plain);
		gated[i] = time_recursion(b->traced);
	}
	return fmax(median_of(gated) - median_of(plain), 0) / FIBONACCI_CALLS;
}

int rarog_gate_cost_measure(bool is_ordered, struct rarog_budget_costs *ret_costs)
{
	rarog_cleanup(bench_release) struct bench b = { 0 };
	int r = bench_init(&b, is_ordered, true);

	*ret_costs = (struct rarog_budget_costs){ 0 };
	if (r == 0)
		r = bench_recursion(&b);
	if (r == 0)
		r = rarog_test_rig_enter(&b.shop);
	if (r < 0)
		return r;
	time_recursion(b.traced); /* claims the strand */
	*ret_costs = (struct rarog_budget_costs){
		.recorded = measure_word(&b, RAROG_GATE_EVERY),
		.skipped = measure_word(&b, SELDOM),
	};
	rarog_test_rig_leave();
	return 0;
}
