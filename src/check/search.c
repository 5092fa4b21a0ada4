/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * With x before and y after change c about their medians, L(c) ∝ (Σ|x - med x| + Σ|y - med y|)^-N:
 * the double exponential likelihood with its scale at the best value for c. The sum never counts
 * as less than a thousandth of the difference a run: exact amounts are as good as certain, not
 * infinitely so.
 * Source: Ben-Or, Hassidim, "The Bayesian learner is optimal for noisy binary search", FOCS 2008,
 * has the choice of the next position.
 */
#include "check/search.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/quantile.h"
#include "num/two-sample.h"

#define ALPHA      0.01
/* A position that was not measured costs a build; one that was tells less with every run. */
#define NEW_WORTH  0.6
#define HALF_WORTH 16.0 /* runs */

int rarog_search_init(struct rarog_search *search, size_t n)
{
	*search = (struct rarog_search){ .n = n };
	search->positions = calloc(n + 1, sizeof(*search->positions));
	search->likely = calloc(n + 1, sizeof(*search->likely));
	if (!search->positions || !search->likely)
		return rarog_oom();
	for (size_t c = 1; c <= n; c++)
		search->likely[c] = 1 / (double)n;
	return 0;
}

void rarog_search_release(struct rarog_search *search)
{
	for (size_t i = 0; search->positions && i <= search->n; i++)
		rarog_vec_release(&search->positions[i].values);
	free(search->positions);
	free(search->likely);
	*search = (struct rarog_search){ 0 };
}

int rarog_search_add(struct rarog_search *search, size_t at, double value)
{
	if (!isfinite(value))
		return rarog_fail(-EINVAL, "a measurement that is no number");
	return rarog_vec_push(&search->positions[at].values, value) < 0 ? rarog_oom() : 0;
}

static size_t count(const struct rarog_search *search, size_t first, size_t end)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++)
		n += search->positions[i].values.n;
	return n;
}

/* All runs of positions [first, end) to @values; returns how many. */
static size_t gather(const struct rarog_search *search, size_t first, size_t end, double values[])
{
	size_t n = 0;

	for (size_t i = first; i < end; i++)
		for (size_t k = 0; k < search->positions[i].values.n; k++)
			values[n++] = search->positions[i].values.v[k];
	return n;
}

/* Σ|x - median| of positions [first, end); their median. */
static double spread(const struct rarog_search *search, size_t first, size_t end, double work[],
		     double *ret_median)
{
	size_t n = gather(search, first, end, work);
	double sum = 0;

	*ret_median = NAN;
	if (n == 0 || rarog_median(n, work, ret_median) < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += fabs(work[i] - *ret_median);
	return sum;
}

/* -N ln of the sum for change @c. */
static double log_likelihood(const struct rarog_search *search, size_t c, size_t n, double floor,
			     double work[])
{
	double median, sum = spread(search, 0, c, work, &median);

	sum += spread(search, c, search->n + 1, work, &median);
	return -(double)n * log(fmax(sum, floor));
}

static void normalise(struct rarog_search *search)
{
	double most = -INFINITY, sum = 0;

	for (size_t c = 1; c <= search->n; c++)
		most = fmax(most, search->likely[c]);
	for (size_t c = 1; c <= search->n; c++)
		sum += search->likely[c] = exp(search->likely[c] - most);
	for (size_t c = 1; c <= search->n; c++)
		search->likely[c] /= sum;
}

int rarog_search_update(struct rarog_search *search)
{
	size_t n = count(search, 0, search->n + 1);
	rarog_cleanup(rarog_freep) double *work = calloc(n + 1, sizeof(*work));
	double good, bad;

	if (!work)
		return rarog_oom();
	spread(search, 0, 1, work, &good);
	spread(search, search->n, search->n + 1, work, &bad);
	double floor = 1e-3 * fabs(bad - good) * (double)n;

	if (!(floor > 0)) /* ends that do not differ, or are not measured, tell nothing */
		return 0;
	for (size_t c = 1; c <= search->n; c++)
		search->likely[c] = log_likelihood(search, c, n, floor, work);
	normalise(search);
	return 0;
}

/* Entropy of the answer to "is it at most at?", in bits. */
static double surprise(double below)
{
	double above = 1 - below;

	return below > 0 && above > 0 ? -below * log2(below) - above * log2(above) : 0;
}

size_t rarog_search_next(const struct rarog_search *search, size_t runs_most)
{
	size_t best = SIZE_MAX;
	double below = 0, most = 1e-6;

	for (size_t at = 1; at < search->n; at++) {
		const struct rarog_search_position *position = &search->positions[at];
		size_t runs = position->values.n;

		below += search->likely[at];
		if (position->is_broken || runs >= runs_most)
			continue;
		double worth = surprise(below) *
			       (runs ? HALF_WORTH / (HALF_WORTH + (double)runs) : NEW_WORTH);

		if (worth > most) {
			most = worth;
			best = at;
		}
	}
	return best;
}

/* Changes that no measurement can tell apart: those of broken positions and of the one after. */
static void group_of(const struct rarog_search *search, size_t c, size_t *first, size_t *last)
{
	*first = *last = c;
	while (*first > 1 && search->positions[*first - 1].is_broken)
		(*first)--;
	while (*last < search->n && search->positions[*last].is_broken)
		(*last)++;
}

int rarog_search_result(const struct rarog_search *search, struct rarog_search_result *ret_result)
{
	size_t n = count(search, 0, search->n + 1);
	rarog_cleanup(rarog_freep) double *work = calloc(n + 1, sizeof(*work));
	struct rarog_search_result best = { .likely = -1 };

	if (!work)
		return rarog_oom();
	for (size_t c = 1, first, last; c <= search->n; c = last + 1) {
		double likely = 0;

		group_of(search, c, &first, &last);
		for (size_t k = first; k <= last; k++)
			likely += search->likely[k];
		if (likely > best.likely)
			best = (struct rarog_search_result){ first, last, likely, 0, 0 };
	}
	spread(search, 0, best.first, work, &best.before);
	spread(search, best.last, search->n + 1, work, &best.after);
	*ret_result = best;
	return 0;
}

static bool all_same(const struct rarog_search_position *position)
{
	for (size_t i = 1; i < position->values.n; i++)
		if (position->values.v[i] != position->values.v[0])
			return false;
	return position->values.n >= 2;
}

int rarog_search_differs(const struct rarog_search *search, bool *ret_is_exact)
{
	const struct rarog_search_position *good = &search->positions[0];
	const struct rarog_search_position *bad = &search->positions[search->n];
	struct rarog_mann_whitney test;
	int r;

	*ret_is_exact = all_same(good) && all_same(bad);
	if (*ret_is_exact)
		return good->values.v[0] != bad->values.v[0];
	r = rarog_mann_whitney(good->values.n, good->values.v, bad->values.n, bad->values.v, &test);
	return r < 0 ? r : test.p <= ALPHA;
}
