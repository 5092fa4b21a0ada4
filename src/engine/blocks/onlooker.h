/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which programs and libraries that have counters ran, as the kernel tells from outside: so that
 * those are missed that left no file, because nothing in them knew that somebody counts.
 */
#ifndef RAROG_ENGINE_BLOCKS_ONLOOKER_H
#define RAROG_ENGINE_BLOCKS_ONLOOKER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "blocks/counters.h"

struct rarog_onlooker;

/**
 * rarog_onlooker_new() - look at @pid, which has not begun, and all that it will start
 *
 * Return: 0; -EACCES, -EPERM, -ENOSYS … the kernel does not show it, with message.
 */
int rarog_onlooker_new(pid_t pid, struct rarog_onlooker **ret_onlooker);
void rarog_onlooker_free(struct rarog_onlooker *onlooker);
RAROG_DEFINE_FREEP(rarog_onlooker);

/** rarog_onlooker_look() - take what the kernel has written since: often, while they run; files
 * are looked at that may be gone later. Fits .look of struct rarog_untraced. */
void rarog_onlooker_look(void *onlooker);

/** rarog_onlooker_end() - nothing that begins later is seen. 0; -ENOBUFS, -EIO: not all
 * was seen, -ENOMEM; with message. */
int rarog_onlooker_end(struct rarog_onlooker *onlooker);

/** rarog_onlooker_lost() - after that: how many of the kernel's records are missing, at least? */
uint64_t rarog_onlooker_lost(const struct rarog_onlooker *onlooker);

/** rarog_onlooker_left() - after that: there is a file of @counters. */
void rarog_onlooker_left(struct rarog_onlooker *onlooker, const struct rarog_counters *counters);

/** rarog_onlooker_unseen() - after that: how many processes had threads of which their program's
 * runtime does not know? */
uint64_t rarog_onlooker_unseen(const struct rarog_onlooker *onlooker);

/**
 * rarog_onlooker_missed() - after that: how many processes ran binary @i and left nothing
 * @ret_path: of the binary, as they saw it; borrowed; NULL: there are no @i binaries
 *
 * Never too many, but for what counts nothing: a program that the loader could not start or only
 * listed (ldd), or that was killed before.
 */
uint64_t rarog_onlooker_missed(const struct rarog_onlooker *onlooker, size_t i,
			       const char **ret_path);

#endif
