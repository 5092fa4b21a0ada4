/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handle() again and again, which calls parse() once and answer() twice; rare() each 150 ms, however fast the machine
 * is; no other thread. Does nothing for three seconds when SIGUSR1 has come. For ten minutes.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static volatile sig_atomic_t pauses;
static volatile long rare_ms;

FUNCTION void parse(void) { WORK(30000); }

FUNCTION void answer(void) { WORK(35000); }

FUNCTION void handle(void)
{
	parse();
	answer();
	answer();
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

FUNCTION void rare(void) { rare_ms = now_ms(); }

static void take(int signal)
{
	(void)signal;
	pauses = 1;
}

int main(void)
{
	long end = now_ms() + 600000;

	signal(SIGUSR1, take);
	while (now_ms() < end) {
		handle();
		if (now_ms() - rare_ms >= 150) rare();
		if (pauses) sleep(3);
		pauses = 0;
	}
	return 0;
}
