/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps books of how often its lines are passed: each HERE is a line of its own, and counts itself.
 * Regions are between a line with FROM and one with TO of the same name; in the books is how often
 * they were begun, and how long that took by the program's own clock, at least and at most.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LINES = 1000 };

/* Each thread has its own; of the header after those of this file. An instruction that is atomic
 * is none that the kernel probes. */
static __thread volatile unsigned long passed[2 * LINES];
static unsigned long passed_in_all[2 * LINES];

#define HERE           ++passed[__LINE__]
#define HERE_IN_HEADER ++passed[LINES + __LINE__]

#include "at-header.h"

struct region {
	const char *name;
	int from, to;
	unsigned long begun;
	long long least_ns, most_ns;
};

static struct region regions[] = {
	{ .name = "turns" },  { .name = "head" },   { .name = "whole" },
	{ .name = "recurs" }, { .name = "thread" }, { .name = "early" }
};

enum { TURNS, HEAD, WHOLE, RECURS, THREAD, EARLY };

__attribute__((noinline)) static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__attribute__((noinline)) static void wait_a_bit(int times)
{
	for (volatile int i = 0; i < times * 100; i++)
		;
}

#define FROM(r) from(r, __LINE__)
#define TO(r)   to(r, __LINE__)

__attribute__((noinline)) static long long from(int r, int line)
{
	regions[r].from = line;
	__atomic_fetch_add(&regions[r].begun, 1, __ATOMIC_RELAXED);
	return now();
}

__attribute__((noinline)) static long long to(int r, int line)
{
	regions[r].to = line;
	return now();
}

static void took(int r, long long least, long long most)
{
	__atomic_fetch_add(&regions[r].least_ns, least, __ATOMIC_RELAXED);
	__atomic_fetch_add(&regions[r].most_ns, most, __ATOMIC_RELAXED);
}

/* --- lines --- */

static inline long copied(long n)
{
	HERE;
	if (n % 3 == 0)
		HERE;
	return n + 1;
}

__attribute__((noinline)) static long twice(long n)
{
	return copied(n) + copied(n + 1) + in_header(n);
}

__attribute__((noinline)) static long loops(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		HERE;
		if (i % 7 == 3) {
			HERE;
			continue;
		}
		sum += copied(i) + in_header(i);
		for (int k = 0; k < 4; k++)
			HERE;
	}
	HERE;
	return sum;
}

static long fibonacci(int n)
{
	HERE;
	if (n < 2)
		return n;
	HERE;
	return fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static int chooses(int n)
{
	switch (n % 6) {
	case 0:
		HERE;
		return 5;
	case 1:
		HERE;
		break;
	case 2:
		HERE;
		return 7;
	case 3:
		HERE;
		/* fall through */
	case 4:
		HERE;
		return n;
	default:
		HERE;
	}
	return 1;
}

static jmp_buf back;

__attribute__((noinline)) static void jumps(int n)
{
	if (n < 0)
		return;
	HERE;
	if (n == 0)
		longjmp(back, 1);
	jumps(n - 1);
	HERE;
}

/* --- regions --- */

__attribute__((noinline)) static void takes_turns(int n)
{
	for (int i = 0; i < n; i++) {
		long long before = now(), begin, end;
		begin = FROM(TURNS);
		wait_a_bit(1);
		end = now();
		took(TURNS, end - begin, TO(TURNS) - before);
	}
}

/* The first line of the region is the head of a loop, which is come back to. */
__attribute__((noinline)) static void has_head(int n)
{
	long long before = now(), begin = 0, end = 0;
	for (begin = FROM(HEAD); n > 0; n--) {
		wait_a_bit(1);
		end = now();
	}
	took(HEAD, end - begin, TO(HEAD) - before);
}

static inline void whole(int n)
{
	long long before = now(), begin, end;
	begin = FROM(WHOLE);
	wait_a_bit(n);
	end = now();
	took(WHOLE, end - begin, TO(WHOLE) - before);
}

__attribute__((noinline)) static void has_copies(void)
{
	whole(1);
	wait_a_bit(1);
	whole(2);
}

__attribute__((noinline)) static void recurs(int n)
{
	long long before = now(), begin, end;
	begin = FROM(RECURS);
	if (n > 0)
		recurs(n - 1);
	end = now();
	before = TO(RECURS) - before;
	if (n == 7) /* the others are part of that */
		took(RECURS, end - begin, before);
}

static void hand_in(void)
{
	for (int i = 0; i < 2 * LINES; i++)
		__atomic_fetch_add(&passed_in_all[i], passed[i], __ATOMIC_RELAXED);
}

static void *in_thread(void *unused)
{
	for (int i = 0; i < 100; i++) {
		long long before = now(), begin, end;
		begin = FROM(THREAD);
		wait_a_bit(1);
		HERE;
		end = now();
		took(THREAD, end - begin, TO(THREAD) - before);
	}
	hand_in();
	return unused;
}

/* Every other turn leaves its region in the middle. */
__attribute__((noinline)) static void leaves_early(int n)
{
	for (int i = 0; i < n; i++) {
		FROM(EARLY);
		wait_a_bit(1);
		if (i % 2)
			continue;
		TO(EARLY);
	}
}

static void run_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, in_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void print_books(void)
{
	hand_in();
	for (int i = 0; i < 2 * LINES; i++)
		if (passed_in_all[i])
			printf("%s:%d %lu\n", i < LINES ? "at-program.c" : "at-header.h", i % LINES,
			       passed_in_all[i]);
	for (size_t i = 0; i < sizeof(regions) / sizeof(*regions); i++)
		printf("region %s at-program.c:%d-%d %lu %lld %lld\n", regions[i].name,
		       regions[i].from, regions[i].to, regions[i].begun, regions[i].least_ns,
		       regions[i].most_ns);
}

int main(void)
{
	volatile long sum = 0;

	for (int i = 0; i < 50; i++)
		sum += twice(i) + loops(i) + chooses(i);
	sum += fibonacci(15);
	if (setjmp(back) == 0)
		jumps(9);
	takes_turns(40);
	has_head(10);
	has_copies();
	recurs(7);
	leaves_early(11);
	run_threads();
	print_books();
	return sum == 0;
}
