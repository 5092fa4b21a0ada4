/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rounds. A comparison of two versions has their runs without probes in pairs (together.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "run/portion.h"
#include "run/splitmix.h"
#include "run/together.h"

static void note_outcome(struct rarog_schedule *s, struct rarog_run_row *row,
			 const struct rarog_run_outcome *outcome)
{
	row->outcome = outcome->outcome;
	row->status = outcome->status;
	row->log = outcome->log;
	row->post_failed |= outcome->post_failed;
	if (outcome->outcome != RAROG_OUTCOME_MEASURED || outcome->post_failed)
		rarog_row_set_message(row, outcome->message);
	if (outcome->outcome != RAROG_OUTCOME_MEASURED) {
		s->runs_done += rarog_row_missing(s, row);
		row->state = RAROG_ROW_FAILED;
		return;
	}
	s->runs_done++;
	row->lost += outcome->lost;
	row->has_untraced |= outcome->untraced > 0;
	row->made++;
	row->calls += outcome->calls;
	row->wall_ns += outcome->wall_ns;
	row->profile_bytes += outcome->profile_bytes;
	rarog_vec_push(&row->profiles, outcome->profile);
	if (rarog_row_missing(s, row) == 0)
		row->state = RAROG_ROW_MEASURED;
}

/* Has a row failed that the others were to be compared with? Then they are measured for nothing. */
static bool is_lost(const struct rarog_portion *p)
{
	const struct rarog_schedule *s = p->s;

	for (size_t i = p->first; s->options->series && i < p->end; i++)
		if (s->rows.v[i].state == RAROG_ROW_FAILED)
			return true;
	return false;
}

/* --- one row --- */

static struct rarog_run_bench bench_of(const struct rarog_schedule *s)
{
	return (struct rarog_run_bench){
		.store = s->repository->store,
		.machine = &s->machine,
		.processors = &s->processors,
		.scratch = s->scratch,
		.root = rarog_vcs_root(s->repository->vcs),
	};
}

static int subject_of(struct rarog_portion *p, const struct rarog_run_row *row,
		      struct rarog_run_subject *ret_subject)
{
	const struct rarog_schedule *s = p->s;
	struct rarog_run_subject subject = {
		.commit = &s->versions->list.v[row->version],
		.state = s->options->in_place ? s->options->state : NULL,
		.directory = rarog_vcs_root(s->repository->vcs),
		.is_git = rarog_vcs_kind(s->repository->vcs) == RAROG_VCS_GIT,
	};
	int r = s->options->in_place ? 0 : rarog_portion_directory(p, row, &subject.directory);

	if (r == 0)
		*ret_subject = subject;
	return r;
}

/* 1: for the first time, 0, -ENOMEM. */
static int tell_once(struct rarog_run_task *task, size_t n, const char *line)
{
	const char *told = rarog_str_text(&task->told);

	for (size_t length; *told; told += length + 1) {
		length = strcspn(told, "\n");
		if (length == n && memcmp(told, line, n) == 0)
			return 0;
	}
	return rarog_str_addf(&task->told, "%.*s\n", (int)n, line) < 0 ? rarog_oom() : 1;
}

/* Each line once a job: most runs say the same, another version may say more. */
static int say_warnings(struct rarog_run_task *task, const char *lines)
{
	rarog_cleanup(rarog_str_release) struct rarog_str job = { 0 };
	int r = *lines ? rarog_task_line(task, &job) : 0;

	for (size_t n; r >= 0 && *lines; lines += n + (lines[n] == '\n')) {
		n = strcspn(lines, "\n");
		r = tell_once(task, n, lines);
		if (r > 0)
			rarog_warn("%s: %.*s", rarog_str_text(&job), (int)n, lines);
	}
	return r < 0 ? r : 0;
}

static int measure_row(struct rarog_portion *p, struct rarog_run_row *row,
		       const struct rarog_run_round *round)
{
	struct rarog_schedule *s = p->s;
	const struct rarog_run_bench bench = bench_of(s);
	struct rarog_run_subject subject;
	struct rarog_run_outcome outcome;
	int r = subject_of(p, row, &subject);

	if (r == 0)
		r = rarog_run_measure(&bench, &subject, s->tasks, &s->tasks->list.v[row->task],
				      !row->is_started, round, rarog_schedule_tick, s, &outcome);
	row->is_started = true;
	if (r == 0)
		note_outcome(s, row, &outcome);
	if (r == 0)
		r = say_warnings(&s->tasks->list.v[row->task], outcome.warnings);
	if (r == 0 && rarog_schedule_tick(s) != 0)
		r = rarog_fail(-ECANCELED, "interrupted");
	return r;
}

/* --- both versions of a comparison --- */

/* The same job of the other version, that needs a run too; NULL: none. */
static struct rarog_run_row *partner(struct rarog_portion *p, const struct rarog_run_row *row)
{
	struct rarog_schedule *s = p->s;
	struct rarog_run_row *other = &s->rows.v[(1 - row->version) * s->tasks->list.n + row->task];

	return rarog_row_missing(s, other) > 0 ? other : NULL;
}

static int run_together(struct rarog_portion *p, struct rarog_run_row *const rows[2],
			struct rarog_run_round rounds[2], struct rarog_together_way_of *of,
			struct rarog_together *together)
{
	struct rarog_schedule *s = p->s;
	const struct rarog_run_bench bench = bench_of(s);
	struct rarog_run_subject subjects[2];
	struct rarog_stage stages[2];
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2; i++) {
		stages[i] = (struct rarog_stage){ &bench, &subjects[i], s->tasks,
						  &s->tasks->list.v[rows[i]->task], &rounds[i] };
		r = subject_of(p, rows[i], &subjects[i]);
	}
	if (r == 0)
		r = rarog_together_run(stages, !rows[0]->is_started, rarog_schedule_tick, s, of,
				       together);
	for (size_t i = 0; r == 0 && i < 2; i++) {
		rounds[i].is_at_once = together->way == RAROG_TOGETHER_AT_ONCE;
		rounds[i].in_turn = together->why;
		if (together->way == RAROG_TOGETHER_NOT)
			continue;
		rounds[i].beside = &together->runs[i];
		rounds[i].is_laid_out = together->is_laid_out[i];
	}
	return r;
}

