/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of known growth as they are measured: what the choice of a class is tried on. */
#ifndef RAROG_TESTS_GROWTH_TRIALS_H
#define RAROG_TESTS_GROWTH_TRIALS_H

#include <math.h>
#include <stddef.h>

#include "model/model.h"
#include "num/random.h"

/* a + b ln n + c n + d n ln n + e n² + f n³ + g n^h + i j^n */
static const struct growth_trial {
	const char *name;
	enum rarog_growth growth;
	double a, b, c, d, e, f, g, h, i, j;
} growth_trials[] = {
	{ "700", RAROG_GROWTH_CONSTANT, .a = 700 },
	{ "50 ln n", RAROG_GROWTH_LOGARITHMIC, .b = 50 },
	{ "300 + 40 ln n", RAROG_GROWTH_LOGARITHMIC, .a = 300, .b = 40 },
	{ "7 n", RAROG_GROWTH_LINEAR, .c = 7 },
	{ "2000 + 7 n", RAROG_GROWTH_LINEAR, .a = 2000, .c = 7 },
	{ "100 + n / 2", RAROG_GROWTH_LINEAR, .a = 100, .c = 0.5 },
	{ "n ln n", RAROG_GROWTH_LINEARITHMIC, .d = 1 },
	{ "100 + n ln n", RAROG_GROWTH_LINEARITHMIC, .a = 100, .d = 1 },
	{ "5000 + 2 n ln n", RAROG_GROWTH_LINEARITHMIC, .a = 5000, .d = 2 },
	{ "1000 + 40 n + 8 n ln n", RAROG_GROWTH_LINEARITHMIC, .a = 1000, .c = 40, .d = 8 },
	{ "n^1.25", RAROG_GROWTH_POWER, .g = 1, .h = 1.25 },
	{ "0.3 n^2", RAROG_GROWTH_QUADRATIC, .e = 0.3 },
	{ "10000 + n^2 / 20", RAROG_GROWTH_QUADRATIC, .a = 10000, .e = 0.05 },
	{ "40 n + n^2 / 10", RAROG_GROWTH_QUADRATIC, .c = 40, .e = 0.1 },
	{ "n^3 / 100", RAROG_GROWTH_CUBIC, .f = 0.01 },
	{ "1000 + n^3 / 10000", RAROG_GROWTH_CUBIC, .a = 1000, .f = 1e-4 },
	{ "3 n^2 + n^3 / 100", RAROG_GROWTH_CUBIC, .e = 3, .f = 0.01 },
	{ "20 n^0.5", RAROG_GROWTH_POWER, .g = 20, .h = 0.5 },
	{ "n^1.5", RAROG_GROWTH_POWER, .g = 1, .h = 1.5 },
	{ "n^2.5", RAROG_GROWTH_POWER, .g = 1, .h = 2.5 },
	{ "100 1.0006^n", RAROG_GROWTH_EXPONENTIAL, .i = 100, .j = 1.0006 },
	{ "5 1.001^n", RAROG_GROWTH_EXPONENTIAL, .i = 5, .j = 1.001 },
};

#define GROWTH_TRIALS  (sizeof(growth_trials) / sizeof(growth_trials[0]))
#define GROWTH_SIZES   16
#define GROWTH_REPEATS 5
#define GROWTH_POINTS  (GROWTH_SIZES * GROWTH_REPEATS)

static inline double growth_cost(const struct growth_trial *t, double n)
{
	double cost = t->a + t->b * log(n) + t->c * n + t->d * n * log(n) + t->e * n * n +
		      t->f * n * n * n;

	return cost + (t->g > 0 ? t->g * pow(n, t->h) : 0) + (t->i > 0 ? t->i * pow(t->j, n) : 0);
}

/* Sizes from 10 to 10000, geometric; each cost is off by @noise times normal of itself. @x, @y: of
 * @sizes × @repeats points */
static inline void growth_draw_some(const struct growth_trial *t, double noise,
				    struct rarog_random *random, size_t sizes, size_t repeats,
				    double x[], double y[])
{
	for (size_t i = 0; i < sizes * repeats; i++) {
		double step = (double)(i / repeats) / (double)(sizes - 1);

		x[i] = floor(10 * pow(1000, step) + 0.5);
		y[i] = growth_cost(t, x[i]) * fmax(0.01, 1 + noise * rarog_random_normal(random));
	}
}

static inline void growth_draw(const struct growth_trial *t, double noise,
			       struct rarog_random *random, double x[GROWTH_POINTS],
			       double y[GROWTH_POINTS])
{
	growth_draw_some(t, noise, random, GROWTH_SIZES, GROWTH_REPEATS, x, y);
}

#endif
