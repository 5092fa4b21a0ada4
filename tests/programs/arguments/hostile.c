/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls whose arguments are captured where that is hard: in threads, in signal handlers that come
 * in anywhere, in frames that longjmp leaves, in recursion, in a forked child, with pointers that
 * lead nowhere. Each function adds what it was called with to sums; at the end they are printed, a
 * line each: FUNCTION CALLS SUM, and what pointers should be found to be.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct sum {
	atomic_long calls, sum;
};

static struct sum *sums; /* shared with children */

enum { PLAIN, DEEP, LEFT, HANDLED, TEXT, FIELD, RESULT, SUMS };

static const char *const names[SUMS] = { "plain", "deep", "left", "handled", "text", "field", "result" };

static void add(int what, long value)
{
	atomic_fetch_add(&sums[what].calls, 1);
	atomic_fetch_add(&sums[what].sum, value);
}

struct item {
	struct item *next;
	long length;
};

__attribute__((noipa)) void plain(long a, int b, double c) { add(PLAIN, a + b + (long)c); }

__attribute__((noipa)) long deep(int n)
{
	long below = n > 0 ? deep(n - 1) : 0;

	add(DEEP, n);
	return below + n;
}

__attribute__((noipa)) void left(jmp_buf out, long value)
{
	add(LEFT, value);
	if (value % 3 == 0) longjmp(out, 1);
}

__attribute__((noipa)) void handled(int value) { add(HANDLED, value); }

__attribute__((noipa)) int text(const char *text, long length)
{
	add(TEXT, length);
	return text != NULL;
}

__attribute__((noipa)) int field(const struct item *item, long length)
{
	add(FIELD, length);
	return item != NULL;
}

__attribute__((noipa)) unsigned char result(unsigned n)
{
	unsigned char r = (unsigned char)(n * 7);

	add(RESULT, r);
	return r;
}

static void on_alarm(int signal)
{
	(void)signal;
	handled(5);
	plain(1, 2, 3);
}

static void *work(void *unused)
{
	jmp_buf out;

	for (volatile int i = 0; i < 2000; i++) {
		plain(i, -1, i * 0.5);
		if (i % 100 == 0) deep(20);
		if (setjmp(out) == 0) left(out, i);
		result((unsigned)i);
	}
	return unused;
}

/* Pointers: what is known of each is its length, or -1: it cannot be read. */
static void pointers(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = two + page, *large = malloc(70000);
	struct item known = { NULL, 42 };

	mprotect(end, (size_t)page, PROT_NONE);
	memset(two, 'x', (size_t)page);
	memset(large, 'y', 69999);
	large[69999] = '\0';
	text("constant", 8);
	text("", 0);
	text(NULL, -1);
	text((const char *)1, -1);
	text((const char *)0x8000000000000000, -1);
	text((const char *)-1, -1);
	text((const char *)0x7fffffffffff, -1);
	text(end - 10, -1); /* no NUL before what cannot be read */
	end[-1] = '\0';
	text(end - 10, 9);
	text(end - 1, 0);
	text(end, -1);
	text(large, -1); /* longer than is looked */
	large[65536] = '\0';
	text(large, 65536);
	field(&known, 42);
	field(NULL, -1);
	field((const struct item *)(end - 12), -1); /* the field is half readable */
	field((const struct item *)0xdeadbeef00000000, -1);
	munmap(two, (size_t)(2 * page));
	text(two, -1);
	free(large);
}

int main(void)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	pthread_t threads[3];
	pid_t child;

	sums = mmap(NULL, SUMS * sizeof(*sums), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
	work(NULL);
	for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	child = fork();
	if (child == 0) {
		work(NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pointers();
	for (int i = 0; i < SUMS; i++) printf("%s %ld %ld\n", names[i], sums[i].calls, sums[i].sum);
	return 0;
}
