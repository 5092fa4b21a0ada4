/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the threads of a process stand that has hung: their stacks, and which thread holds what
 * each waits for. Read from outside, of threads that sleep in a system call; one that runs has no
 * stack here.
 */
#ifndef RAROG_PROCESS_STACKS_H
#define RAROG_PROCESS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/vec.h"

#define RAROG_STACK_FRAMES 32

struct rarog_thread_stack {
	pid_t tid;
	bool runs;                        /* it is in no system call */
	long call;                        /* number of the system call */
	pid_t waits_for;                  /* thread that holds it, or that has to end; 0: unknown */
	size_t n;                         /* frames, … */
	char *frames[RAROG_STACK_FRAMES]; /* … innermost first: function names, or addresses */
};

/* Zeroed: none. */
struct rarog_thread_stacks {
	RAROG_VEC(struct rarog_thread_stack) v;
};

/** rarog_stacks_read() - of all threads of @pid, as far as the kernel lets us. 0; -ENOMEM; release
 * in any case. */
int rarog_stacks_read(pid_t pid, struct rarog_thread_stacks *ret_stacks);
void rarog_stacks_release(struct rarog_thread_stacks *stacks);

#endif
