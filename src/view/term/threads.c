/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function was called how often in which thread: for people a column a thread, for programs
 * a row for each function and thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "view/term/views.h"
#include "view/text.h"

#define SHOWN 10 /* threads; more do not fit */

struct matrix {
	size_t n_threads;
	uint32_t *thread_of;     /* by strand */
	uint32_t *strand_of;     /* by thread: its first one */
	uint64_t *calls, *ticks; /* [location * n_threads + thread] */
	uint64_t *totals;        /* by location */
	uint32_t *order;         /* locations that were called, most calls first */
	size_t n;
};

static void release(struct matrix *m)
{
	free(m->thread_of);
	free(m->strand_of);
	free(m->calls);
	free(m->ticks);
	free(m->totals);
	free(m->order);
}

/* Strands of one thread are one column. */
static int find_threads(const struct rarog_show *show, struct matrix *m)
{
	m->thread_of = calloc(show->run.n_strands + 1, sizeof(*m->thread_of));
	m->strand_of = calloc(show->run.n_strands + 1, sizeof(*m->strand_of));
	if (!m->thread_of || !m->strand_of)
		return rarog_oom();
	for (uint32_t i = 0; i < show->run.n_strands; i++) {
		uint32_t first = rarog_run_first_strand(&show->run, i);

		if (first == i) {
			m->strand_of[m->n_threads] = i;
			m->thread_of[i] = (uint32_t)m->n_threads++;
		} else {
			m->thread_of[i] = m->thread_of[first];
		}
	}
	return 0;
}

static int most_called_first(const void *left, const void *right, void *user)
{
	const struct matrix *m = user;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;

	if (m->totals[x] != m->totals[y])
		return m->totals[x] < m->totals[y] ? 1 : -1;
	return (x > y) - (x < y);
}

static int fill(const struct rarog_show *show, struct matrix *m)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(show->run.profile, &summaries);
	size_t cells = show->run.n_locations * m->n_threads;

	m->calls = calloc(cells + 1, sizeof(*m->calls));
	m->ticks = calloc(cells + 1, sizeof(*m->ticks));
	m->totals = calloc(show->run.n_locations + 1, sizeof(*m->totals));
	m->order = calloc(show->run.n_locations + 1, sizeof(*m->order));
	if (!m->calls || !m->ticks || !m->totals || !m->order)
		return rarog_oom();
	for (long i = 0; i < n; i++) {
		size_t at;

		if (summaries[i].strand >= show->run.n_strands ||
		    summaries[i].location >= show->run.n_locations)
			continue;
		at = summaries[i].location * m->n_threads + m->thread_of[summaries[i].strand];
		m->calls[at] += summaries[i].count;
		m->ticks[at] += summaries[i].total;
		m->totals[summaries[i].location] += summaries[i].count;
	}
	for (uint32_t i = 0; i < show->run.n_locations; i++)
		if (m->totals[i] > 0 && rarog_show_matches(show, &show->run.locations[i]))
			m->order[m->n++] = i;
	qsort_r(m->order, m->n, sizeof(*m->order), most_called_first, m);
	return n < 0 ? (int)n : 0;
}

static size_t limit_of(const struct rarog_show *show, const struct matrix *m)
{
	return show->options.limit && show->options.limit < m->n ? show->options.limit : m->n;
}

/* --- for people --- */

static int add_row(const struct rarog_show *show, struct rarog_sheet *sheet, const struct matrix *m,
		   size_t shown, uint32_t location)
{
	struct rarog_value values[SHOWN + 1] = { 0 };

	for (size_t i = 0; i < shown; i++) {
		values[i].number = m->calls[location * m->n_threads + i];
		values[i].is_null = values[i].number == 0;
	}
	values[shown].text = rarog_location_title(&show->run.locations[location]);
	return rarog_sheet_add(sheet, values);
}

