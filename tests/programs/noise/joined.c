/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Main does nothing but wait for a thread, again and again: whatever step() gains while main waits
 * is owed by nobody.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define THREADS 20
#define STEPS   50

FUNCTION void step(void) { WORK(50000); }

FUNCTION void joined(void) { WORK(50000); }

/* Not before that does anybody gain: main sleeps in the join. */
static int main_sleeps(void)
{
	char path[64], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	file = fopen(path, "r");
	if (!file) return 1;
	if (fread(text, 1, sizeof(text) - 1, file) == 0) text[0] = 0;
	fclose(file);
	return strstr(text, ") S ") != 0;
}

static void *take_steps(void *nothing)
{
	while (!main_sleeps()) usleep(100);
	for (int i = 0; i < STEPS; i++) step();
	return nothing;
}

int main(void)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, 0, take_steps, 0) != 0 || pthread_join(thread, 0) != 0) return 2;
		joined();
	}
	return 0;
}
