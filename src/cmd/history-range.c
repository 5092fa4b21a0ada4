/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/history-range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void rarog_history_range_release(struct rarog_history_range *range)
{
	rarog_vec_release(&range->changes.list);
	rarog_history_splits_release(&range->splits);
	rarog_history_release(&range->history);
	rarog_commit_release(&range->tip);
	for (size_t i = 0; i < range->names.n; i++)
		free(range->names.v[i]);
	rarog_vec_release(&range->names);
}

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static int note_version(const struct rarog_commit *commit, void *user)
{
	struct rarog_history_range *range = user;
	char *name = strdup(commit->name);

	if (!name || rarog_vec_push(&range->names, name) < 0) {
		free(name);
		return rarog_oom();
	}
	return 0;
}

static int read_names(const struct rarog_history_request *how, struct rarog_history_range *range)
{
	const char *text = how->range, *dots = text ? strstr(text, "..") : NULL;
	const struct rarog_walk walk = { .n_from = 1, .from = &text, .first_parent = true };
	const char *end = dots ? dots + 2 + (dots[2] == '.') : text;
	int r = rarog_vcs_resolve(how->project->vcs, end && *end ? end : "HEAD", &range->tip);

	if (r == 0 && dots)
		r = rarog_vcs_walk(how->project->vcs, &walk, note_version, range);
	if (r < 0)
		return r;
	if (dots && range->names.n == 0)
		return rarog_fail(-ENOENT, "%s: there is no version in this range", text);
	if (range->names.n > 0)
		qsort(range->names.v, range->names.n, sizeof(*range->names.v), compare_names);
	return 0;
}

bool rarog_history_range_has(const struct rarog_history_range *range, uint32_t version)
{
	const char *name = range->history.versions.v[version];

	return range->names.n == 0 || bsearch(&name, range->names.v, range->names.n,
					      sizeof(*range->names.v), compare_names) != NULL;
}

static void drop_others(struct rarog_history_range *range)
{
	size_t kept = 0;

	for (size_t i = 0; i < range->changes.list.n; i++)
		if (rarog_history_range_has(range, range->changes.list.v[i].shift.until))
			range->changes.list.v[kept++] = range->changes.list.v[i];
	range->changes.list.n = kept;
	kept = 0;
	for (size_t i = 0; i < range->splits.list.n; i++) {
		struct rarog_history_split *split = &range->splits.list.v[i];

		if (rarog_history_range_has(range, split->version))
			range->splits.list.v[kept++] = *split;
		else
			free(split->words);
	}
	range->splits.list.n = kept;
}

static void show_progress(uint64_t done, void *user)
{
	struct rarog_history_range *range = user;

	rarog_progress_update(&range->progress, done);
}

static int read_history(const struct rarog_history_request *how, struct rarog_history_range *range)
{
	struct rarog_project *project = how->project;

	if (how->with_values)
		return rarog_history_read_values(project->store, project->vcs, range->tip.name,
						 show_progress, range, &range->history);
	return rarog_history_read(project->store, project->vcs, range->tip.name, how->save,
				  show_progress, range, &range->history);
}

/* Only of jobs, and options of the program, that were asked for. */
static int keep_wanted(const struct rarog_project *project, struct rarog_history *history)
{
	int r = project->options ? rarog_history_keep(history, project->store, project->options)
				 : 0;

	if (r < 0 || !project->jobs || project->jobs->n == 0)
		return r;
	rarog_history_keep_jobs(history, project->jobs->n, project->jobs->v);
	return history->groups.n > 0
		       ? 0
		       : rarog_fail(-ENOENT,
				    "no version of this history has a profile of this job");
}

int rarog_history_range_read(const struct rarog_history_request *how,
			     struct rarog_history_range *range)
{
	const struct rarog_history_options options = {
		.least_effect = how->thresholds[RAROG_HISTORY_SMALLEST_EFFECT],
		.least_share = how->thresholds[RAROG_HISTORY_LEAST_SHARE],
		.level = how->thresholds[RAROG_HISTORY_ALPHA],
		.smallest = how->thresholds[RAROG_HISTORY_SMALLEST],
	};
	int r = read_names(how, range);

	if (r < 0)
		return r;
	rarog_progress_start(&range->progress, "reading", "profiles", 0, how->context->quiet);
	r = read_history(how, range);
	rarog_progress_finish(&range->progress);
	if (r == 0)
		r = keep_wanted(how->project, &range->history);
	if (r == 0)
		r = rarog_history_find(&range->history, &options, &range->changes);
	if (r == 0)
		r = rarog_history_splits(&range->history, &range->splits);
	if (r == 0)
		drop_others(range);
	return r;
}
