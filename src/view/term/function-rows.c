/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/term/function-rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/measured.h"
#include "view/text.h"

static bool is_wanted_strand(const struct rarog_show *show, uint32_t strand)
{
	if (!show->options.has_tid)
		return strand == RAROG_NONE;
	return strand < show->run.n_strands && show->run.strands[strand].tid == show->options.tid;
}

uint64_t rarog_function_row_cpu_ticks(const struct rarog_function_row *row)
{
	return rarog_cpu_ticks(row->s.exclusive, row->off_cpu.waited, row->off_cpu.preempted);
}

static uint64_t key_of(const struct rarog_function_row *row,
		       const struct rarog_certainty *certainty, enum rarog_show_sort sort)
{
	const struct rarog_summary *s = &row->s;
	const uint64_t keys[] = {
		[RAROG_SORT_CPU] = row->off_cpu.is_unknown ? s->exclusive /* at most */
							   : rarog_function_row_cpu_ticks(row),
		[RAROG_SORT_EXCLUSIVE] = s->exclusive,
		[RAROG_SORT_TOTAL] = certainty->is_total_unknown[s->location] ? 0 : s->total,
		[RAROG_SORT_COUNT] = s->count,
		[RAROG_SORT_MEAN] = row->mean,
		[RAROG_SORT_MAX] = s->max,
		[RAROG_SORT_NAME] = 0,
		[RAROG_SORT_INSTRUCTIONS] = 0,
	};

	return keys[sort];
}

static int largest_first(const void *a, const void *b)
{
	const struct rarog_function_row *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	int order = strcmp(x->title, y->title);

	if (order != 0)
		return order;
	return x->s.location < y->s.location ? -1 : x->s.location > y->s.location;
}

/* One row a location, in location order; those without calls have count 0. */
static int gather(struct rarog_function_rows *rows, const struct rarog_summary *summaries, size_t n)
{
	const struct rarog_show *show = rows->show;

	int r = rarog_exclusive_unknown(show->run.profile, &rows->unknown);

	if (r < 0)
		return r;
	rows->is_sampled = r > 0;
	r = rarog_certainty_load(show, &rows->certainty);
	if (r < 0)
		return r;
	rows->v = calloc(show->run.n_locations + 1, sizeof(*rows->v));
	if (!rows->v)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		const struct rarog_summary *s = &summaries[i];

		if (!is_wanted_strand(show, s->strand) || s->location >= show->run.n_locations)
			continue;
		rarog_summary_add(&rows->v[s->location].s, s);
		rows->exclusive += s->exclusive;
	}
	return 0;
}

static void add_off_cpu(struct rarog_off_cpu *sum, const struct rarog_off_cpu *off_cpu)
{
	sum->is_unknown |= off_cpu->is_unknown;
	sum->waited += off_cpu->waited;
	sum->preempted += off_cpu->preempted;
	sum->total_waited += off_cpu->total_waited;
	sum->total_preempted += off_cpu->total_preempted;
}

static int gather_off_cpu(struct rarog_function_rows *rows)
{
	const struct rarog_show *show = rows->show;
	const struct rarog_off_cpu *off_cpu;
	long n = rarog_profile_off_cpu(show->run.profile, &off_cpu);

	for (long i = 0; show->has_cpu && i < n; i++)
		if (is_wanted_strand(show, off_cpu[i].strand) &&
		    off_cpu[i].location < show->run.n_locations)
			add_off_cpu(&rows->v[off_cpu[i].location].off_cpu, &off_cpu[i]);
	return n < 0 ? (int)n : 0;
}

/* It was called; or there are samples of it, or of threads that waited below it. */
static bool is_seen(const struct rarog_summary *s)
{
	return s->count > 0 || s->total > 0;
}

/* What is not known does not sort. */
static enum rarog_show_sort sort_of(const struct rarog_function_rows *rows)
{
	enum rarog_show_sort sort = rows->show->options.sort;

	return rows->is_sampled && (sort == RAROG_SORT_EXCLUSIVE || sort == RAROG_SORT_CPU)
		       ? RAROG_SORT_TOTAL
		       : sort;
}

static void choose(struct rarog_function_rows *rows)
{
	const struct rarog_show *show = rows->show;

	for (size_t i = 0; i < show->run.n_locations; i++) {
		struct rarog_function_row *row = &rows->v[rows->n];

		if (!is_seen(&rows->v[i].s) || !rarog_show_matches(show, &show->run.locations[i]))
			continue;
		row->s = rows->v[i].s;
		row->off_cpu = rows->v[i].off_cpu;
		row->title = rarog_location_title(&show->run.locations[i]);
		row->mean = rarog_certainty_mean(&rows->certainty, &row->s);
		row->key = key_of(row, &rows->certainty, sort_of(rows));
		rows->n++;
	}
	qsort(rows->v, rows->n, sizeof(*rows->v), largest_first);
	rows->n_shown = rows->n;
	if (show->options.limit > 0 && show->options.limit < rows->n)
		rows->n_shown = show->options.limit;
}

int rarog_function_rows_read(struct rarog_show *show, struct rarog_function_rows *ret_rows)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(show->run.profile, &summaries);

	*ret_rows = (struct rarog_function_rows){ .show = show };
	int r = n < 0 ? (int)n : gather(ret_rows, summaries, (size_t)n);

	if (r == 0)
		r = gather_off_cpu(ret_rows);
	if (r == 0)
		choose(ret_rows);
	return r;
}

void rarog_function_rows_release(struct rarog_function_rows *rows)
{
	free(rows->v);
	free(rows->unknown);
	rarog_certainty_release(&rows->certainty);
}
