/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/jobs/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/table.h"
#include "base/units.h"
#include "check/outliers.h"
#include "num/quantile.h"
#include "num/warm-up.h"

/* --- amounts --- */

static double nanoseconds(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static double wall(const struct rarog_run_result *run)
{
	return (double)run->wall_ns;
}

static double user(const struct rarog_run_result *run)
{
	return nanoseconds(run->usage.ru_utime);
}

static double system_(const struct rarog_run_result *run)
{
	return nanoseconds(run->usage.ru_stime);
}

static double memory(const struct rarog_run_result *run)
{
	return (double)run->usage.ru_maxrss * 1024;
}

static double minor_faults(const struct rarog_run_result *run)
{
	return (double)run->usage.ru_minflt;
}

static double major_faults(const struct rarog_run_result *run)
{
	return (double)run->usage.ru_majflt;
}

static double waits(const struct rarog_run_result *run)
{
	return (double)run->usage.ru_nvcsw;
}

static double preemptions(const struct rarog_run_result *run)
{
	return (double)run->usage.ru_nivcsw;
}

typedef struct rarog_amount format_function(uint64_t amount);

static const struct {
	const char *title;
	double (*of)(const struct rarog_run_result *run);
	format_function *format;
} amounts[] = {
	{ "wall", wall, rarog_format_ns },
	{ "user", user, rarog_format_ns },
	{ "system", system_, rarog_format_ns },
	{ "max memory", memory, rarog_format_bytes },
	{ "page faults, minor", minor_faults, rarog_format_count },
	{ "page faults, major", major_faults, rarog_format_count },
	{ "switches, waited", waits, rarog_format_count },
	{ "switches, preempted", preemptions, rarog_format_count },
};

/* --- the table --- */

struct spread {
	double median, mean, deviation, min, max;
};

static int find_spread(size_t n, const double x[], struct spread *ret_spread)
{
	struct spread s = { .min = x[0], .max = x[0] };

	for (size_t i = 0; i < n; i++) {
		s.min = fmin(s.min, x[i]);
		s.max = fmax(s.max, x[i]);
		s.mean += x[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		s.deviation += (x[i] - s.mean) * (x[i] - s.mean) / (double)(n - 1);
	s.deviation = sqrt(s.deviation);
	*ret_spread = s;
	return rarog_median(n, x, &ret_spread->median);
}

enum column { WHAT, MEDIAN, MEAN, DEVIATION, MIN, MAX, N_COLUMNS };

static const struct rarog_column columns[N_COLUMNS] = {
	[WHAT] = { .title = "" },
	[MEDIAN] = { .title = "median", .is_right = true },
	[MEAN] = { .title = "mean", .is_right = true },
	[DEVIATION] = { .title = "deviation", .is_right = true },
	[MIN] = { .title = "min", .is_right = true },
	[MAX] = { .title = "max", .is_right = true },
};

static int add_row(struct rarog_table *table, const char *what, format_function *format,
		   const struct spread *s)
{
	const struct rarog_amount texts[] = { format((uint64_t)llround(s->median)),
					      format((uint64_t)llround(s->mean)),
					      format((uint64_t)llround(s->deviation)),
					      format((uint64_t)llround(s->min)),
					      format((uint64_t)llround(s->max)) };
	struct rarog_cell cells[N_COLUMNS] = { { .text = what } };

	for (size_t i = 0; i < RAROG_COUNT(texts); i++)
		cells[MEDIAN + i].text = texts[i].text;
	return rarog_table_add(table, cells);
}

/* The runs are of one command, so they have the same counters. */
static int add_counters(struct rarog_table *table, size_t n, const struct rarog_run_result runs[n],
			double x[n])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < runs[0].counts.n; i++) {
		const struct rarog_count *count = &runs[0].counts.v[i];
		struct spread spread;

		for (size_t run = 0; run < n; run++)
			x[run] = (double)runs[run].counts.v[i].value;
		r = find_spread(n, x, &spread);
		if (r == 0)
			r = add_row(table, count->name,
				    count->is_time ? rarog_format_ns : rarog_format_count, &spread);
	}
	return r;
}

static int print_table(size_t n, const struct rarog_run_result runs[n], double x[n])
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(N_COLUMNS, columns);
	int r = table ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(amounts); i++) {
		struct spread spread;

		for (size_t run = 0; run < n; run++)
			x[run] = amounts[i].of(&runs[run]);
		r = find_spread(n, x, &spread);
		if (r == 0)
			r = add_row(table, amounts[i].title, amounts[i].format, &spread);
	}
	if (r == 0)
		r = add_counters(table, n, runs, x);
	if (r == 0)
		rarog_table_print(table, stderr, 0, false);
	return r;
}

/* --- what is unusual --- */

#define SAID_AT_MOST 5

static int say_outliers(size_t n, const double x[n])
{
	static const struct rarog_outlier_limits limits = { 3.5, 1.5, 2 };
	rarog_cleanup(rarog_freep) struct rarog_outlier_word *words = calloc(n, sizeof(*words));
	size_t n_said = 0, n_all = 0;
	double median = 0;
	int r = words ? rarog_outliers(n, x, &limits, words) : rarog_oom();

	if (r == 0)
		r = rarog_median(n, x, &median);
	for (size_t i = 0; r == 0 && i < n; i++)
		n_all += words[i].kind == RAROG_OUTLIER_SCORE;
	for (size_t i = 0; r == 0 && i < n && n_said < SAID_AT_MOST; i++) {
		if (words[i].kind != RAROG_OUTLIER_SCORE)
			continue;
		fprintf(stderr, "%s run %zu (wall %+.1f %%)",
			n_said++ ? "," : "rarog: stand apart:", i + 1, (x[i] / median - 1) * 100);
	}
	if (n_all > n_said)
		fprintf(stderr, " and %zu more", n_all - n_said);
	if (n_all > 0)
		fputc('\n', stderr);
	return r;
}

static int say_warm_up(size_t n, const double x[n])
{
	struct rarog_warm_up warm_up = { 0 };
	int r = n < RAROG_WARM_UP_LEAST ? 0 : rarog_warm_up(n, x, &warm_up);

	if (r == 0 && warm_up.runs > 0 && warm_up.is_settled)
		fprintf(stderr,
			"rarog: the first %zu runs were not yet like the others: "
			"--warmup=%zu\n",
			warm_up.runs, warm_up.runs);
	return r;
}

static void say_memory(size_t n, const struct rarog_run_result runs[n])
{
	size_t n_bounds = 0;

	for (size_t i = 0; i < n; i++)
		n_bounds += runs[i].rss_is_starters;
	if (n_bounds > 0)
		fprintf(stderr,
			"rarog: the program took less memory than rarog itself: max memory is a "
			"bound\n");
}

void rarog_time_report(size_t n, const struct rarog_run_result runs[n])
{
	rarog_cleanup(rarog_freep) double *x = calloc(n, sizeof(*x));
	int r = x ? print_table(n, runs, x) : rarog_oom();

	for (size_t i = 0; r == 0 && i < n; i++)
		x[i] = wall(&runs[i]);
	if (r == 0)
		r = say_outliers(n, x);
	if (r == 0)
		r = say_warm_up(n, x);
	say_memory(n, runs);
	if (r < 0)
		fprintf(stderr, "rarog collect: %s\n", rarog_error_message());
}
