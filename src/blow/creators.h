/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where threads are created: which call in the program's own file. A thread that is just creating
 * one stands still; the address that this call returns to is on its stack, and the first that is
 * one of the addresses after calls of pthread_create() and its like is it. Nothing is unwound.
 */
#ifndef RAROG_BLOW_CREATORS_H
#define RAROG_BLOW_CREATORS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct rarog_blow_creators;

/* Of one run: which thread was created where. */
struct rarog_blow_birth {
	uint32_t tid;
	uint64_t site; /* address in the program's file; 0: unknown */
};

struct rarog_blow_births {
	struct rarog_blow_creators *creators; /* NULL: it creates none itself */
	RAROG_VEC(struct rarog_blow_birth) v;
};

/** rarog_blow_birth_note() - of a plan's births; @user: struct rarog_blow_births. */
void rarog_blow_birth_note(void *user, pid_t creator, pid_t tid);

/** rarog_blow_creators_read() - of the program @name, as a shell would find it. *@ret_creators
 * stays NULL where its code creates no threads, or cannot be read. 0; -ENOMEM. */
int rarog_blow_creators_read(const char *name, struct rarog_blow_creators **ret_creators);
void rarog_blow_creators_free(struct rarog_blow_creators *creators);

#endif
