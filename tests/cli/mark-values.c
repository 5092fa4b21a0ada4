/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks that tell values of all kinds, from wherever the compiler has them. What was told is
 * printed at the end, from the program's own books: NAME ARGUMENT COUNT MIN MAX SUM.
 */
#include <pthread.h>
#include <rarog.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct book {
	const char *name;
	int argument;
	long n;
	double min, max, sum;
};

static struct book books[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void note(const char *name, int argument, double value)
{
	struct book *b = books;

	pthread_mutex_lock(&lock);
	while (b->name && (strcmp(b->name, name) != 0 || b->argument != argument))
		b++;
	b->min = b->n == 0 || value < b->min ? value : b->min;
	b->max = b->n == 0 || value > b->max ? value : b->max;
	b->sum += value;
	b->n++;
	b->name = name;
	b->argument = argument;
	pthread_mutex_unlock(&lock);
}

static __thread uint64_t state = 88172645463325252ull;

static NOINLINE uint64_t number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static uint32_t global_number;
static long table[16];
uint64_t shared_number;

/* Registers, memory, numbers; whole ones of all widths and both signs. */
static NOINLINE void whole(uint64_t a, int32_t b, uint16_t c, int8_t d)
{
	volatile int16_t local = (int16_t)(a >> 7);

	RAROG_ASM_(RAROG_MARK_TEXT_("whole", "8@%[a] -4@%[b] 2@%[c] -1@%[d] -2@%[e] -8@%[f] 4@%[g]")
		   :
		   : [a] "nor"(a % 1000000), [b] "nor"(b), [c] "r"(c), [d] "q"(d), [e] "m"(local),
		     [f] "n"(-77), [g] "r"((uint32_t)a));
	note("whole", 1, (double)(a % 1000000));
	note("whole", 2, b);
	note("whole", 3, c);
	note("whole", 4, d);
	note("whole", 5, local);
	note("whole", 6, -77);
	note("whole", 7, (uint32_t)a);
}

/* Variables by name, and parts of arrays. */
static NOINLINE void named(uint64_t a)
{
	long i = (long)(a % 16);

	global_number = (uint32_t)a;
	shared_number = a >> 40;
	table[i] = -(long)(a >> 33);
	RAROG_ASM_(RAROG_MARK_TEXT_("named", "4@%[g] 8@%[s] -8@(%[t],%[i],8)")
		   :
		   : [g] "m"(global_number), [s] "m"(shared_number), [t] "r"(table), [i] "r"(i));
	note("named", 1, global_number);
	note("named", 2, (double)shared_number);
	note("named", 3, (double)table[i]);
}

static NOINLINE void real(double x, float y)
{
	volatile double local = x * 2;

	RAROG_ASM_(RAROG_MARK_TEXT_("real", "8f@%[x] 4f@%[y] 8f@%[z]")
		   :
		   : [x] "x"(x), [y] "x"(y), [z] "m"(local));
	note("real", 1, x);
	note("real", 2, y);
	note("real", 3, local);
}

/* Registers that calls keep are the ones that are hard to see; and no register is changed. */
NOINLINE uint64_t kept(uint64_t a)
{
	register uint64_t b __asm__("rbx") = a + 1;
	register uint64_t c __asm__("r12") = a + 2;
	register uint64_t d __asm__("r13") = a + 3;
	register uint64_t e __asm__("r14") = a + 4;
	register uint64_t f __asm__("r15") = a + 5;
	register uint64_t g __asm__("r10") = a + 6;
	register uint64_t h __asm__("r11") = a + 7;
	register uint64_t i __asm__("r9") = a + 8;

	__asm__ volatile(
		RAROG_MARK_TEXT_("kept",
				 "8@%[b] 8@%[c] 8@%[d] 8@%[e] 8@%[f] 8@%[g] 8@%[h] 8@%[i] 1@%%bl")
		: "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h), "+r"(i)
		: [b] "r"(b), [c] "r"(c), [d] "r"(d), [e] "r"(e), [f] "r"(f), [g] "r"(g),
		  [h] "r"(h), [i] "r"(i));
	if (b + c + d + e + f + g + h + i != 8 * a + 36)
		abort();
	for (int k = 1; k <= 8; k++)
		note("kept", k, (double)(a + (uint64_t)k));
	note("kept", 9, (double)(uint8_t)(a + 1));
	return b;
}

/* A pointer that leads nowhere has no value, and does no harm. */
static NOINLINE void nowhere(const long *p)
{
	RAROG_ASM_(RAROG_MARK_TEXT_("nowhere", "-8@(%[p]) 8@%[p] 8@nonsense(%%rip) 3@%[p] 4@%%cr0")
		   :
		   : [p] "r"(p));
	note("nowhere", 2, (double)(uintptr_t)p);
}

/* A region tells at its beginning and at its end. */
static NOINLINE long region(long n)
{
	long sum = 0;

	RAROG_ASM_(RAROG_MARK_TEXT_("region__begin", "-8@%[n]") : : [n] "r"(n));
	for (long i = 0; i < n; i++)
		sum += (long)(number() % 100);
	RAROG_ASM_(RAROG_MARK_TEXT_("region__end", "-8@%[s] 4@%[n]")
		   :
		   : [s] "r"(sum), [n] "r"((uint32_t)n));
	note("region", 1, (double)n);
	note("region.", 1, (double)sum);
	note("region.", 2, (double)n);
	return sum;
}

static NOINLINE void sizes(unsigned long n, long depth)
{
	RAROG_SIZE(things, n);
	RAROG_FEATURE(depth, depth);
	note("things__size", 0, (double)n);
	note("depth__feature", 0, (double)depth);
}

static void *work(void *seed)
{
	state += (uintptr_t)seed;
	for (int i = 0; i < 400; i++) {
		uint64_t n = number();

		whole(n, (int32_t)(n >> 3), (uint16_t)(n >> 5), (int8_t)(n >> 9));
		real((double)(int64_t)n / 1e9, (float)(n % 1000) / 8);
		kept(n % 100000);
		region((long)(n % 50));
		sizes(n % 1000, -(long)(n % 77));
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 100; i++) {
		named(number());
		nowhere((const long *)8);
	}
	for (const struct book *b = books; b->name; b++)
		printf("%s %d %ld %.17g %.17g %.17g\n", b->name, b->argument, b->n, b->min, b->max,
		       b->sum);
	return 0;
}
