/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * best[t] is the least cost of x[0 … t-1]; best[t] = min over s of best[s] + cost(s, t) + penalty.
 * A start s with best[s] + cost(s, t) > best[t] can never be the best again (splitting never raises
 * a cost) and is dropped, so that few are left. Every start kept carries its own cost, updated by
 * one value at a time: mean: Welford's recurrence; median: a sorted copy; the cost grows by the
 * distance of the new value to the old median, or, of an even number, to the nearer end of the
 * interval of medians.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/changes.h"
#include "num/quantile.h"
#include "num/sample.h"

struct start {
	size_t at;
	double cost; /* of the values from at to now, not scaled */
	double mean;
	RAROG_VEC(double) sorted;
	size_t doomed; /* from this t on it cannot be the best; SIZE_MAX: it still can */
};

struct pelt {
	const struct rarog_pelt *how;
	double unit, penalty; /* cost × unit is comparable with the penalty */
	RAROG_VEC(struct start) starts;
	double *best;   /* n + 1 */
	size_t *before; /* n + 1: the start of the last part */
};

static void pelt_release(struct pelt *pelt)
{
	for (size_t i = 0; i < pelt->starts.n; i++)
		rarog_vec_release(&pelt->starts.v[i].sorted);
	rarog_vec_release(&pelt->starts);
	free(pelt->best);
	free(pelt->before);
}

static void add_to_mean(struct start *start, double x, size_t n)
{
	double step = x - start->mean;

	start->mean += step / (double)n;
	start->cost += step * (x - start->mean);
}

static int add_to_median(struct start *start, double x)
{
	size_t n = start->sorted.n, i;

	if (n) {
		double low = start->sorted.v[(n - 1) / 2], high = start->sorted.v[n / 2];

		start->cost += fabs(x - fmin(fmax(x, low), high));
	}
	int r = rarog_vec_push(&start->sorted, x);

	if (r < 0)
		return rarog_oom();
	for (i = n; i > 0 && start->sorted.v[i - 1] > x; i--)
		start->sorted.v[i] = start->sorted.v[i - 1];
	start->sorted.v[i] = x;
	return 0;
}

static int add_value(struct pelt *pelt, double x, size_t t)
{
	for (size_t i = 0; i < pelt->starts.n; i++) {
		struct start *start = &pelt->starts.v[i];
		int r = 0;

		if (pelt->how->is_median)
			r = add_to_median(start, x);
		else
			add_to_mean(start, x, t - start->at);
		if (r < 0)
			return r;
	}
	return 0;
}

static void choose(struct pelt *pelt, size_t t)
{
	pelt->best[t] = INFINITY;
	for (size_t i = 0; i < pelt->starts.n; i++) {
		const struct start *start = &pelt->starts.v[i];
		double total = pelt->best[start->at] + pelt->unit * start->cost + pelt->penalty;

		if (t - start->at >= pelt->how->least_size && total < pelt->best[t]) {
			pelt->best[t] = total;
			pelt->before[t] = start->at;
		}
	}
}

/* A start beaten by a part that begins at t is of no use once such a part is long enough. */
static void prune(struct pelt *pelt, size_t t)
{
	size_t kept = 0;

	for (size_t i = 0; i < pelt->starts.n; i++) {
		struct start *start = &pelt->starts.v[i];

		if (start->doomed == SIZE_MAX && t - start->at >= pelt->how->least_size &&
		    pelt->best[start->at] + pelt->unit * start->cost > pelt->best[t])
			start->doomed = t + pelt->how->least_size;
		if (start->doomed <= t)
			rarog_vec_release(&start->sorted);
		else
			pelt->starts.v[kept++] = *start;
	}
	pelt->starts.n = kept;
}

static int walk(struct pelt *pelt, size_t n, const double x[])
{
	pelt->best[0] = -pelt->penalty;
	for (size_t t = 1; t <= n; t++) {
		if (isfinite(pelt->best[t - 1]) &&
		    rarog_vec_push(&pelt->starts,
				   (struct start){ .at = t - 1, .doomed = SIZE_MAX }) < 0)
			return rarog_oom();
		int r = add_value(pelt, x[t - 1], t);

		if (r < 0)
			return r;
		choose(pelt, t);
		if (isfinite(pelt->best[t]))
			prune(pelt, t);
	}
	return 0;
}

static int collect(const struct pelt *pelt, size_t n, struct rarog_changes *ret_changes)
{
	rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };

	for (size_t t = pelt->before[n]; t > 0; t = pelt->before[t])
		if (rarog_vec_push(&changes.list, (struct rarog_change_point){ .at = t }) < 0)
			return rarog_oom();
	for (size_t i = 0; i < changes.list.n / 2; i++) {
		struct rarog_change_point *a = &changes.list.v[i],
					  *b = &changes.list.v[changes.list.n - 1 - i], kept = *a;

		*a = *b;
		*b = kept;
	}
	*ret_changes = rarog_take_struct(changes);
	return 0;
}

/* Steps are few among the differences of neighbours: their median does not see them. */
static int noise(size_t n, const double x[], double *ret_scale)
{
	rarog_cleanup(rarog_freep) double *d = malloc(n * sizeof(*d));
	double median = 0;

	if (!d)
		return rarog_oom();
	for (size_t i = 0; i + 1 < n; i++)
		d[i] = fabs(x[i + 1] - x[i]);
	int r = rarog_median(n - 1, d, &median);

	if (r < 0)
		return r;
	if (!(median > 0))
		return rarog_fail(-EDOM,
				  "series: most neighbours are equal, so there is no noise to "
				  "compare with; compare exactly or give a scale");
	*ret_scale = RAROG_MAD_NORMAL * median / M_SQRT2;
	return 0;
}

static int check(size_t n, const double x[], const struct rarog_pelt *how)
{
	if (!(how->penalty >= 0) || !isfinite(how->penalty) || !(how->scale >= 0) ||
	    !isfinite(how->scale) || how->least_size < 1)
		return rarog_fail(-EINVAL,
				  "PELT: penalty %g, scale %g, parts of %zu values: none may "
				  "be negative, parts have at least 1",
				  how->penalty, how->scale, how->least_size);
	return rarog_sample_check("series", n, 0, x);
}

int rarog_pelt(size_t n, const double x[], const struct rarog_pelt *how,
	       struct rarog_changes *ret_changes)
{
	rarog_cleanup(pelt_release) struct pelt pelt = { .how = how };
	double scale = how->scale;
	int r = check(n, x, how);

	if (r < 0)
		return r;
	if (n < 2 || n < 2 * how->least_size) {
		*ret_changes = (struct rarog_changes){ 0 };
		return 0;
	}
	if (!(scale > 0) && (r = noise(n, x, &scale)) < 0)
		return r;
	pelt.unit = how->is_median ? 4 / sqrt(2 * M_PI) / scale : 1 / (scale * scale);
	pelt.penalty = how->penalty > 0 ? how->penalty : 4 * log((double)n);
	pelt.best = calloc(n + 1, sizeof(*pelt.best));
	pelt.before = calloc(n + 1, sizeof(*pelt.before));
	if (!pelt.best || !pelt.before)
		return rarog_oom();
	r = walk(&pelt, n, x);
	return r < 0 ? r : collect(&pelt, n, ret_changes);
}
