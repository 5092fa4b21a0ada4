/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: cpu-time spin | stop
 *
 * Work and waiting of known size in known functions on three threads. Prints a line for each
 * function: its name, the CPU time of it by the thread's own clock, and the time it asked to wait,
 * ns.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS      1000000ull
#define THREADS 3

static _Atomic uint64_t spun, napped, slept;

static inline __attribute__((always_inline)) uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) void spin(uint64_t ns)
{
	uint64_t begin = cpu_ns(), now = begin;

	while (now - begin < ns) {
		for (volatile int i = 0; i < 10000; i++)
			;
		now = cpu_ns();
	}
	spun += now - begin;
}

__attribute__((noinline)) void nap(uint64_t ns)
{
	uint64_t begin = cpu_ns();
	struct timespec t = { .tv_nsec = (long)ns };

	nanosleep(&t, NULL);
	slept += ns;
	napped += cpu_ns() - begin;
}

__attribute__((noinline)) void mixed(void)
{
	for (int i = 0; i < 10; i++) {
		spin(5 * MS);
		nap(4 * MS);
	}
}

static void *thread(void *nothing)
{
	mixed();
	return nothing;
}

static int run_spin(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("spin %llu 0\n", (unsigned long long)spun);
	printf("nap %llu %llu\n", (unsigned long long)napped, (unsigned long long)slept);
	return 0;
}

/* Stopped for half a second, by a child that goes on. */
__attribute__((noinline)) void held(void)
{
	raise(SIGSTOP);
}

static int run_stop(void)
{
	pid_t child = fork();

	if (child == 0) {
		int status = 0;

		for (int i = 0; i < 5; i++)
			nanosleep(&(struct timespec){ .tv_nsec = 100 * (long)MS }, NULL);
		status = kill(getppid(), SIGCONT);
		_exit(status != 0);
	}
	held();
	waitpid(child, NULL, 0);
	puts("held 0 200000000");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "spin") == 0)
		return run_spin();
	if (argc == 2 && strcmp(argv[1], "stop") == 0)
		return run_stop();
	return 2;
}
