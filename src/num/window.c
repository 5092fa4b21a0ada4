/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas: Harris, "On the use of windows", Proc. IEEE 66, 1978; Ha, Pearce 1989 (Barthann). */
#include "num/window.h"

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

#define DIRECT 32   /* widths up to which values are simply summed up */
#define BLOCK  4096 /* values that are transformed at once, at least */
#define COARSE 1024 /* parts of a window, of one that is four times as wide */

/* 0 at the first, 1 at the last */
static double share(double i, double width)
{
	return i / (width - 1);
}

/* 0 in the middle, 1 at both ends */
static double off_centre(double i, double width)
{
	return fabs(2 * share(i, width) - 1);
}

static double cosines(double i, double width, const double a[4])
{
	double at = 2 * M_PI * share(i, width);

	return a[0] - a[1] * cos(at) + a[2] * cos(2 * at) - a[3] * cos(3 * at);
}

static double boxcar(double i, double width)
{
	(void)i;
	(void)width;
	return 1;
}

static double triang(double i, double width)
{
	double from_end = fmin(i, width - 1 - i);

	return fmod(width, 2) > 0 ? 2 * (from_end + 1) / (width + 1) : (2 * from_end + 1) / width;
}

static double blackman(double i, double width)
{
	return cosines(i, width, (const double[]){ 0.42, 0.5, 0.08, 0 });
}

static double hamming(double i, double width)
{
	return cosines(i, width, (const double[]){ 0.54, 0.46, 0, 0 });
}

static double bartlett(double i, double width)
{
	return 1 - off_centre(i, width);
}

static double parzen(double i, double width)
{
	double at = fabs(i - (width - 1) / 2), u = at / (width / 2);

	return at > (width - 1) / 4 ? 2 * pow(1 - u, 3) : 1 - 6 * u * u + 6 * u * u * u;
}

static double bohman(double i, double width)
{
	double u = off_centre(i, width);

	return (1 - u) * cos(M_PI * u) + sin(M_PI * u) / M_PI;
}

static double blackmanharris(double i, double width)
{
	return cosines(i, width, (const double[]){ 0.35875, 0.48829, 0.14128, 0.01168 });
}

static double nuttall(double i, double width)
{
	return cosines(i, width, (const double[]){ 0.3635819, 0.4891775, 0.1365995, 0.0106411 });
}

static double barthann(double i, double width)
{
	double u = off_centre(i, width) / 2;

	return 0.62 - 0.48 * u + 0.38 * cos(2 * M_PI * u);
}

const struct rarog_window_shape rarog_window_shapes[] = {
	{ "boxcar", boxcar },     { "triang", triang },
	{ "blackman", blackman }, { "hamming", hamming },
	{ "bartlett", bartlett }, { "parzen", parzen },
	{ "bohman", bohman },     { "blackmanharris", blackmanharris },
	{ "nuttall", nuttall },   { "barthann", barthann },
	{ NULL, NULL },
};

/* Ends that are 0 come out as some 1e-17 of either sign. */
void rarog_window_fill(const struct rarog_window_shape *shape, size_t width, double weights[])
{
	for (size_t i = 0; i < width; i++) {
		weights[i] = width > 1 ? shape->weight((double)i, (double)width) : 1;
		if (fabs(weights[i]) < 1e-15)
			weights[i] = 0;
	}
}

/* --- sums --- */

static void sum_directly(size_t n, const double y[], size_t width, const double weights[],
			 size_t before, double ret[])
{
	for (size_t i = 0; i < n; i++) {
		size_t from = i < before ? before - i : 0;
		double sum = 0;

		for (size_t k = from; k < width && i + k - before < n; k++)
			sum += weights[k] * y[i + k - before];
		ret[i] = sum;
	}
}

/* a *= b, both transformed as GSL stores them: the first and the last are real, all between pairs
 */
static void multiply(size_t size, double a[], const double b[])
{
	a[0] *= b[0];
	a[size - 1] *= b[size - 1];
	for (size_t i = 1; i + 1 < size; i += 2) {
		double re = a[i] * b[i] - a[i + 1] * b[i + 1];

		a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
		a[i] = re;
	}
}

static bool is_boxcar(size_t width, const double weights[])
{
	for (size_t k = 0; k < width; k++)
		if (weights[k] != 1)
			return false;
	return true;
}

/* Differences of sums in long double: with a million values the last digits are still right. */
static int sum_boxcar(size_t n, const double y[], size_t width, size_t before, double ret[])
{
	rarog_cleanup(rarog_freep) long double *sums = calloc(n + 1, sizeof(*sums));

	if (!sums)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		sums[i + 1] = sums[i] + y[i];
	for (size_t i = 0; i < n; i++) {
		size_t from = i > before ? i - before : 0, to = i + width - before;

		ret[i] = (double)(sums[to < n ? to : n] - sums[from]);
	}
	return 0;
}

struct transform {
	size_t size; /* a power of 2 */
	gsl_fft_real_wavetable *to;
	gsl_fft_halfcomplex_wavetable *back;
	gsl_fft_real_workspace *room;
	double *block, *weights; /* [size] each */
};

