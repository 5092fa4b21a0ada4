/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: bench-influence TABLE RUNS [SAMPLES]
 * TABLE: CSV of all configurations of a program: a column for each option, the amount in the last.
 * So many RUNS are drawn from it by chance, a model is fitted to them, and the others are told from
 * it: mean relative error of these, of SAMPLES draws; 0: the first so many rows instead.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "feature/influence.h"
#include "num/random.h"

#define COLUMNS 32

struct table {
	RAROG_VEC(struct rarog_influence_run) rows;
};

static size_t split(char *line, char *fields[COLUMNS])
{
	size_t n = 0;
	char *rest = line, *field;

	line[strcspn(line, "\n")] = '\0';
	while (n < COLUMNS && (field = strsep(&rest, ",")))
		fields[n++] = field;
	return n;
}

static int read_table(const char *path, struct table *table)
{
	char head[1024], line[1024], *names[COLUMNS], *values[COLUMNS];
	FILE *file = fopen(path, "r");
	size_t n = file && fgets(head, sizeof(head), file) ? split(head, names) : 0;

	while (n > 1 && fgets(line, sizeof(line), file)) {
		struct rarog_influence_run run = { .y = 0 };

		if (split(line, values) != n)
			break;
		for (size_t i = 0; i + 1 < n; i++)
			rarog_configuration_set(&run.configuration, names[i], values[i]);
		run.y = strtod(values[n - 1], NULL);
		if (rarog_vec_push(&table->rows, run) < 0)
			break;
	}
	if (file)
		fclose(file);
	return table->rows.n > 2 ? 0 : -1;
}

static double error_of_others(const struct rarog_influence *model, const struct table *table,
			      const double order[], size_t n, double *worst)
{
	double sum = 0;

	for (size_t i = n; i < table->rows.n; i++) {
		const struct rarog_influence_run *run = &table->rows.v[(size_t)order[i]];
		double y = NAN, half, error;

		rarog_influence_predict(model, &run->configuration, &y, &half);
		error = fabs(y - run->y) / run->y;
		*worst = fmax(*worst, error);
		sum += error;
	}
	return sum / (double)(table->rows.n - n);
}

static double try_sample(const struct table *table, struct rarog_random *random, size_t n,
			 double *worst)
{
	struct rarog_influence_run *runs = calloc(n, sizeof(*runs));
	double *order = calloc(table->rows.n, sizeof(*order)), error = NAN;
	struct rarog_influence model = { 0 };

	for (size_t i = 0; order && i < table->rows.n; i++)
		order[i] = (double)i;
	if (random)
		rarog_random_shuffle(random, table->rows.n, order);
	for (size_t i = 0; runs && i < n; i++)
		runs[i] = table->rows.v[(size_t)order[i]];
	if (rarog_influence_fit(n, runs, &model) == 0)
		error = error_of_others(&model, table, order, n, worst);
	if (getenv("SHOW")) {
		for (size_t i = 0; i < model.terms.n; i++) {
			struct rarog_str name = { 0 };

			rarog_influence_name(&model, i, &name);
			printf("    %+.4g %s\n", model.fit.b[i], rarog_str_text(&name));
			rarog_str_release(&name);
		}
	}
	printf("%2zu terms, cross-validated %5.2f %%, others %5.2f %%\n", model.terms.n,
	       100 * model.cv_error, 100 * error);
	rarog_influence_release(&model);
	free(runs);
	free(order);
	return error;
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	size_t samples = argc > 3 ? strtoul(argv[3], NULL, 10) : 20;
	struct rarog_random *random = rarog_random_new(1);
	struct table table = { 0 };
	double sum = 0, worst = 0;

	if (!random || n == 0 || read_table(argv[1], &table) < 0 || n >= table.rows.n) {
		fprintf(stderr, "usage: bench-influence TABLE RUNS [SAMPLES]\n");
		return 2;
	}
	if (samples == 0)
		sum = try_sample(&table, NULL, n, &worst);
	for (size_t i = 0; i < samples; i++)
		sum += try_sample(&table, random, n, &worst);
	printf("%zu of %zu configurations measured: others are told with a mean error of %.2f %%, "
	       "the "
	       "worst %.1f %%\n",
	       n, table.rows.n, 100 * sum / (double)(samples ? samples : 1), 100 * worst);
	for (size_t i = 0; i < table.rows.n; i++)
		rarog_configuration_release(&table.rows.v[i].configuration);
	rarog_vec_release(&table.rows);
	rarog_random_free(random);
	return 0;
}
