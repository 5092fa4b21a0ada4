/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both loops are measured once, here: the same instructions as in the probe (emit-delay.c). The
 * least of many rounds is taken, since whatever comes in between only adds to one.
 */
#include "engine/delay.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <x86intrin.h>

#include "agent/gate.h"
#include "base/clock.h"
#include "base/error.h"

#define RATE_NS 5000000
#define ROUNDS  40
#define PASSES  500
#define TURNS   200
#define ASKED   200 /* ticks */

static struct {
	double ticks_per_ns, turns_per_ns;
	double around_clock_ns, around_turns_ns; /* beside what the loop notes, each time */
} speed;

static void spend_turns(uint32_t turns)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(turns) : : "cc");
}

/* As the probe's: more than was asked is noted, too. */
static uint64_t spend_ticks(uint64_t ticks)
{
	uint64_t last = __rdtsc();
	int64_t rest = (int64_t)ticks;

	while (rest > 0) {
		uint64_t now = __rdtsc();

		rest -= (int64_t)(now - last);
		last = now;
	}
	return ticks + (uint64_t)-rest;
}

/* Ticks of one pass, and what of them was noted. */
static double one_pass(bool by_clock, uint32_t amount, double *ret_noted)
{
	uint64_t start = __rdtsc(), noted = 0;

	for (int i = 0; i < PASSES; i++) {
		if (by_clock)
			noted += spend_ticks(amount);
		else
			spend_turns(amount);
	}
	*ret_noted = (double)noted / PASSES;
	return (double)(__rdtsc() - start) / PASSES;
}

static double least(bool by_clock, uint32_t amount)
{
	double best = INFINITY, noted;

	for (int i = 0; i < ROUNDS; i++) {
		double ticks = one_pass(by_clock, amount, &noted) - noted;

		best = ticks < best ? ticks : best;
	}
	return best;
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
	double few, many;

	speed.ticks_per_ns = measure_rate();
	few = least(false, TURNS);
	many = least(false, 2 * TURNS);
	speed.turns_per_ns = TURNS / (many - few) * speed.ticks_per_ns;
	speed.around_turns_ns = fmax(2 * few - many, 0) / speed.ticks_per_ns;
	speed.around_clock_ns = fmax(least(true, ASKED), 0) / speed.ticks_per_ns;
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
		return word_of(round((double)ns * speed.turns_per_ns), RAROG_GATE_TURNS);
	return word_of(round((double)ns * speed.ticks_per_ns), 0);
}

double rarog_delay_spent_ns(uint32_t word, uint64_t amount, uint64_t calls)
{
	measure_once();
	if (!(word & RAROG_GATE_DELAY) || word == RAROG_GATE_COUNTED)
		return 0;
	if (word & RAROG_GATE_TURNS)
		return (double)amount / speed.turns_per_ns + (double)calls * speed.around_turns_ns;
	return (double)amount / speed.ticks_per_ns + (double)calls * speed.around_clock_ns;
}
