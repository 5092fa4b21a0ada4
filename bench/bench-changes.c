/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the changes of series: a line of standard input is one ("VALUE VALUE…"), a line of output
 * their indexes, and its drifts as "FIRST-END". On standard error: how long one took on average,
 * and how long to look again after the last value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "num/changes.h"

struct series {
	RAROG_VEC(double) values;
};

static void series_release(struct series *series)
{
	rarog_vec_release(&series->values);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int read_series(char *line, struct series *series)
{
	char *end;

	for (;; line = end) {
		double value = strtod(line, &end);

		if (end == line)
			return 0;
		if (rarog_vec_push(&series->values, value) < 0)
			return rarog_oom();
	}
}

struct spent {
	double first, again;
	size_t n;
};

static int find(const struct series *series, struct spent *spent)
{
	rarog_cleanup(rarog_change_scan_release) struct rarog_change_scan scan = { 0 };
	rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 }, again = { 0 };
	double begin = seconds();
	int r = rarog_change_scan(series->values.n, 0, series->values.v, &scan, &changes);

	spent->first += seconds() - begin;
	begin = seconds();
	if (r == 0)
		r = rarog_change_scan(series->values.n, scan.start, series->values.v + scan.start,
				      &scan, &again);
	spent->again += seconds() - begin;
	spent->n++;
	for (size_t i = 0; r == 0 && i < changes.list.n; i++)
		printf("%zu ", changes.list.v[i].at);
	for (size_t i = 0; r == 0 && i < changes.drifts.n; i++)
		printf("%zu-%zu ", changes.drifts.v[i].first, changes.drifts.v[i].end);
	putchar('\n');
	return r;
}

int main(void)
{
	rarog_cleanup(rarog_freep) char *line = NULL;
	struct spent spent = { 0 };
	size_t capacity = 0;
	int r = 0;

	while (r == 0 && getline(&line, &capacity, stdin) > 0) {
		rarog_cleanup(series_release) struct series series = { 0 };

		r = read_series(line, &series);
		if (r == 0)
			r = find(&series, &spent);
	}
	if (r < 0)
		fprintf(stderr, "bench-changes: %s\n", rarog_error_message());
	else if (spent.n > 0)
		fprintf(stderr, "first_ms %.4f again_ms %.4f\n",
			1e3 * spent.first / (double)spent.n, 1e3 * spent.again / (double)spent.n);
	return r < 0;
}
