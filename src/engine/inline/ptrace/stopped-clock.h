/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_ENGINE_INLINE_PTRACE_STOPPED_CLOCK_H
#define RAROG_ENGINE_INLINE_PTRACE_STOPPED_CLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "engine/inline/code/image.h"

/**
 * rarog_stopped_clock() - was a probe not allowed to read the clock?
 * @tid: a thread of process @pid that has just had SIGSEGV of the kernel's (SI_KERNEL)
 *
 * If so it has been given the time and must go on without that signal, and no call of the image is
 * recorded any more, which a line says once.
 */
bool rarog_stopped_clock(struct rarog_image *image, pid_t pid, pid_t tid);

/** rarog_recording_off() - calls that begin in @pid from here on are not recorded, once
 * image->control->off says so as well; a probe that has begun is. */
void rarog_recording_off(struct rarog_image *image, pid_t pid);

#endif
