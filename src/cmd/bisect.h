/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `rarog bisect` knows while it searches, and how it says it. */
#ifndef RAROG_CMD_BISECT_H
#define RAROG_CMD_BISECT_H

#include "check/line.h"
#include "check/search.h"
#include "cmd/command.h"
#include "cmd/job-spec.h"
#include "run/range.h"
#include "run/scratch.h"
#include "store/repository.h"

#define RAROG_BISECT_ENOUGH 0.95 /* how likely one version must be */

struct rarog_bisect_args {
	const char *good, *bad, *job, *processors;
	struct rarog_job_options jobs;
	long runs, most_runs, most_builds;
	bool json;
};

struct rarog_bisect {
	const struct rarog_context *context;
	const struct rarog_bisect_args *args;
	struct rarog_quantity_name metric;
	bool is_named; /* the metric */
	struct rarog_repository repository;
	struct rarog_settings *settings;
	struct rarog_run_spec spec;
	struct rarog_tasks tasks;
	struct rarog_scratch scratch;
	struct rarog_versions line; /* [0] good … [n] bad */
	struct rarog_search search;
	struct rarog_hash class;
	uint64_t built, cached, runs, versions_measured, stored;
};

/** rarog_bisect_say() - @what ("measured", "skipped") happened to version @at. */
void rarog_bisect_say(const struct rarog_bisect *s, const char *what, size_t at);

/** rarog_bisect_report() - the result of the search; the exit code, or -errno. */
int rarog_bisect_report(const struct rarog_bisect *s, const struct rarog_search_result *result);

/** rarog_bisect_report_same() - the ends do not differ; likewise. */
int rarog_bisect_report_same(const struct rarog_bisect *s);

#endif