/* Their runs without probes in pairs, then one with probes of each. */
static int measure_pair(struct rarog_portion *p, struct rarog_run_row *const rows[2],
			struct rarog_run_round rounds[2], struct rarog_together_way_of *of)
{
	rarog_cleanup(rarog_together_release) struct rarog_together together = { 0 };
	int r = 0;

	rounds[0].in_turn = rounds[1].in_turn = of->why;
	if (of->way != RAROG_TOGETHER_NOT &&
	    p->s->tasks->list.v[rows[0]->task].matrix->untraced > 0)
		r = run_together(p, rows, rounds, of, &together);
	for (size_t i = 0; r == 0 && i < 2 && !is_lost(p); i++)
		r = measure_row(p, rows[i], &rounds[i]);
	return r;
}

/* --- rounds --- */

struct rounds {
	struct rarog_portion *p;
	struct rarog_splitmix random;
	size_t *order;                      /* rows */
	struct rarog_together_way_of *ways; /* by task; NULL: this is no comparison of two */
	uint32_t number;
};

/* Fisher and Yates. */
static void shuffle(size_t n, size_t order[], struct rarog_splitmix *random)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = rarog_splitmix_below(random, (uint32_t)i), other = order[k];

		order[k] = order[i - 1];
		order[i - 1] = other;
	}
}

static struct rarog_run_round next_round(struct rounds *rounds)
{
	return (struct rarog_run_round){ .series = rounds->p->s->options->series,
					 .number = rounds->number,
					 .seed = rarog_splitmix_next(&rounds->random) };
}

static bool is_done(const struct rarog_run_row *row, uint32_t rounds)
{
	return row->state != RAROG_ROW_TODO || row->made > rounds;
}

