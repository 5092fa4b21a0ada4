/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One amount as users name it, over the versions of one job: for charts and for bisection.
 *
 *	wall                 of the program, without probes where it was measured so
 *	cpu                  its user and system time, without probes
 *	traced-wall          with probes
 *	instructions         that it executed (profiles of blocks)
 *	NAME  NAME:exclusive time of a function without what it called, less what it was preempted
 *	                     where that is known
 *	NAME:inclusive       with it, recursion counted once
 *	NAME:cpu             the part of its own time on a processor; NAME:waited what it waited
 *	NAME:calls           number of calls
 *	NAME:instructions    that it executed itself (profiles of blocks)
 */
#ifndef RAROG_CHECK_LINE_H
#define RAROG_CHECK_LINE_H

#include "check/history-calls.h"
#include "check/series.h"
#include "store/record.h"

struct rarog_quantity_name {
	enum rarog_series_metric metric;
	char *function; /* NULL: of the program */
};

/** rarog_quantity_name_parse() - 0, -EINVAL, -ENOMEM. */
int rarog_quantity_name_parse(const char *text, struct rarog_quantity_name *ret_name);

/** rarog_quantity_name_is_plain() - it is an amount even if no function has such a name. */
bool rarog_quantity_name_is_plain(const char *text);
void rarog_quantity_name_release(struct rarog_quantity_name *name);

struct rarog_amounts_of_runs {
	RAROG_VEC(double) list; /* one a run */
	/* Of exclusive times: which functions without times are in them, of the first run; they are
	 * comparable with those of the same. Runs of another are left out. */
	uint64_t set;
	bool has_set; /* .set is given */
	/* Which function calls which, by all runs that were read with it: the set is that below the
	 * function, rarog_history_calls_sets(), and to be read again where calls->is_stale. */
	struct rarog_history_calls *calls;
};

/**
 * rarog_quantity_of_version() - append the amount in every run of @version
 * @job_key, @machine_class: of these only; NULL: any
 *
 * A function that a run did not call has 0 calls and no time there, one that is sampled or calls
 * such no exclusive time; a run without CPU time has
 * no parts of it, one that counted no blocks no instructions. Profiles measured with changes
 * that are in no commit do not count. 0; -errno.
 */
int rarog_quantity_of_version(struct rarog_store *store, const char *version,
			      const struct rarog_hash *job_key,
			      const struct rarog_hash *machine_class,
			      const struct rarog_quantity_name *name,
			      struct rarog_amounts_of_runs *amounts);

#endif
