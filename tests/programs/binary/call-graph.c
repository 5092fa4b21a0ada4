/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of all kinds; tests say how it is compiled. Prints what it computes, so nothing is left out. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

static volatile int sum;

APART void by_pointer_one(void) { sum += 1; }

APART void by_pointer_two(void) { sum += 2; }

static void (*const pointers[])(void) = { by_pointer_one, by_pointer_two };

APART void through_pointer(int i)
{
	pointers[i & 1]();
	sum++;
}

APART int recursive(int n) { return n < 2 ? n : recursive(n - 1) + recursive(n - 2); }

int odd(int n);

APART int even(int n)
{
	sum++;
	return n == 0 ? 1 : odd(n - 1) + (sum & 0);
}

APART int odd(int n)
{
	sum++;
	return n == 0 ? 0 : even(n - 1) + (sum & 0);
}

APART int tail_called(int n)
{
	sum += n;
	return n + 1;
}

APART int calls_by_jump(int n)
{
	sum++;
	return tail_called(n + sum);
}

APART int case_zero(int n) { return n + sum; }

APART int case_three(int n) { return n * sum; }

/* Enough cases for a table. */
APART int switches(int n, int value)
{
	switch (n) {
	case 0: return case_zero(value) + 1;
	case 1: sum += 11; return value;
	case 2: sum *= 3; return value * 5;
	case 3: return case_three(value) + 2;
	case 4: sum ^= 21; return value - 7;
	case 5: sum -= value; return -value;
	case 6: sum += value * 2; return value ^ 9;
	default: return 0;
	}
}

APART __attribute__((noreturn, cold)) void fails(int n)
{
	printf("fails %d\n", n);
	exit(3);
}

APART __attribute__((cold)) void complains(int n) { printf("complains %d\n", n); }

APART int has_cold(int n)
{
	if (__builtin_expect(n > 1000, 0)) {
		complains(n);
		complains(n + sum);
	}
	if (__builtin_expect(n > 2000, 0)) fails(n);
	return n + sum;
}

APART int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

APART void *thread(void *argument)
{
	sum += 100;
	return argument;
}

APART void handler(int number) { sum += number; }

APART void at_the_end(void) { sum++; }

__attribute__((constructor)) static void before_main(void) { sum = 5; }

APART int constant(int a, int b) { return a * 3 + b; }

APART int has_loop(const char *text)
{
	int n = 0;

	while (*text) n += *text++ ^ n;
	return n;
}

APART int never_called(int n) { return constant(n, n) + 1; }

int (*volatile keep)(int) = NULL;

int main(int argc, char **argv)
{
	int values[] = { 3, 1, 2, argc };
	struct sigaction action = { .sa_handler = handler };
	pthread_t id;

	sigaction(SIGUSR1, &action, NULL);
	atexit(at_the_end);
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
	raise(SIGUSR1);
	qsort(values, 4, sizeof(*values), compare);
	through_pointer(argc);
	through_pointer(argc + 1);
	for (int i = 0; i < 8; i++) printf("%d\n", switches(i, i + argc));
	printf("%d %d %d %d %d %d\n", recursive(8), even(7), calls_by_jump(3), has_cold(argc > 3 ? 1500 : argc),
	       constant(argc, 2), has_loop(argv[0]) != 0);
	return values[0] == 77;
}
