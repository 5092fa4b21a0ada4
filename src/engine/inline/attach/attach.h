/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Into a program that runs already. */
#ifndef RAROG_ENGINE_INLINE_ATTACH_ATTACH_H
#define RAROG_ENGINE_INLINE_ATTACH_ATTACH_H

#include "engine/inline/code/image.h"
#include "process/threads.h"

/** rarog_attach_check() - can @pid be attached to at all? 0, or -errno with a message that says why
 * not; the process is not touched. */
int rarog_attach_check(pid_t pid);

/**
 * rarog_attach() - patch a running program
 * @threads: stopped when 0 is returned; the caller lets them go on, or go. rarog_threads_release()
 * it in any case.
 *
 * Return: 0; -errno with message: the program goes on as it was.
 */
int rarog_attach(struct rarog_modules *modules, struct rarog_recorder *recorder, pid_t pid,
		 uint32_t chunks, struct rarog_threads *threads, struct rarog_image **ret_image);

#endif
