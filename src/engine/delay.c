/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both loops are measured once, here: the same instructions as in the probe (emit-delay.c), with
 * what surrounds them there. The least of many rounds is taken, since whatever comes in between
 * only adds to one.
 */
#include "engine/delay.h"

#include <math.h>
#include <pthread.h>
#include <time.h>
#include <x86intrin.h>

#include "agent/gate.h"
#include "base/clock.h"
#include "base/error.h"

#define RATE_NS  5000000
#define ROUNDS   40
#define PASSES   500
#define TURNS    200
#define ASKED    200 /* ticks */
#define SLEEPS   20
#define YIELD_NS 250 /* about what a sched_yield() takes that nobody else wants */

static struct {
	double ticks_per_ns, turns_per_ns;
	double around_ns; /* a delay, beside its loop, … */
	double clock_ns;  /* … and what the loop that looks at the clock does not see of itself */
	double over_ticks; /* by which that loop ends late, as a rule; noted */
} speed;

/* Below the red zone; the last instructions stand for those that find and change the counter. */
static void spend_turns(uint32_t turns)
{
	static uint64_t total, settled, calls, until = UINT64_MAX;

	calls++;
	__asm__ volatile("lea -128(%%rsp),%%rsp\n"
			 "push %%rax; push %%rcx; push %%rdx; push %%rsi\n"
			 "mov %0,%%ecx; btr $31,%%ecx; btr $30,%%ecx; push %%rcx\n"
			 "mov %%fs:0,%%rax; movabs $0x123456789ab,%%rax; cmpb $0,%3; je 3f\n"
			 "cmpq $0,%4; je 4f\n"
			 "1: dec %%ecx; jnz 1b\n"
			 "jmp 4f\n"
			 "3: rdtsc; shl $32,%%rdx; or %%rdx,%%rax; cmp %4,%%rax; jbe 1b\n"
			 "4: pop %%rdx; sub %%rcx,%%rdx\n"
			 "mov %%fs:0,%%rax; cmp %%fs:0,%%rax; jne 2f; add %%rdx,%1; add %%rdx,%2\n"
			 "2: pop %%rsi; pop %%rdx; pop %%rcx; pop %%rax\n"
			 "lea 128(%%rsp),%%rsp"
			 :
			 : "r"(turns), "m"(total), "m"(settled), "m"(calls), "m"(until)
			 : "cc", "memory", "rax", "rcx", "rdx", "rsi");
}

/* As the probe's: more than was asked is noted, too. */
static uint64_t spend_ticks(uint64_t ticks)
{
	static volatile uint64_t until = UINT64_MAX;
	uint64_t last = __rdtsc();
	int64_t rest = (int64_t)ticks;

	while (rest > 0) {
		uint64_t now = __rdtsc();

		if (now > until)
			break;
		rest -= (int64_t)(now - last);
		last = now;
	}
	return ticks + (uint64_t)-rest;
}

static double ticks_of_turns(uint32_t turns)
{
	double best = INFINITY;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = __rdtsc();

		for (int k = 0; k < PASSES; k++)
			spend_turns(turns);
		best = fmin(best, (double)(__rdtsc() - start) / PASSES);
	}
	return best;
}

static void measure_clock(void)
{
	double least = INFINITY, over = INFINITY;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = __rdtsc(), noted = 0;

		for (int k = 0; k < PASSES; k++)
			noted += spend_ticks(ASKED + (uint64_t)k % ASKED);
		least = fmin(least, (double)(__rdtsc() - start - noted) / PASSES);
		over = fmin(over, (double)noted / PASSES);
	}
	speed.clock_ns = fmax(least, 0) / speed.ticks_per_ns;
	speed.over_ticks = over - (ASKED + (ASKED - 1) / 2.0);
}

static double measure_rate(void)
{
	uint64_t ns = rarog_now_ns(), ticks = __rdtsc(), now;

	do
		now = rarog_now_ns();
	while (now - ns < RATE_NS);
	return (double)(__rdtsc() - ticks) / (double)(now - ns);
}

static void measure(void)
{
	double few = ticks_of_turns(TURNS), many = ticks_of_turns(2 * TURNS);

	speed.ticks_per_ns = measure_rate();
	speed.turns_per_ns = TURNS / (many - few) * speed.ticks_per_ns;
	speed.around_ns = fmax(2 * few - many, 0) / speed.ticks_per_ns;
	measure_clock();
}

