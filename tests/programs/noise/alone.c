/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handle() again and again, which calls parse() once and answer() twice; after 300 of them rare() once; no other
 * thread. Does nothing for three seconds when SIGUSR1 has come. For two minutes.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static volatile sig_atomic_t pauses;
static volatile int handled;

FUNCTION void parse(void) { WORK(30000); }

FUNCTION void answer(void) { WORK(35000); }

FUNCTION void handle(void)
{
	parse();
	answer();
	answer();
}

FUNCTION void rare(void) { handled = 0; }

static void take(int signal)
{
	(void)signal;
	pauses = 1;
}

int main(void)
{
	time_t end = time(NULL) + 120;

	signal(SIGUSR1, take);
	while (time(NULL) < end) {
		handle();
		if (++handled == 300) rare();
		if (pauses) sleep(3);
		pauses = 0;
	}
	return 0;
}
