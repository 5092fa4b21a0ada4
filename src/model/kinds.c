/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Least squares from sums, as the documents' program does it: power and exponential are fitted to
 * logarithms and judged there, points without a logarithm are left out. Constant is derived from
 * the line: it is the better the less that is inclined (1 - R²), and where it is inclined by more
 * than a hundredth of a right angle it is R² less that part. That program takes an angle in radians
 * for one in degrees; here it is in degrees.
 */
#include "model/kinds.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/points-own.h"

#define LEAST_POINTS 3
#define LEAST_R2     0.5
#define INCLINED     0.01 /* of a right angle */

const char *const rarog_kind_names[] = { "constant", "linear",      "logarithmic", "quadratic",
					 "power",    "exponential", "unclear",     NULL };

void rarog_kind_add(struct rarog_kind_sums *s, double x, double y)
{
	long double lx = logl(x), ly = y > 0 ? logl(y) : 0, x2 = (long double)x * x;

	s->n++;
	s->x += x;
	s->x2 += x2;
	s->x3 += x2 * x;
	s->x4 += x2 * x2;
	s->y += y;
	s->y2 += (long double)y * y;
	s->xy += (long double)x * y;
	s->x2y += x2 * y;
	s->lx += lx;
	s->lx2 += lx * lx;
	s->lxy += lx * y;
	if (y <= 0)
		return;
	s->n_logs++;
	s->px += x;
	s->px2 += x2;
	s->pl += lx;
	s->pl2 += lx * lx;
	s->ly += ly;
	s->ly2 += ly * ly;
	s->xly += x * ly;
	s->lxly += lx * ly;
}

/* --- models --- */

struct line {
	double slope, r2;
};

static double within_one(long double value)
{
	return value > 1 ? 1 : value > 0 ? (double)value : 0;
}

static struct line line(uint64_t n, long double x, long double x2, long double y, long double y2,
			long double xy)
{
	long double m = n > 0 ? n : 1;
	long double sxx = x2 - x * x / m, syy = y2 - y * y / m, sxy = xy - x * y / m;
	bool is_flat = syy <= 1e-12L * y2; /* nothing is left to be explained */
	struct line line = { 0 };

	if (n < LEAST_POINTS || sxx <= 0)
		return line;
	line.slope = (double)(sxy / sxx);
	line.r2 = is_flat ? 0 : within_one(sxy * sxy / (sxx * syy));
	return line;
}

static double constant(const struct rarog_kind_sums *s)
{
	struct line l = line(s->n, s->x, s->x2, s->y, s->y2, s->xy);
	double inclined = atan(fabs(l.slope)) / M_PI_2;

	return inclined > INCLINED ? l.r2 * (1 - inclined) : 1 - l.r2;
}

static double linear(const struct rarog_kind_sums *s)
{
	return line(s->n, s->x, s->x2, s->y, s->y2, s->xy).r2;
}

static double logarithmic(const struct rarog_kind_sums *s)
{
	return line(s->n, s->lx, s->lx2, s->y, s->y2, s->lxy).r2;
}

static double quadratic(const struct rarog_kind_sums *s)
{
	long double n = s->n, xx = s->x2 - s->x * s->x / n, xy = s->xy - s->x * s->y / n,
		    xx2 = s->x3 - s->x2 * s->x / n, x2y = s->x2y - s->x2 * s->y / n,
		    x2x2 = s->x4 - s->x2 * s->x2 / n, yy = s->y2 - s->y * s->y / n,
		    det = xx * x2x2 - xx2 * xx2;

	if (det <= 1e-12L * xx * x2x2 || yy <= 1e-12L * s->y2)
		return 0;
	return within_one(((x2y * xx - xy * xx2) * x2y + (xy * x2x2 - x2y * xx2) * xy) /
			  (det * yy));
}

static double power(const struct rarog_kind_sums *s)
{
	return line(s->n_logs, s->pl, s->pl2, s->ly, s->ly2, s->lxly).r2;
}

static double exponential(const struct rarog_kind_sums *s)
{
	return line(s->n_logs, s->px, s->px2, s->ly, s->ly2, s->xly).r2;
}

enum rarog_kind rarog_kind_best(const struct rarog_kind_sums *sums, double *ret_r2)
{
	static double (*const models[RAROG_KIND_UNCLEAR])(const struct rarog_kind_sums *) = {
		[RAROG_KIND_CONSTANT] = constant,
		[RAROG_KIND_LINEAR] = linear,
		[RAROG_KIND_LOGARITHMIC] = logarithmic,
		[RAROG_KIND_QUADRATIC] = quadratic,
		[RAROG_KIND_POWER] = power,
		[RAROG_KIND_EXPONENTIAL] = exponential,
	};
	enum rarog_kind best = RAROG_KIND_CONSTANT;

	*ret_r2 = -1;
	for (int i = 0; i < RAROG_KIND_UNCLEAR; i++) {
		double r2 = models[i](sums);

		if (r2 > *ret_r2) {
			*ret_r2 = r2;
			best = (enum rarog_kind)i;
		}
	}
	return *ret_r2 < LEAST_R2 ? RAROG_KIND_UNCLEAR : best;
}

/* --- of a profile --- */

static int take(void *arg, const struct rarog_walked_call *call)
{
	struct rarog_kind_sums *sums = arg;
	struct rarog_kind_sums *of = &sums[call->location];

	rarog_kind_add(of, (double)(of->n + 1), (double)call->ns / 1e3);
	return 0;
}

int rarog_kinds_count(struct rarog_profile *profile, struct rarog_kinds *ret_kinds)
{
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);
	rarog_cleanup(rarog_freep) struct rarog_kind_sums *sums =
		n >= 0 ? calloc((size_t)n + 1, sizeof(*sums)) : NULL;
	int r = sums ? 0 : n < 0 ? -EBADMSG : rarog_oom();

	*ret_kinds = (struct rarog_kinds){ 0 };
	if (r == 0 && rarog_profile_has_calls(profile))
		r = rarog_points_walk_calls(profile, false, take, sums);
	for (long i = 0; r == 0 && i < n; i++) {
		double r2;

		if (sums[i].n >= LEAST_POINTS)
			ret_kinds->functions[rarog_kind_best(&sums[i], &r2)]++;
		else if (sums[i].n > 0)
			ret_kinds->too_few++;
	}
	return r;
}
