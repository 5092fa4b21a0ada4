/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the elevated helper may do, and for which user: the part that everything else rests on. */
#ifndef RAROG_ENGINE_EBPF_HELPER_RIGHTS_H
#define RAROG_ENGINE_EBPF_HELPER_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whose requests these are. */
struct rarog_helper_caller {
	uid_t uid;
	gid_t gid;
};

/**
 * rarog_helper_confine() - find the user of @socket's maker, keep CAP_BPF and CAP_PERFMON, become
 * that user for everything else; no environment, no descriptors but @socket
 *
 * Return: 0; -EPERM: it is not this user's; -errno. Without message: the user is not known yet.
 */
int rarog_helper_confine(int socket, struct rarog_helper_caller *ret_caller);

/** rarog_helper_drop_all() - the last capabilities, too. 0; -errno. */
int rarog_helper_drop_all(void);

/**
 * rarog_helper_may_watch() - may the caller see what process @pid does?
 *
 * Only what a debugger of the caller's could be attached to: all of the process's user and group
 * numbers are the caller's, it has no capabilities, and the kernel lets its memory be seen.
 * Return: 0; -EPERM, -ESRCH with message.
 */
int rarog_helper_may_watch(const struct rarog_helper_caller *caller, pid_t pid);

/**
 * rarog_helper_may_probe() - may the caller have probes in @file?
 * @everywhere: in whichever process runs it
 * @ret_size: bytes
 *
 * It must be open for reading, which takes the right to read it. Probes in all processes are for
 * the owner alone: they slow others down, and at a wrong place they would break them.
 * Return: 0; -EPERM, -EINVAL with message.
 */
int rarog_helper_may_probe(const struct rarog_helper_caller *caller, int file, bool everywhere,
			   uint64_t *ret_size);

#endif
