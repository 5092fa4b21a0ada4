/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When threads ended that did not say so: by _exit(), exec() or a signal. */
#ifndef RAROG_ENGINE_STATIC_ENDS_H
#define RAROG_ENGINE_STATIC_ENDS_H

#include <stdbool.h>
#include <sys/types.h>

#include "engine/static/files.h"

struct rarog_static_end {
	uint64_t ticks; /* of the last event */
	uint64_t open;  /* calls */
};

/** rarog_static_last_event() - of a thread; what is damaged counts as its end. */
struct rarog_static_end rarog_static_last_event(const struct rarog_static_file *file);

/** rarog_static_is_until_end() - did the thread of file @i run until process @pid ended? Not if
 * it is of another process, or of a program that @pid left by exec(). */
bool rarog_static_is_until_end(const struct rarog_static_files *files, size_t i, pid_t pid);

#endif
