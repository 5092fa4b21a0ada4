/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-models growth DRAWS SEED: how often the class of growth is stated, and stated rightly, of
 * each of the functions of growth-trials.h at each noise; a line "NOISE FUNCTION told right
 * right-by-r2" each.
 * bench-models time N: "KIND SECONDS" of the processor for one fit of so many points: each family,
 * plain and robust, the smoothers in their other ways, and all families with a formula together.
 * bench-models fit FAMILY WIDTH: R² and the error of what is foretold, of points "X Y" that
 * standard input has, sorted by x; WIDTH of the window, buckets or bandwidth, 0: the standard.
 * bench-models foretell FAMILY WIDTH: the root of the mean square by which models of nine tenths of
 * such points miss the others.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/unit/model/growth-trials.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "model/family.h"
#include "model/model.h"
#include "model/points.h"

struct tally {
	size_t told, right, right_by_r2;
};

static int draw(const struct growth_trial *trial, double noise, struct rarog_random *random,
		struct tally *tally)
{
	static const struct rarog_model_options options = { .errors = RAROG_ERRORS_AUTO };
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 }, plain = { 0 };
	double x[GROWTH_POINTS], y[GROWTH_POINTS];
	struct rarog_choice choice, by_r2;
	int r;

	growth_draw(trial, noise, random, x, y);
	r = rarog_models_fit(GROWTH_POINTS, x, y, &options, &models);
	if (r == 0)
		r = rarog_models_fit(GROWTH_POINTS, x, y, NULL, &plain);
	if (r < 0)
		return r;
	rarog_models_choose(&models, RAROG_MODEL_AICC, &choice);
	rarog_models_choose(&plain, RAROG_MODEL_R2, &by_r2);
	tally->right_by_r2 += by_r2.growth == trial->growth;
	if (!choice.is_told)
		return 0;
	tally->told++;
	tally->right += choice.growth == trial->growth;
	return 0;
}

static int growth(int draws, uint64_t seed)
{
	static const double noises[] = { 0.05, 0.2 };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(seed);
	int r = random ? 0 : -1;

	for (size_t k = 0; r == 0 && k < RAROG_COUNT(noises); k++)
		for (size_t i = 0; i < GROWTH_TRIALS; i++) {
			struct tally tally = { 0 };

			for (int n = 0; r == 0 && n < draws; n++)
				r = draw(&growth_trials[i], noises[k], random, &tally);
			printf("%g\t%s\t%zu\t%zu\t%zu\n", noises[k], growth_trials[i].name,
			       tally.told, tally.right, tally.right_by_r2);
		}
	return r;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A quadratic cost with relative noise; x has no two alike, its largest stands alone. */
static void draw_points(size_t n, double x[], double y[])
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(1);

	for (size_t i = 0; i < n; i++) {
		x[i] = i + 1 < n ? 1 + (double)i / (double)n * 1000 : 50000;
		y[i] = (20 + 3 * x[i] + 0.01 * x[i] * x[i]) *
		       (1 + 0.05 * rarog_random_normal(random));
	}
}

static void time_family(const struct rarog_model_family *family, const char *how,
			const struct rarog_model_options *options, size_t n, const double x[],
			const double y[])
{
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	double begin = seconds();

	(void)rarog_model_fit(family, n, x, y, options, &model);
	printf("%s%s\t%.4f\n", family->name, how, seconds() - begin);
}

/* What the smoothers of Perun may be told besides. */
static const struct way {
	const struct rarog_model_family *family;
	const char *how;
	struct rarog_model_options options;
} ways[] = {
	{ &rarog_family_regressogram, " of medians", { .regressogram.is_median = true } },
	{ &rarog_family_moving_average, " smm", { .moving.kind = RAROG_MOVING_SMM } },
	{ &rarog_family_moving_average, " ema", { .moving.kind = RAROG_MOVING_EMA } },
	{ &rarog_family_moving_average, " parzen", { .moving.window = RAROG_WINDOW_PARZEN } },
	{ &rarog_family_kernel, " Nadaraya-Watson", { .kernel.degree = 1 } },
	{ &rarog_family_kernel, " normal", { .kernel.kernel = RAROG_KERNEL_NORMAL } },
	{ &rarog_family_kernel, " aic", { .kernel.bandwidth = RAROG_BANDWIDTH_AIC } },
};

