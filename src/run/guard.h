/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work in a process of its own that leaves nothing behind. Between us and the worker stands a
 * supervisor: when the work is done, takes too long, is called off, or when we are gone (kill -9),
 * it kills whatever the worker started, however it was started, and only then ends. It and the
 * worker hold the file locks that we held when it began: a process that finds one of them free
 * knows that none is at work there any more.
 */
#ifndef RAROG_RUN_GUARD_H
#define RAROG_RUN_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct rarog_guard_options {
	/* Done in the worker. @reply travels back to us. 0, or -errno with recorded message, which
	 * travels, too. */
	int (*work)(void *user, struct rarog_str *reply);
	void *user;
	uint64_t timeout_ns;   /* 0: none */
	const char *directory; /* where it works; NULL: here */
	int log;               /* its standard output and error; -1: ours */
	int input;             /* its standard input; -1: /dev/null */
};

struct rarog_guard {
	pid_t pid; /* of the supervisor; 0: none */
	int fd;
	bool is_over; /* rarog_guard_finish() will not wait */
	struct rarog_str bytes;
};

struct rarog_guard_end {
	int code; /* what work() returned; -ECANCELED it was called off; -EIO it crashed */
	bool timed_out;
	char *reply; /* the caller frees; n_reply bytes and a NUL */
	size_t n_reply;
};

int rarog_guard_start(const struct rarog_guard_options *options, struct rarog_guard *ret_guard);

/**
 * rarog_guards_wait() - until one of them is over, or for a tenth of a second
 *
 * Return: index of one that is over; -EAGAIN none is, yet.
 */
int rarog_guards_wait(size_t n, struct rarog_guard *const guards[]);

/** rarog_guard_stop() - call it off; finish follows. */
void rarog_guard_stop(struct rarog_guard *guard);

/** rarog_guard_finish() - wait for its end. The worker's message becomes ours. 0 or -errno: how it
 * ended could not be learnt. */
int rarog_guard_finish(struct rarog_guard *guard, struct rarog_guard_end *ret_end);

#endif
