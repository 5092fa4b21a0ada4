/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which programs and libraries that have counters ran, as the kernel tells from outside: so that
 * those are missed that left no file, because nothing in them knew of counting.
 */
#ifndef RAROG_ENGINE_BLOCKS_EXEC_WATCHER_H
#define RAROG_ENGINE_BLOCKS_EXEC_WATCHER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "blocks/counters.h"

struct rarog_exec_watcher;

/**
 * rarog_exec_watcher_new() - look at @pid, which has not begun, and all that it will start
 *
 * Return: 0; -EACCES, -EPERM, -ENOSYS … the kernel does not show it, with message.
 */
int rarog_exec_watcher_new(pid_t pid, struct rarog_exec_watcher **ret_exec_watcher);
void rarog_exec_watcher_free(struct rarog_exec_watcher *exec_watcher);
RAROG_DEFINE_FREEP(rarog_exec_watcher);

/** rarog_exec_watcher_look() - take what the kernel has written since: often, while they run; files
 * are looked at that may be gone later. */
void rarog_exec_watcher_look(struct rarog_exec_watcher *exec_watcher);

/** rarog_exec_watcher_end() - nothing that begins later is seen. 0; -ENOBUFS, -EIO: not all
 * was seen, -ENOMEM; with message. */
int rarog_exec_watcher_end(struct rarog_exec_watcher *exec_watcher);

/** rarog_exec_watcher_lost() - after that: how many of the kernel's records are missing, at least?
 */
uint64_t rarog_exec_watcher_lost(const struct rarog_exec_watcher *exec_watcher);

/** rarog_exec_watcher_left() - after that: there is a file of @counters. */
void rarog_exec_watcher_left(struct rarog_exec_watcher *exec_watcher,
			     const struct rarog_counters *counters);

/** rarog_exec_watcher_unseen() - after that: of how many programs that left all their files did
 * more threads begin than their runtime knows of? */
uint64_t rarog_exec_watcher_unseen(const struct rarog_exec_watcher *exec_watcher);

/**
 * rarog_exec_watcher_missed() - after that: how many processes ran a binary and left nothing?
 * @ret_path: of one such binary, as they saw it; borrowed; as it was if there is none
 *
 * Never too many, but for what counts nothing: a program that the loader could not start or only
 * listed (ldd), or that was killed before.
 */
uint64_t rarog_exec_watcher_missed(const struct rarog_exec_watcher *exec_watcher,
				   const char **ret_path);

#endif
