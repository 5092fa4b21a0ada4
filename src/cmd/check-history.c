/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check-history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/progress.h"
#include "check/history.h"
#include "view/history/changes.h"
#include "view/verdict/verdict-view.h"

enum { ALPHA, SMALLEST_EFFECT, LEAST_SHARE, SMALLEST };

static const struct rarog_threshold thresholds[] = {
	[ALPHA] = { "alpha", 0.05, 1e-9, 0.5,
		    "part of the changes reported that may be false alarms" },
	[SMALLEST_EFFECT] = { "smallest-effect", 0.02, 0, 10,
			      "relative change that is too small to matter" },
	[LEAST_SHARE] = { "least-share", 0.005, 0, 1,
			  "part of all time from which on a function is followed" },
	[SMALLEST] = { "smallest", 0.0005, 0, 1,
		       "least change of instructions that matters, as a part of the program's" },
	{ .name = NULL },
};

const struct rarog_check_method rarog_check_history_rules = {
	.name = "history",
	.summary =
		"of --history: where a series of versions moves to another level and stays there",
	.thresholds = thresholds,
};

struct session {
	const struct rarog_check_history *how;
	struct rarog_history history;
	struct rarog_history_changes changes;
	struct rarog_history_splits splits;
	struct rarog_commit tip;
	RAROG_VEC(char *) range; /* sorted names; empty: all */
	struct rarog_progress progress;
};

static void session_release(struct session *s)
{
	rarog_vec_release(&s->changes.list);
	rarog_history_splits_release(&s->splits);
	rarog_history_release(&s->history);
	rarog_commit_release(&s->tip);
	for (size_t i = 0; i < s->range.n; i++)
		free(s->range.v[i]);
	rarog_vec_release(&s->range);
}

/* --- the range --- */

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static int note_version(const struct rarog_commit *commit, void *user)
{
	struct session *s = user;
	char *name = strdup(commit->name);

	if (!name || rarog_vec_push(&s->range, name) < 0) {
		free(name);
		return rarog_oom();
	}
	return 0;
}

static int read_range(struct session *s)
{
	const char *text = s->how->range, *dots = text ? strstr(text, "..") : NULL;
	const struct rarog_walk walk = { .n_from = 1, .from = &text, .first_parent = true };
	const char *end = dots ? dots + 2 + (dots[2] == '.') : text;
	int r = rarog_vcs_resolve(s->how->project->vcs, end && *end ? end : "HEAD", &s->tip);

	if (r == 0 && dots)
		r = rarog_vcs_walk(s->how->project->vcs, &walk, note_version, s);
	if (r < 0)
		return r;
	if (dots && s->range.n == 0)
		return rarog_fail(-ENOENT, "%s: there is no version in this range", text);
	if (s->range.n > 0)
		qsort(s->range.v, s->range.n, sizeof(*s->range.v), compare_names);
	return 0;
}

static const char *version_name(const struct session *s, uint32_t version)
{
	return s->history.versions.v[version];
}

static bool is_in_range(const struct session *s, uint32_t version)
{
	const char *name = version_name(s, version);

	return s->range.n == 0 ||
	       bsearch(&name, s->range.v, s->range.n, sizeof(*s->range.v), compare_names) != NULL;
}

static void keep_range(struct session *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->changes.list.n; i++)
		if (is_in_range(s, s->changes.list.v[i].shift.until))
			s->changes.list.v[kept++] = s->changes.list.v[i];
	s->changes.list.n = kept;
	kept = 0;
	for (size_t i = 0; i < s->splits.list.n; i++) {
		struct rarog_history_split *split = &s->splits.list.v[i];

		if (is_in_range(s, split->version))
			s->splits.list.v[kept++] = *split;
		else
			free(split->words);
	}
	s->splits.list.n = kept;
}

/* --- all of it --- */

static int exit_code(const struct session *s)
{
	for (size_t i = 0; i < s->changes.list.n && !s->how->fails_never; i++) {
		const struct rarog_history_change *change = &s->changes.list.v[i];

		if (change->relative > 0 &&
		    (!rarog_history_is_maybe(change) || s->how->fails_on_maybe))
			return RAROG_EXIT_DEGRADATION;
	}
	return RAROG_EXIT_OK;
}

static void show_progress(uint64_t done, void *user)
{
	struct session *s = user;

	rarog_progress_update(&s->progress, done);
}

int rarog_check_history(const struct rarog_check_history *how)
{
	const struct rarog_history_options options = {
		.least_effect = how->thresholds[SMALLEST_EFFECT],
		.least_share = how->thresholds[LEAST_SHARE],
		.level = how->thresholds[ALPHA],
		.smallest = how->thresholds[SMALLEST],
	};
	rarog_cleanup(session_release) struct session s = { .how = how };
	int r = read_range(&s);

	if (r < 0)
		return r;
	rarog_progress_start(&s.progress, "reading", "profiles", 0, how->context->quiet);
	r = rarog_history_read(how->project->store, how->project->vcs, s.tip.name, how->save,
			       show_progress, &s, &s.history);
	rarog_progress_finish(&s.progress);
	if (r == 0 && how->project->options)
		r = rarog_history_keep(&s.history, how->project->store, how->project->options);
	if (r == 0 && how->project->jobs)
		rarog_history_keep_jobs(&s.history, how->project->jobs->n, how->project->jobs->v);
	if (r == 0 && how->project->jobs && how->project->jobs->n > 0 && s.history.groups.n == 0)
		r = rarog_fail(-ENOENT, "no version of this history has a profile of this job");
	if (r == 0)
		r = rarog_history_find(&s.history, &options, &s.changes);
	if (r == 0)
		r = rarog_history_splits(&s.history, &s.splits);
	if (r < 0)
		return r;
	keep_range(&s);
	r = how->format->write_history(
		&(struct rarog_history_view){
			.history = &s.history,
			.changes = &s.changes,
			.splits = &s.splits,
			.vcs = how->project->vcs,
			.limit = how->limit,
			.width = isatty(STDOUT_FILENO) ? how->context->width : 0,
			.colour = how->context->colour,
		},
		stdout);
	return r < 0 ? r : exit_code(&s);
}
