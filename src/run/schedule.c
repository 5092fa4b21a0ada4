/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/schedule.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "run/stop.h"

const char *const rarog_row_state_names[RAROG_ROW_STATES] = { "to-do", "there", "known-failure",
							      "measured", "failed" };

void rarog_schedule_release(struct rarog_schedule *s)
{
	for (size_t i = 0; i < s->rows.n; i++) {
		free(s->rows.v[i].message);
		rarog_vec_release(&s->rows.v[i].profiles);
	}
	rarog_vec_release(&s->rows);
	rarog_machine_release(&s->machine);
	rarog_toolchain_release(&s->toolchain);
}

int rarog_row_set_message(struct rarog_run_row *row, const char *message)
{
	free(row->message);
	row->message = strdup(message);
	return row->message ? 0 : rarog_oom();
}

/* --- the plan --- */

int rarog_row_look_up(struct rarog_schedule *s, struct rarog_run_row *row)
{
	rarog_cleanup(rarog_attempt_release) struct rarog_attempt attempt = { 0 };
	const struct rarog_commit *commit = &s->versions->list.v[row->version];
	struct rarog_hash class;
	int r = rarog_machine_class(&s->machine, &class);

	row->state = RAROG_ROW_TODO;
	if (r == 0 && !s->options->in_place && !commit->changed_tree)
		r = rarog_attempt_find(s->repository->store, commit->name,
				       &s->tasks->list.v[row->task].job.key, &class, &attempt);
	if (r <= 0)
		return r;
	row->there = attempt.done;
	row->outcome = attempt.outcome;
	row->status = attempt.status;
	row->log = attempt.log;
	if (attempt.outcome == RAROG_OUTCOME_MEASURED) {
		if (row->there >= row->wanted && !s->options->again)
			row->state = RAROG_ROW_THERE;
		return 0;
	}
	if (!s->options->retry && !s->options->again)
		row->state = RAROG_ROW_KNOWN;
	return rarog_row_set_message(row, attempt.message ? attempt.message : "");
}

uint32_t rarog_row_missing(const struct rarog_schedule *s, const struct rarog_run_row *row)
{
	uint32_t have = row->made + (s->options->again ? 0 : row->there);

	if (row->state != RAROG_ROW_TODO || have >= row->wanted)
		return 0;
	return row->wanted - have;
}

int rarog_schedule_plan(struct rarog_schedule *s)
{
	int r = rarog_machine_read(s->options->machine_class, &s->machine);

	if (r == 0)
		r = rarog_processors_choose(s->options->processors, &s->processors);
	for (size_t v = 0; r == 0 && v < s->versions->list.n; v++)
		for (size_t t = 0; r == 0 && t < s->tasks->list.n; t++) {
			struct rarog_run_row row = { .version = v, .task = t, .status = -1 };

			row.wanted = (uint32_t)s->tasks->list.v[t].matrix->repeat;
			r = rarog_vec_push(&s->rows, row) < 0 ? rarog_oom() : 0;
			if (r == 0)
				r = rarog_row_look_up(s, &s->rows.v[s->rows.n - 1]);
		}
	for (size_t i = 0; r == 0 && i < s->rows.n; i++)
		s->runs_total += rarog_row_missing(s, &s->rows.v[i]);
	return r;
}

/* --- waiting --- */

int rarog_schedule_tick(void *schedule)
{
	const struct rarog_schedule *s = schedule;

	if (s->options->progress)
		s->options->progress(s->runs_done, s->runs_total, s->options->user);
	return rarog_stop_signal();
}