static int time_regression(size_t n, const double x[], const double y[])
{
	static const struct rarog_model_options options = { .errors = RAROG_ERRORS_AUTO };
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	struct rarog_choice choice;
	double begin = seconds();
	int r = rarog_models_fit(n, x, y, &options, &models);

	rarog_models_choose(&models, RAROG_MODEL_AICC, &choice);
	printf("all together\t%.4f\n", seconds() - begin);
	return r;
}

static int time_fits(size_t n)
{
	static const struct rarog_model_options plain = { .errors = RAROG_ERRORS_AUTO },
						robust = { .errors = RAROG_ERRORS_AUTO,
							   .robust = RAROG_ROBUST_TUKEY };
	rarog_cleanup(rarog_freep) double *x = calloc(2 * n, sizeof(double));
	double *y = x + n;

	draw_points(n, x, y);
	for (size_t i = 0; rarog_model_families[i]; i++)
		time_family(rarog_model_families[i], "", &plain, n, x, y);
	for (size_t i = 0; rarog_model_families[i]; i++)
		time_family(rarog_model_families[i], " robust", &robust, n, x, y);
	for (size_t i = 0; i < RAROG_COUNT(ways); i++)
		time_family(ways[i].family, ways[i].how, &ways[i].options, n, x, y);
	return time_regression(n, x, y);
}

static int read_points(struct rarog_points *points)
{
	double x, y;
	int r = 0;

	while (r == 0 && scanf("%lf %lf", &x, &y) == 2)
		r = rarog_points_add(points, x, y);
	return r;
}

static struct rarog_model_options options_of(double width)
{
	struct rarog_model_options options = { 0 };

	options.moving.width = options.regressogram.buckets = (size_t)width;
	options.kernel.given = width;
	options.kernel.bandwidth = width > 0 ? RAROG_BANDWIDTH_GIVEN : RAROG_BANDWIDTH_CV;
	return options;
}

static int fit(const char *family, double width)
{
	const struct rarog_model_options options = options_of(width);
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	rarog_cleanup(rarog_points_release) struct rarog_points points = { 0 };
	int r = read_points(&points);

	if (r == 0)
		r = rarog_model_fit(rarog_model_family(family), points.n, points.x, points.y,
				    &options, &model);
	if (r == 0)
		printf("%.10g\t%.10g\t%.10g\n", model.r2, model.cv, model.width);
	return r;
}

#define FOLDS 10

/* Adds the squares by which a model of all points but each FOLDSth misses these. */
static int miss(const struct rarog_model_family *family, double width, size_t fold,
		const struct rarog_points *points, double *squares)
{
	const struct rarog_model_options options = options_of(width);
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	rarog_cleanup(rarog_points_release) struct rarog_points rest = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < points->n; i++)
		if (i % FOLDS != fold)
			r = rarog_points_add(&rest, points->x[i], points->y[i]);
	if (r == 0)
		r = rarog_model_fit(family, rest.n, rest.x, rest.y, &options, &model);
	for (size_t i = fold; r == 0 && i < points->n; i += FOLDS)
		*squares += pow(points->y[i] - rarog_model_value(&model, points->x[i]), 2);
	return r;
}

static int foretell(const char *family, double width)
{
	rarog_cleanup(rarog_points_release) struct rarog_points points = { 0 };
	double squares = 0;
	int r = read_points(&points);

	for (size_t fold = 0; r == 0 && fold < FOLDS; fold++)
		r = miss(rarog_model_family(family), width, fold, &points, &squares);
	if (r == 0)
		printf("%.10g\n", sqrt(squares / (double)points.n));
	return r;
}

int main(int argc, char *argv[])
{
	int r = -1;

	if (argc > 3 && strcmp(argv[1], "growth") == 0)
		r = growth(atoi(argv[2]), strtoull(argv[3], NULL, 10));
	else if (argc > 2 && strcmp(argv[1], "time") == 0)
		r = time_fits(strtoull(argv[2], NULL, 10));
	else if (argc > 3 && strcmp(argv[1], "fit") == 0 && rarog_model_family(argv[2]))
		r = fit(argv[2], atof(argv[3]));
	else if (argc > 3 && strcmp(argv[1], "foretell") == 0 && rarog_model_family(argv[2]))
		r = foretell(argv[2], atof(argv[3]));
	if (r < 0)
		fprintf(stderr, "bench-models: %s\n", rarog_error_message());
	return r < 0;
}