/* A row, with the one that it is compared with. */
static int measure_next(struct rounds *rounds, struct rarog_run_row *row)
{
	struct rarog_run_row *other = rounds->ways ? partner(rounds->p, row) : NULL;
	struct rarog_run_round own[2];
	struct rarog_run_row *const pair[2] = { row, other };

	own[0] = next_round(rounds);
	if (!other || other->made != row->made)
		return measure_row(rounds->p, row, &own[0]);
	own[1] = next_round(rounds);
	return measure_pair(rounds->p, pair, own, &rounds->ways[row->task]);
}

/* One run of every row that needs one, in some order. Return: how many. */
static int measure_round(struct rounds *rounds)
{
	struct rarog_portion *p = rounds->p;
	struct rarog_schedule *s = p->s;
	size_t n = 0;
	int r = 0;

	for (size_t i = p->first; i < p->end; i++)
		if (rarog_row_missing(s, &s->rows.v[i]) > 0)
			rounds->order[n++] = i;
	shuffle(n, rounds->order, &rounds->random);
	for (size_t i = 0; r == 0 && i < n && !is_lost(p); i++) {
		struct rarog_run_row *row = &s->rows.v[rounds->order[i]];

		if (!rounds->ways || !is_done(row, rounds->number))
			r = measure_next(rounds, row);
	}
	return r < 0 ? r : (int)n;
}

/* Somebody else may have measured while we waited. */
static int look_again(struct rarog_portion *p)
{
	struct rarog_schedule *s = p->s;
	int r = 0;

	for (size_t i = p->first; r == 0 && i < p->end; i++)
		if (s->rows.v[i].state == RAROG_ROW_TODO)
			r = rarog_row_look_up(s, &s->rows.v[i]);
	return r;
}

/* Rows that have enough count as done. */
static int look_at_round(struct rarog_portion *p, uint32_t rounds)
{
	struct rarog_schedule *s = p->s;
	bool is_last = true;
	int r;

	for (size_t i = p->first; i < p->end; i++)
		is_last &= rarog_row_missing(s, &s->rows.v[i]) == 0;
	if (is_last || !s->options->enough)
		return 0;
	r = s->options->enough(s, rounds, s->options->user);
	for (size_t i = p->first; r > 0 && i < p->end; i++) {
		s->runs_total -= rarog_row_missing(s, &s->rows.v[i]);
		if (s->rows.v[i].state == RAROG_ROW_TODO)
			s->rows.v[i].state = RAROG_ROW_MEASURED;
	}
	return r < 0 ? r : 0;
}

static int measure_rounds(struct rounds *rounds)
{
	for (;; rounds->number++) {
		int r = is_lost(rounds->p) ? 0 : measure_round(rounds);

		if (r <= 0 || is_lost(rounds->p))
			return r < 0 ? r : 0;
		r = look_at_round(rounds->p, rounds->number + 1);
		if (r < 0)
			return r;
	}
}

static bool is_of_two(const struct rarog_schedule *s)
{
	return s->options->series && s->versions->list.n == 2;
}

int rarog_portion_measure(struct rarog_portion *p)
{
	struct rarog_schedule *s = p->s;
	size_t n = p->end - p->first;
	rarog_cleanup(rarog_freep) size_t *order = malloc((n + 1) * sizeof(*order));
	rarog_cleanup(rarog_freep) struct rarog_together_way_of *ways =
		calloc(s->tasks->list.n + 1, sizeof(*ways));
	struct rounds rounds = { .p = p,
				 .random = rarog_splitmix_stream(s->options->seed, p->first),
				 .order = order,
				 .ways = is_of_two(s) ? ways : NULL };
	rarog_cleanup(rarog_closep) int lock = -1;
	int r;

	if (!order || !ways)
		return rarog_oom();
	for (size_t i = 0; s->options->in_turn && i < s->tasks->list.n; i++)
		ways[i] = (struct rarog_together_way_of){ .way = RAROG_TOGETHER_IN_TURN,
							  .why = RAROG_TOGETHER_ASKED };
	lock = rarog_measure_lock(s->repository->store, rarog_schedule_tick, s);
	r = lock < 0 ? lock : look_again(p);
	return r < 0 ? r : measure_rounds(&rounds);
}
