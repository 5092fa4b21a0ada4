/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that differ in what they are called by and what they do. called: often 40, twice 2 (from two places), once
 * 1, nested 1 (within once), io 1, locker 1
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const unsigned turns = 1500000;

FUNCTION void often(void)
{
	uint64_t x = 1;

	__asm__ volatile("imul $3, %0, %0" : "+r"(x));
	work_sink = x;
}

FUNCTION void twice(void) { WORK(turns); }

FUNCTION void nested(void) { WORK(turns); }

FUNCTION void once(void)
{
	WORK(turns);
	nested();
}

FUNCTION void io(void)
{
	if (write(STDOUT_FILENO, "x", 1) != 1) exit(1);
}

FUNCTION void locker(void)
{
	pthread_mutex_lock(&mutex);
	work_sink++;
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	for (int i = 0; i < 40; i++) often();
	twice();
	once();
	twice();
	io();
	locker();
	for (int i = 0; i < 100; i++) WORK(turns);
	return 0;
}
