/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where stopped threads will go on later: what signal handlers interrupted. */
#ifndef RAROG_PROCESS_CONTEXTS_H
#define RAROG_PROCESS_CONTEXTS_H

#include "base/vec.h"
#include "process/remote.h"
#include "process/threads.h"

struct rarog_interrupted {
	RAROG_VEC(uint64_t) v; /* addresses of code */
};

/**
 * rarog_contexts_find() - the places that signal handlers of @threads will return to, if @inside
 * @ret_contexts: added to; the caller releases it
 *
 * What is found may be the remains of a handler that has returned already.
 *
 * Return: 0; -errno with message.
 */
int rarog_contexts_find(struct rarog_remote *remote, const struct rarog_threads *threads,
			rarog_threads_inside inside, const void *context,
			struct rarog_interrupted *ret_contexts);

#endif