static void measure_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, measure);
}

uint64_t rarog_delay_most_ns(void)
{
	measure_once();
	return (uint64_t)((double)RAROG_GATE_AMOUNT / speed.ticks_per_ns);
}

uint64_t rarog_delay_ticks(uint64_t ns)
{
	measure_once();
	return (uint64_t)((double)ns * speed.ticks_per_ns);
}

static uint32_t word_of(double amount, uint32_t kind)
{
	if (amount < 1)
		amount = 1;
	return RAROG_GATE_DELAY | kind |
	       (amount < RAROG_GATE_AMOUNT ? (uint32_t)amount : RAROG_GATE_AMOUNT - 1);
}

uint32_t rarog_delay_word(uint64_t ns)
{
	measure_once();
	if (ns == 0)
		return RAROG_GATE_COUNTED;
	if (ns < RAROG_DELAY_TURNS_NS)
		return word_of(round(((double)ns - speed.around_ns) * speed.turns_per_ns),
			       RAROG_GATE_TURNS);
	return word_of(round(((double)ns - speed.around_ns - speed.clock_ns) * speed.ticks_per_ns -
			     speed.over_ticks),
		       0);
}

double rarog_delay_spent_ns(uint32_t word, uint64_t amount, uint64_t calls)
{
	measure_once();
	if (!(word & RAROG_GATE_DELAY) || word == RAROG_GATE_COUNTED)
		return 0;
	if (word & RAROG_GATE_DEBTS)
		return rarog_gained_ns(amount);
	if (word & RAROG_GATE_TURNS)
		return (double)amount / speed.turns_per_ns + (double)calls * speed.around_ns;
	return (double)amount / speed.ticks_per_ns +
	       (double)calls * (speed.around_ns + speed.clock_ns);
}

/* Of sleep nanoseconds, of yielding how often, else ticks. */
uint32_t rarog_noise_word(unsigned noise, uint64_t ns)
{
	measure_once();
	if (noise == RAROG_NOISE_BUSY || ns == 0)
		return rarog_delay_word(ns);
	if (noise == RAROG_NOISE_SLEEP)
		return word_of((double)ns, 0);
	if (noise == RAROG_NOISE_YIELD)
		return word_of(round((double)ns / YIELD_NS), 0);
	return word_of(round((double)ns * speed.ticks_per_ns), 0);
}

/* Others may have the processor when a sleep is over: the least of some. */
uint64_t rarog_noise_least_ns(unsigned noise)
{
	const struct timespec shortest = { .tv_nsec = 1 };
	uint64_t least = UINT64_MAX;

	if (noise != RAROG_NOISE_SLEEP)
		return 0;
	for (int i = 0; i < SLEEPS; i++) {
		uint64_t start = rarog_now_ns(), ns;

		nanosleep(&shortest, NULL);
		ns = rarog_now_ns() - start;
		least = ns < least ? ns : least;
	}
	return least;
}

double rarog_noise_spent_ns(unsigned noise, uint32_t word, uint64_t amount, uint64_t calls)
{
	measure_once();
	if (noise == RAROG_NOISE_BUSY || !(word & RAROG_GATE_DELAY) || word == RAROG_GATE_COUNTED)
		return rarog_delay_spent_ns(word, amount, calls);
	return (double)amount / speed.ticks_per_ns;
}

uint32_t rarog_delay_around_ticks(void)
{
	measure_once();
	return (uint32_t)round((speed.around_ns + speed.clock_ns) * speed.ticks_per_ns);
}

/* All bits are RAROG_GATE_COUNTED. */
uint32_t rarog_gain_word(uint64_t ns, bool loses)
{
	double ticks;

	measure_once();
	ticks = fmin(fmax(round((double)ns * speed.ticks_per_ns), 1), RAROG_GATE_GAIN_MOST - 1);
	return RAROG_GATE_DELAY | RAROG_GATE_DEBTS | RAROG_GATE_GAINS |
	       (loses ? RAROG_GATE_LOSES : 0) | (uint32_t)ticks;
}

double rarog_gained_ns(uint64_t ticks)
{
	measure_once();
	return (double)ticks / speed.ticks_per_ns;
}
