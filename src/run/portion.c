/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/portion.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "run/log-file.h"
#include "run/shell.h"

/* The work tree is built where it is, as its owner does. */
static int work_build(void *user, struct rarog_str *reply)
{
	const struct rarog_matrix *matrix = user;

	(void)reply;
	return rarog_shell_run("build", &matrix->build);
}

static int build_recipe(struct rarog_portion *p, const struct rarog_matrix *matrix)
{
	struct rarog_schedule *s = p->s;
	rarog_cleanup(rarog_closep) int log = rarog_log_file_open(s->scratch);
	struct rarog_guard_options options = {
		.work = work_build,
		.user = (void *)(uintptr_t)matrix,
		.directory = rarog_vcs_root(s->repository->vcs),
		.timeout_ns = matrix->build_timeout_ns,
		.log = log,
		.input = -1,
	};
	struct rarog_guard guard;
	struct rarog_guard_end end = { 0 };
	int r = log < 0 ? log : rarog_guard_start(&options, &guard);

	if (r == 0)
		r = rarog_run_wait(&guard, rarog_schedule_tick, s, &end);
	free(end.reply);
	if (r == 0 && end.code < 0) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());
		char last[200];

		rarog_log_file_last(log, sizeof(last), last);
		r = rarog_fail(end.code, "%s%s%s", message ? message : "", *last ? ": " : "", last);
	}
	s->built += r == 0;
	return r;
}

static bool same_recipe(const struct rarog_matrix *a, const struct rarog_matrix *b)
{
	bool is_same = a->build.n == b->build.n;

	for (size_t i = 0; is_same && i < a->build.n; i++)
		is_same = strcmp(a->build.v[i], b->build.v[i]) == 0;
	return is_same;
}

/* Jobs that are built differently cannot share a work tree: each recipe, then its jobs. */
static int build_and_measure_here(struct rarog_portion *p, const struct rarog_matrix *matrix)
{
	struct rarog_schedule *s = p->s;
	size_t first = p->first, end = p->end;
	int r = matrix->build.n > 0 && !s->options->no_build ? build_recipe(p, matrix) : 0;

	for (size_t i = first; r == 0 && i < end; i++) {
		if (!same_recipe(s->tasks->list.v[s->rows.v[i].task].matrix, matrix) ||
		    rarog_row_missing(s, &s->rows.v[i]) == 0)
			continue;
		for (p->first = p->end = i; p->end < end; p->end++)
			if (!same_recipe(s->tasks->list.v[s->rows.v[p->end].task].matrix, matrix))
				break;
		r = rarog_portion_measure(p);
	}
	p->first = first;
	p->end = end;
	return r;
}

static int run_in_place(struct rarog_portion *p)
{
	struct rarog_schedule *s = p->s;
	int r = 0;

	for (size_t i = p->first; r == 0 && i < p->end; i++)
		if (rarog_row_missing(s, &s->rows.v[i]) > 0)
			r = build_and_measure_here(p, s->tasks->list.v[s->rows.v[i].task].matrix);
	return r;
}

static void say_done(const struct rarog_portion *p)
{
	const struct rarog_schedule *s = p->s;
	size_t n = s->tasks->list.n;

	for (size_t i = p->first; s->options->done && i < p->end; i += n)
		s->options->done(&s->rows.v[i], n, s->options->user);
}

static int run_portion(struct rarog_schedule *s, size_t first, size_t end)
{
	struct rarog_portion p = { .s = s, .first = first, .end = end };
	int r;

	if (s->options->in_place) {
		r = run_in_place(&p);
	} else {
		r = rarog_portion_build(&p);
		if (r == 0 && p.builds.n > 0)
			r = rarog_portion_measure(&p);
	}
	rarog_portion_drop_builds(&p);
	say_done(&p);
	return r;
}

static int prepare(struct rarog_schedule *s)
{
	rarog_cleanup(rarog_freep) char *compilers = NULL;
	int r = rarog_scratch_compilers(s->repository->store, &compilers);

	return r < 0 ? r : rarog_toolchain_read(compilers, &s->toolchain);
}

/* What this machine cannot count is no fault of a version: nothing is run. */
static int check_counters(const struct rarog_tasks *tasks)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < tasks->list.n; i++)
		r = rarog_event_counters_check(&tasks->list.v[i].collector->requests);
	return r;
}

/* Each may have a build of its own, which is held by an open file. */
#define ROWS_TOGETHER 512

/* Whole versions: all whose builds can be held at once, so that a round has a run of each. */
static size_t portion_of(const struct rarog_schedule *s)
{
	size_t n = s->tasks->list.n > 0 ? s->tasks->list.n : 1;

	if (s->options->series || s->rows.n <= ROWS_TOGETHER)
		return s->rows.n;
	return ROWS_TOGETHER > n ? ROWS_TOGETHER / n * n : n;
}

int rarog_schedule_run(struct rarog_schedule *s)
{
	size_t portion = portion_of(s);
	int r = s->runs_total > 0 ? check_counters(s->tasks) : 0;

	if (r == 0 && s->runs_total > 0)
		r = prepare(s);
	for (size_t i = 0; r == 0 && i < s->rows.n; i += portion)
		r = run_portion(s, i, i + portion < s->rows.n ? i + portion : s->rows.n);
	if (r == 0 && s->options->max_build_bytes && !s->options->in_place)
		r = rarog_builds_prune(s->repository->store, s->options->max_build_bytes, NULL);
	return r;
}
