/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rarog does for threads and processes before their first instruction. Each gets a strand, so
 * that its first probe need not ask the kernel for its id: by then the program may have forbidden
 * that (seccomp). It also keeps those apart that begin on the memory and with the thread pointer of
 * another one that runs on beside them (clone with CLONE_VM, without CLONE_SETTLS): probes tell
 * strands by the thread pointer, and both would write into one.
 */
#ifndef RAROG_ENGINE_INLINE_PTRACE_NEW_TASK_H
#define RAROG_ENGINE_INLINE_PTRACE_NEW_TASK_H

#include "engine/inline/code/image.h"
#include "process/task.h"

/** rarog_new_task_begins() - @task, made by fork or clone, is stopped before its first instruction;
 * of later stops nothing is made. */
void rarog_new_task_begins(struct rarog_image *image, const struct rarog_task *task);

/** rarog_new_task_first() - the same for the first thread of @image, just installed. */
void rarog_new_task_first(struct rarog_image *image, pid_t pid);

#endif
