/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handle() again and again, which calls parse() once and answer() twice; another thread calls tick(). For two minutes.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static volatile int handled;

FUNCTION void parse(void) { WORK(30000); }

FUNCTION void answer(void) { WORK(35000); }

FUNCTION void handle(void)
{
	parse();
	answer();
	answer();
	handled++;
}

FUNCTION void tick(void)
{
	WORK(1000);
	usleep(500);
}

static void *other(void *unused)
{
	for (;;) tick();
	return unused;
}

int main(void)
{
	time_t end = time(NULL) + 120;
	pthread_t thread;

	pthread_create(&thread, NULL, other, NULL);
	puts("started");
	fflush(stdout);
	while (time(NULL) < end) handle();
	return 0;
}
