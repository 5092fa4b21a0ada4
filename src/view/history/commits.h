/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rarog log`: commits with the profiles they carry, each printed as it comes. */
#ifndef RAROG_VIEW_HISTORY_COMMITS_H
#define RAROG_VIEW_HISTORY_COMMITS_H

#include "base/json-writer.h"
#include "store/jobs-apart.h"
#include "store/record.h"
#include "store/version.h"
#include "view/history/graph.h"

struct rarog_log_view {
	struct rarog_vcs *vcs;
	struct rarog_store *store;
	FILE *out;
	bool is_json, is_short; /* a line each */
	const char *format;     /* a template of such lines, NULL: ours */
	bool with_profiles;
	const char *options, *job; /* only profiles with these; as in struct rarog_record_filter */
	enum rarog_record_order order; /* of them */
	bool draws;                    /* the branches */
	int width;                     /* of the terminal, 0: any */
	bool colour;
	/* its own */
	struct rarog_graph graph; /* .first_parent is the caller's; to be released */
	struct rarog_json json;
	struct rarog_jobs_apart jobs;
};

void rarog_log_begin(struct rarog_log_view *log);

/** rarog_log_commit() - the next one. 0; -EINVAL the template is wrong; -errno. */
int rarog_log_commit(struct rarog_log_view *log, const struct rarog_commit *commit,
		     const struct rarog_load *load);

/** rarog_log_end() - 0 or -EIO. */
int rarog_log_end(struct rarog_log_view *log);

#endif
