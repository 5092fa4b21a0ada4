/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread takes steps while main waits for it: by a pipe (./piped), or a futex of its own (./piped futex). Nobody is
 * late by what the other gains meanwhile.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sleeps.h"
#include "work.h"

#define ROUNDS 20
#define STEPS  50

static int there[2], back[2];
static uint32_t turn; /* 0: main's */

FUNCTION void step(void) { WORK(50000); }

FUNCTION void between(void) { WORK(50000); }

static void wait_for(uint32_t mine)
{
	uint32_t now;

	while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) != mine)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now, 0, 0, 0);
}

static void pass_to(uint32_t other)
{
	__atomic_store_n(&turn, other, __ATOMIC_RELEASE);
	syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void *take_steps(void *by_futex)
{
	char byte;

	for (int i = 0; i < ROUNDS; i++) {
		if (by_futex)
			wait_for(1);
		else if (read(there[0], &byte, 1) != 1)
			_exit(2);
		while (!main_sleeps()) usleep(100);
		for (int k = 0; k < STEPS; k++) step();
		if (by_futex)
			pass_to(0);
		else if (write(back[1], "x", 1) != 1)
			_exit(2);
	}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char byte;
	int by_futex = argc > 1;

	(void)argv;
	if (pipe(there) != 0 || pipe(back) != 0 || pthread_create(&thread, 0, take_steps, by_futex ? &turn : 0) != 0)
		return 2;
	for (int i = 0; i < ROUNDS; i++) {
		if (by_futex) {
			pass_to(1);
			wait_for(0);
		} else if (write(there[1], "x", 1) != 1 || read(back[0], &byte, 1) != 1) {
			return 2;
		}
		between();
	}
	return pthread_join(thread, 0);
}
