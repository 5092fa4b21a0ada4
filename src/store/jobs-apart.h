/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs with the same words (command, arguments, workload, options, collector) that differ in what
 * the collector was told. */
#ifndef RAROG_STORE_JOBS_APART_H
#define RAROG_STORE_JOBS_APART_H

#include "base/vec.h"
#include "store/object.h"

struct rarog_store;

struct rarog_job_apart {
	struct rarog_hash key;
	char *text;
};

/** struct rarog_jobs_apart - {0}; what was asked for already */
struct rarog_jobs_apart {
	RAROG_VEC(struct rarog_job_apart) list;
};

/**
 * rarog_jobs_apart() - what tells the job @key of @store from such others
 * @ret_text: " [engine=rewrite, libs]", "": nothing, borrowed
 *
 * What is false or empty is not named. Return: 0; -ENOMEM; errors of the store.
 */
int rarog_jobs_apart(struct rarog_jobs_apart *jobs, struct rarog_store *store,
		     const struct rarog_hash *key, const char **ret_text);
void rarog_jobs_apart_release(struct rarog_jobs_apart *jobs); /* fits rarog_cleanup() */

#endif
