/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signal handlers that call traced functions while traced functions run.
 * usage: signals HZ [altstack|nested|sent-fault] [MILLISECONDS], signals THREADS early
 * sent-fault: the signal is SIGSEGV; early: it comes when a thread begins
 *
 * How often the handler runs differs from run to run, so these counts are marked.
 */
#include "expect.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static volatile unsigned handled;
static volatile unsigned sink;

TRACED unsigned handler_leaf(unsigned x)
{
	CALLED_VARYING();
	return x + 3;
}

TRACED void handler(int number)
{
	CALLED_VARYING();
	sink = CALL(handler_leaf, (unsigned)number) + CALL(handler_leaf, sink);
	handled++;
}

TRACED void nested_handler(int number)
{
	CALLED_VARYING();
	raise(SIGUSR1); /* handler() runs on top of this one */
	sink = CALL(handler_leaf, (unsigned)number);
}

TRACED unsigned leaf(unsigned x)
{
	CALLED_VARYING();
	return x * 2654435761u + 1;
}

TRACED unsigned middle(unsigned x)
{
	CALLED_VARYING();
	return CALL(leaf, x) ^ CALL(leaf, x + 1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The values are checked, not only the calls: a handler must not disturb what it interrupts. */
TRACED unsigned run(double seconds)
{
	double end = now() + seconds;
	unsigned wrong = 0, i = 0;

	while (now() < end)
		for (int k = 0; k < 1000; k++, i++)
			wrong += CALL(middle, i) !=
				 ((i * 2654435761u + 1) ^ ((i + 1) * 2654435761u + 1));
	return wrong;
}

TRACED void *first(void *x)
{
	BEGINS();
	CALLED();
	return x;
}

/* Somewhere before, in and after the first call of a thread. */
static void run_early(int threads)
{
	for (int i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, first, NULL) != 0)
			exit(77);
		for (volatile int wait = rand() % 20000; wait > 0; wait--)
			;
		for (int k = 0; k < 4; k++)
			pthread_kill(thread, SIGUSR1);
		pthread_join(thread, NULL);
	}
}

static timer_t set_timer(int number, int hz)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
	const struct timespec period = { hz > 1 ? 0 : 1, hz > 1 ? 1000000000 / hz : 0 };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
	    timer_settime(timer, 0, &(struct itimerspec){ period, period }, NULL) != 0)
		exit(77);
	return timer;
}

static void set_handler(int number, void (*function)(int), int flags)
{
	struct sigaction action = { .sa_handler = function, .sa_flags = flags | SA_RESTART };

	sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
	int hz = argc > 1 ? atoi(argv[1]) : 1000;
	const char *mode = argc > 2 ? argv[2] : "";
	int ms = argc > 3 ? atoi(argv[3]) : 300;
	int flags = strcmp(mode, "altstack") ? 0 : SA_ONSTACK;
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	int number = strcmp(mode, "sent-fault") ? SIGALRM : SIGSEGV;
	unsigned wrong = 0;

	sigaltstack(&stack, NULL);
	set_handler(SIGUSR1, handler, flags);
	set_handler(number, strcmp(mode, "nested") ? handler : nested_handler, flags);
	if (strcmp(mode, "early") == 0) {
		run_early(hz);
	} else {
		timer_t timer = set_timer(number, hz);

		wrong = run(ms / 1000.0);
		timer_delete(timer);
	}
	printf("wrong %u, handled %s\n", wrong, handled ? "some" : "none");
	expect_print();
	return 0;
}