static int print(struct rarog_show *show, const struct matrix *m)
{
	size_t shown = m->n_threads < SHOWN ? m->n_threads : SHOWN;
	struct rarog_sheet_fact facts[SHOWN + 1] = { 0 };
	struct rarog_amount titles[SHOWN] = { 0 };
	struct rarog_sheet sheet = { 0 };
	int r;

	for (size_t i = 0; i < shown; i++) {
		snprintf(titles[i].text, sizeof(titles[i].text), "%u",
			 show->run.strands[m->strand_of[i]].tid);
		facts[i] =
			(struct rarog_sheet_fact){ RAROG_FACT_COUNT, titles[i].text, NULL, false };
	}
	facts[shown] = (struct rarog_sheet_fact){ RAROG_FACT_TEXT, "function", NULL, true };
	r = rarog_show_sheet(show, &sheet, shown + 1, facts, "function_threads");
	for (size_t i = 0; r == 0 && i < limit_of(show, m); i++)
		r = add_row(show, &sheet, m, shown, m->order[i]);
	r = rarog_show_sheet_end(show, &sheet, r);
	if (r == 0 && m->n == 0)
		rarog_show_note(show, "no function was called");
	if (r == 0 && shown < m->n_threads)
		rarog_show_note(show, "%zu more threads: --json and --csv have them",
				m->n_threads - shown);
	return r;
}

/* --- for programs --- */

static const struct rarog_sheet_fact columns[] = {
	{ RAROG_FACT_TEXT, NULL, "name", true },    { RAROG_FACT_TEXT, NULL, "mangled", false },
	{ RAROG_FACT_ID, NULL, "pid", false },      { RAROG_FACT_ID, NULL, "tid", false },
	{ RAROG_FACT_COUNT, NULL, "count", false }, { RAROG_FACT_NS, NULL, "total_ns", false },
};

static int write_cell(const struct rarog_show *show, struct rarog_sheet *sheet,
		      const struct matrix *m, uint32_t location, size_t thread)
{
	size_t at = location * m->n_threads + thread;
	uint32_t strand = m->strand_of[thread];
	const struct rarog_value values[] = {
		{ .text = rarog_location_title(&show->run.locations[location]) },
		{ .text = show->run.locations[location].name },
		{ .number = rarog_run_pid(&show->run, strand) },
		{ .number = show->run.strands[strand].tid },
		{ .number = m->calls[at] },
		{ .number = rarog_clock_ns(show->run.clock, m->ticks[at]),
		  .is_null = m->ticks[at] == 0 },
	};

	return m->calls[at] > 0 ? rarog_sheet_add(sheet, values) : 0;
}

static int write_rows(struct rarog_show *show, const struct matrix *m)
{
	struct rarog_sheet sheet = { 0 };
	int r = rarog_show_sheet(show, &sheet, RAROG_COUNT(columns), columns, "function_threads");

	for (size_t i = 0; r == 0 && i < limit_of(show, m); i++)
		for (size_t k = 0; r == 0 && k < m->n_threads; k++)
			r = write_cell(show, &sheet, m, m->order[i], k);
	return rarog_show_sheet_end(show, &sheet, r);
}

static int show_threads(struct rarog_show *show)
{
	rarog_cleanup(release) struct matrix m = { 0 };
	int r = find_threads(show, &m);

	if (r == 0)
		r = fill(show, &m);
	if (r < 0)
		return r;
	return show->options.format == RAROG_SHEET_TABLE ? print(show, &m) : write_rows(show, &m);
}

static int check_threads(const struct rarog_show *show)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(show->run.profile, &summaries);

	for (long i = 0; i < n; i++)
		if (summaries[i].strand != RAROG_NONE)
			return 0;
	return n <= 0 ? (int)n
		      : rarog_fail(
				-ENODATA,
				"%s: calls were counted over all threads; rarog collect --detail "
				"summary tells them apart",
				rarog_profile_path(show->run.profile));
}

const struct rarog_view rarog_view_threads = { .run = show_threads, .check = check_threads };