static void transform_release(struct transform *t)
{
	if (t->to)
		gsl_fft_real_wavetable_free(t->to);
	if (t->back)
		gsl_fft_halfcomplex_wavetable_free(t->back);
	if (t->room)
		gsl_fft_real_workspace_free(t->room);
	free(t->block);
}

/* Blocks are several windows long, and small enough for a cache where windows allow it. */
static int transform_make(size_t width, const double weights[], struct transform *t)
{
	t->size = BLOCK;
	while (t->size < 4 * width)
		t->size *= 2;
	t->to = gsl_fft_real_wavetable_alloc(t->size);
	t->back = gsl_fft_halfcomplex_wavetable_alloc(t->size);
	t->room = gsl_fft_real_workspace_alloc(t->size);
	t->block = calloc(2 * t->size, sizeof(double));
	if (!t->to || !t->back || !t->room || !t->block)
		return rarog_oom();
	t->weights = t->block + t->size;
	for (size_t k = 0; k < width; k++)
		t->weights[k] = weights[width - 1 - k];
	gsl_fft_real_transform(t->weights, 1, t->size, t->to, t->room);
	return 0;
}

/* The block becomes its sums; those from width - 1 on are whole (overlap-save). */
static void convolve(struct transform *t)
{
	gsl_fft_real_transform(t->block, 1, t->size, t->to, t->room);
	multiply(t->size, t->block, t->weights);
	gsl_fft_halfcomplex_inverse(t->block, 1, t->size, t->back, t->room);
}

static int sum_by_blocks(size_t n, const double y[], size_t width, const double weights[],
			 size_t before, double ret[])
{
	rarog_cleanup(transform_release) struct transform t = { 0 };
	int r = transform_make(width, weights, &t);
	size_t whole = t.size - width + 1;

	for (size_t from = 0; r == 0 && from < n; from += whole) {
		for (size_t k = 0; k < t.size; k++) {
			size_t i = from + k - before; /* of what lies in front: larger than n */

			t.block[k] = i < n ? y[i] : 0;
		}
		convolve(&t);
		for (size_t k = 0; k < whole && from + k < n; k++)
			ret[from + k] = t.block[width - 1 + k];
	}
	return r;
}

/* Sums of so many values each, whose number is odd so that one of them is in the middle. */
struct coarse {
	size_t each, n, width, before;
	double *y, *weights, *sums;
};

static void coarse_release(struct coarse *coarse)
{
	free(coarse->y);
	free(coarse->weights);
}

static int coarse_make(size_t n, size_t width, size_t before, struct coarse *coarse)
{
	size_t each = width / COARSE | 1;

	coarse->each = each;
	coarse->n = n / each + 1;
	coarse->before = before / each + 1;
	coarse->width = coarse->before + (width - before) / each + 2;
	coarse->y = calloc(2 * coarse->n, sizeof(double));
	coarse->weights = calloc(coarse->width, sizeof(double));
	coarse->sums = coarse->y ? coarse->y + coarse->n : NULL;
	return coarse->y && coarse->weights ? 0 : rarog_oom();
}

static void coarse_fill(size_t n, const double y[], size_t width, const double weights[],
			size_t before, struct coarse *coarse)
{
	/* the middle one is that of a window's place */
	size_t in_front = coarse->before * coarse->each + coarse->each / 2 - before;

	for (size_t i = 0; i < n; i++)
		coarse->y[i / coarse->each] += y[i];
	for (size_t k = 0; k < width; k++)
		coarse->weights[(k + in_front) / coarse->each] += weights[k] / (double)coarse->each;
}

static void interpolate(size_t n, const struct coarse *coarse, double ret[])
{
	size_t half = coarse->each / 2;

	for (size_t i = 0; i < n; i++) {
		size_t at = i > half ? (i - half) / coarse->each : 0;

		at = at + 2 < coarse->n ? at : coarse->n - 2;
		ret[i] = coarse->sums[at] +
			 (coarse->sums[at + 1] - coarse->sums[at]) *
				 (((double)i - (double)half) / (double)coarse->each - (double)at);
	}
}

/* What is so wide is smooth: neighbours have nearly the same weight, and nearly the same sum. */
static int sum_coarsely(size_t n, const double y[], size_t width, const double weights[],
			size_t before, double ret[])
{
	rarog_cleanup(coarse_release) struct coarse coarse = { 0 };
	int r = coarse_make(n, width, before, &coarse);

	if (r < 0)
		return r;
	coarse_fill(n, y, width, weights, before, &coarse);
	r = sum_by_blocks(coarse.n, coarse.y, coarse.width, coarse.weights, coarse.before,
			  coarse.sums);
	if (r == 0)
		interpolate(n, &coarse, ret);
	return r;
}

int rarog_window_sums(size_t n, const double y[], size_t width, const double weights[],
		      size_t before, double ret[])
{
	if (is_boxcar(width, weights) && width > DIRECT)
		return sum_boxcar(n, y, width, before, ret);
	if (width >= 4 * COARSE)
		return sum_coarsely(n, y, width, weights, before, ret);
	if (width > DIRECT)
		return sum_by_blocks(n, y, width, weights, before, ret);
	sum_directly(n, y, width, weights, before, ret);
	return 0;
}
