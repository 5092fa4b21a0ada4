/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace FILE [MS]: step() again and again, which calls tiny() a thousand times. Into FILE, of the last four of them, the
 * nanoseconds of processor time that the fastest took, and those that the slowest of all took. For two minutes. At
 * SIGUSR1 it begins anew, by exec. MS: it gets a signal so often.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

FUNCTION void tiny(void) { WORK(5); }

FUNCTION void step(void)
{
	for (int i = 0; i < 1000; i++) tiny();
}

static volatile sig_atomic_t is_anew;

static void take(int signal)
{
	(void)signal;
	is_anew = 1;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t most;

static uint64_t least_of_four(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t start = now(), took;

		step();
		took = now() - start;
		least = took < least ? took : least;
		most = took > most ? took : most;
	}
	return least;
}

static void take_often(int signal) { (void)signal; }

static void begin_timer(long ms)
{
	struct itimerval often = { { 0, ms * 1000 }, { 0, ms * 1000 } };

	signal(SIGALRM, take_often);
	setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char **argv)
{
	int out = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	time_t end = time(NULL) + 120;

	signal(SIGUSR1, take);
	if (argc > 2) begin_timer(atol(argv[2]));
	puts("started");
	fflush(stdout);
	while (out >= 0 && time(NULL) < end) {
		if (is_anew) return execv("/proc/self/exe", argv);
		char text[64];
		unsigned long long least = least_of_four();
		int n = snprintf(text, sizeof(text), "%-20llu %-20llu\n", least, (unsigned long long)most);

		if (pwrite(out, text, (size_t)n, 0) != n) return 1;
	}
	return out < 0;
}
