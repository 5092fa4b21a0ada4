/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Has a process ended that is no child of ours? By a descriptor, so that its number cannot have
 * become another's: a pidfd, or before Linux 5.3 its folder in /proc.
 */
#ifndef RAROG_BASE_ENDED_H
#define RAROG_BASE_ENDED_H

#include <stdbool.h>
#include <sys/types.h>

/** rarog_ended_open() - a descriptor for the functions below; the caller closes it. -ESRCH: there
 * is none, -errno; no message. */
int rarog_ended_open(pid_t pid);

/** rarog_ended() - have all threads of it ended? It need not have been waited for. */
bool rarog_ended(int process);

/** rarog_ended_wakes() - does poll() wake when it ends? If not it has to be looked at every
 * RAROG_ENDED_LOOK_NS. */
bool rarog_ended_wakes(int process);

#define RAROG_ENDED_LOOK_NS 20000000

#endif
