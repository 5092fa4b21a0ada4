/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ends of stops.c are made of: loops that count in registers, threads, handlers. */
#ifndef STOPS_H
#define STOPS_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int stop, sink;
static volatile int *begun; /* shared with children */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

__attribute__((noinline)) void spin(void)
{
	*begun = 1;
	while (!stop)
		sink++;
}

/* As often as the sum of its argument, if that is not lost. */
__attribute__((noinline)) void work(int rounds)
{
	for (int i = 0; i < rounds; i++)
		sink++;
}

__attribute__((noinline)) static void wait_for_begun(void)
{
	while (!*begun)
		sched_yield();
	usleep(20000);
}

static void *spinning(void *nothing)
{
	spin();
	return nothing;
}

static void *idle(void *nothing)
{
	work(1000);
	pthread_mutex_lock(&mutex);
	*begun = 1;
	for (;;)
		pthread_cond_wait(&never, &mutex);
	return nothing;
}

static void *sleeping(void *nothing)
{
	work(1000);
	*begun = 1;
	for (;;)
		pause();
	return nothing;
}

static void *working(void *nothing)
{
	work(1000);
	return nothing;
}

static void *ending(void *nothing)
{
	work(1000);
	usleep(20000); /* till the main thread waits */
	exit(0);
	return nothing;
}

static void *leaving(void *nothing)
{
	work(1000);
	pthread_exit(nothing);
}

static pthread_t start(void *(*function)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, NULL) != 0)
		abort();
	return thread;
}

static void in_time(int signal, void (*handler)(int), int is_apart)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = is_apart ? SA_ONSTACK : 0 };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	stack_t stack = { .ss_size = 65536 };

	stack.ss_sp = malloc(stack.ss_size);
	if (is_apart) /* not by its name, which keeps counters of the whole file in memory */
		syscall(SYS_sigaltstack, &stack, NULL);
	sigaction(signal, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
}

static void exits(int signal)
{
	exit(signal == 0);
}

static void exits_at_once(int signal)
{
	_exit(signal == 0);
}

static void returns(int signal)
{
	stop = signal;
}

#endif
