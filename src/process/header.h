/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a profile's header that is the same for every collector: which version of the source
 * was measured, on which machine, under which conditions (doc/design/profile-format.md). */
#ifndef RAROG_PROCESS_HEADER_H
#define RAROG_PROCESS_HEADER_H

#include "base/json-writer.h"
#include "process/clock.h"
#include "process/running.h"
#include "profile/writer.h"
#include "store/job.h"
#include "store/machine.h"
#include "store/vcs.h"

/* As it was when the run began: the program may change its own source tree. */
struct rarog_provenance {
	struct rarog_vcs_state state;
	bool is_git; /* else state.head is a label */
	struct rarog_machine machine;
	struct rarog_conditions before;
	const char *label;           /* the user's word for it, NULL; borrowed */
	const char *configuration;   /* of the program, as in struct rarog_job; NULL; borrowed */
	const struct rarog_job *job; /* NULL: what the command line says; borrowed */
};

/**
 * rarog_provenance_read() - of now
 * @vcs: NULL: no version
 * @given_class: of the machine, NULL: by its facts
 *
 * Return: 0; as rarog_vcs_state(); -ENOMEM.
 */
int rarog_provenance_read(struct rarog_vcs *vcs, const char *given_class,
			  struct rarog_provenance *ret_provenance);
void rarog_provenance_release(struct rarog_provenance *provenance);

/** rarog_provenance_write() - members "commit" (or "version"), "tree", "dirty", "diff", "label",
 * "configuration", "job", "machine", "conditions" (against now). */
void rarog_provenance_write(struct rarog_json *json, const struct rarog_provenance *provenance);

/** rarog_provenance_describe() - the same as rarog_trace_options.describe. */
void rarog_provenance_describe(struct rarog_json *json, void *provenance);

/** rarog_run_write_times() - members "wall_ns", "user_ns", "system_ns" of a run, and
 * "counters" where there are any. */
void rarog_run_write_times(struct rarog_json *json, const struct rarog_run_result *run);

/** rarog_run_write_end() - member "end" of a run from start to end: how it ended, its times, and
 * what else the kernel counted of it and the children it waited for. */
void rarog_run_write_end(struct rarog_json *json, const struct rarog_run_result *run);

/* The header of one run's profile. */
struct rarog_header {
	char *const *argv;
	uint64_t started_ns; /* CLOCK_REALTIME */
	/* As in struct rarog_trace_options; NULL: nothing is known. */
	void (*describe)(struct rarog_json *json, void *user);
	void *user;
	/* write() - the members that only this collector knows */
	void (*write)(struct rarog_json *json, void *collector);
	void *collector;
};

/** rarog_header_set() - compose it and give it to the profile. 0 or as rarog_profile_set_header().
 */
int rarog_header_set(struct rarog_profile_writer *writer, const struct rarog_header *header);

/** rarog_header_add_process() - the program as the only row of processes, from the start of @watch
 * to its end: the profile of an engine that sees no processes lasts as long. 0; -errno with
 * message. */
int rarog_header_add_process(struct rarog_profile_writer *writer,
			     const struct rarog_clock_watch *watch, char *const *argv,
			     const struct rarog_run_result *run);

/** rarog_profile_put() - commit what was written as @path; an older file of that name is kept as
 * @keep (NULL: replaced). */
int rarog_profile_put(struct rarog_profile_writer *writer, const char *path, const char *keep,
		      uint64_t *ret_bytes);

#endif
