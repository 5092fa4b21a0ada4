/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each thread of a program that runs has of the processors, by what the scheduler says. */
#ifndef RAROG_PROCESS_THREAD_SHARES_H
#define RAROG_PROCESS_THREAD_SHARES_H

#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct rarog_thread_share {
	pid_t tid;
	uint64_t cpu_ns;
	uint64_t delay_ns; /* it was ready to run and did not */
	long sleeps;       /* how often it gave the processor away by itself */
};

/* Since each thread began. Zeroed: none. */
struct rarog_thread_shares {
	RAROG_VEC(struct rarog_thread_share) v;
};

/** rarog_thread_shares_read() - of @pid's threads that live; none where the kernel does not tell.
 * Return: 0; -ENOMEM with message. */
int rarog_thread_shares_read(pid_t pid, struct rarog_thread_shares *shares);

/** rarog_thread_shares_worker() - the thread that did nine tenths of the work between two readings;
 * 0: none did. */
pid_t rarog_thread_shares_worker(const struct rarog_thread_shares *before,
				 const struct rarog_thread_shares *after);

/** rarog_thread_shares_own_ns() - of @wall_ns between two readings, what is left without those in
 * which @worker was ready to run and others had its processor; all, if it is not in both. */
uint64_t rarog_thread_shares_own_ns(const struct rarog_thread_shares *before,
				    const struct rarog_thread_shares *after, pid_t worker,
				    uint64_t wall_ns);

/** rarog_thread_shares_delay() - how much of the time in which they could have run all threads were
 * not let: 0 to 1. */
double rarog_thread_shares_delay(const struct rarog_thread_shares *before,
				 const struct rarog_thread_shares *after);

#endif
