/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every engine is asked, and what it answers: one run of a program under a plan, into one
 * profile. */
#ifndef RAROG_ENGINE_REQUEST_H
#define RAROG_ENGINE_REQUEST_H

#include <stdatomic.h>

#include "base/json-writer.h"
#include "events/recorder.h"
#include "plan/plan.h"
#include "process/running.h"

/* A program that runs already. */
struct rarog_attachment {
	pid_t pid;
	const char *file;     /* NULL; else no pid: all that run that file, or have it mapped … */
	const char *path;     /* … which is there, whatever has its name by then */
	uint64_t duration_ns; /* then it is let go; 0: when SIGINT, SIGTERM or SIGHUP comes */
	const atomic_bool *is_over; /* … or when steer() has made this true; NULL: it does not */
	/* Called when every thread of @pid stands still and has just been, or is just going to be,
	 * freed of probes: calls that begin between the two moments are recorded, others are not.
	 * For tests; NULL: not called. */
	void (*stopped)(void *user, bool is_end);
	void *user;
};

struct rarog_engine;
struct rarog_engine_run;

struct rarog_trace_options {
	struct rarog_plan *plan;
	struct rarog_command_line *command;
	const struct rarog_attachment *attachment; /* to this process, whose command line @command
						    * tells; NULL: @command is run */
	const char *output;                        /* profile to write */
	const char *keep; /* an older one is kept under this name; NULL: replaced */
	bool compensate;
	/* Writes the header's members about version and machine (and more, as it likes), usually
	 * rarog_provenance_describe(); NULL: none. Called when the program has ended, twice. */
	void (*describe)(struct rarog_json *json, void *user);
	void *user;
	/* Changes the plan that is made for the run; NULL: nobody does. */
	void (*adapt)(void *adapter, const struct rarog_engine *engine, struct rarog_plan *plan);
	void *adapter;
	/* While the program runs, by the thread that measures: may switch places by
	 * rarog_engine_set_place(); plan->switches says so beforehand. NULL: nobody does. Return:
	 * ns until it wants to be asked again, 0: never. */
	long (*steer)(void *steerer, const struct rarog_engine *engine,
		      struct rarog_engine_run *run);
	void *steerer;
};

/* What came of it. */
struct rarog_collected {
	struct rarog_run_result run;
	uint64_t calls, lost, profile_bytes;
	uint32_t untraced; /* functions that cannot be traced, those of the run-time system apart */
	char what[128];    /* for the summary line: "1,024 calls" … */
	char kept[192];    /* … and ", nothing lost", or "" */
	/* Of an attachment: the program goes on, and how long it stood still for attaching and for
	 * detaching. */
	bool detached;
	uint64_t stood_ns[2];
	uint64_t prepared_ns; /* of a program that was started: how long for what it loads */
};

#endif
