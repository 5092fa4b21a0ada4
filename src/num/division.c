/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/division.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define LEAST       3 /* values that a part must have */
#define SLOPE_LEAST 6 /* those that have a slope; fewer are at a level */

int rarog_whitened_init(struct rarog_whitened *w, size_t n)
{
	double *room = calloc(6 * (n + 1), sizeof(*room));

	*w = (struct rarog_whitened){ .n = n, .z = room };
	if (!room)
		return rarog_oom();
	w->sum = room + (n + 1);
	w->squares = w->sum + (n + 1);
	w->moment = w->squares + (n + 1);
	w->by_n = w->moment + (n + 1);
	w->by_sxx = w->by_n + (n + 1);
	for (size_t i = 1; i <= n; i++) {
		double m = (double)i;

		w->by_n[i] = 1 / m;
		w->by_sxx[i] = i > 1 ? 12 / (m * (m * m - 1)) : 0;
	}
	return 0;
}

void rarog_whitened_release(struct rarog_whitened *w)
{
	free(w->z);
	*w = (struct rarog_whitened){ 0 };
}

void rarog_whitened_set(struct rarog_whitened *w, const double x[], double phi, bool is_sloped)
{
	w->phi = phi;
	w->is_sloped = is_sloped;
	for (size_t t = 1; t < w->n; t++) {
		double z = x[t] - phi * x[t - 1];

		w->z[t] = z;
		w->sum[t + 1] = w->sum[t] + z;
		w->squares[t + 1] = w->squares[t] + z * z;
		w->moment[t + 1] = w->moment[t] + (double)t * z;
	}
}

static inline double part(const struct rarog_whitened *w, size_t first, size_t end)
{
	size_t m = end - first - 1;
	double sum = w->sum[end] - w->sum[first + 1];
	double rss = w->squares[end] - w->squares[first + 1] - sum * sum * w->by_n[m];

	if (w->is_sloped && end - first >= SLOPE_LEAST) {
		double middle = (double)(first + end) / 2;
		double sxy = w->moment[end] - w->moment[first + 1] - middle * sum;

		rss -= sxy * sxy * w->by_sxx[m];
	}
	return rss > 0 ? rss : 0;
}

double rarog_whitened_part(const struct rarog_whitened *w, size_t first, size_t end)
{
	return end > first + 1 ? part(w, first, end) : 0;
}

int rarog_division_search_init(struct rarog_division_search *search, size_t n)
{
	search->n_candidates = 0;
	search->work = calloc(3 * (n + 1), sizeof(*search->work));
	return search->work ? 0 : rarog_oom();
}

void rarog_division_search_release(struct rarog_division_search *search)
{
	free(search->work);
	search->work = NULL;
}

static size_t at_most(size_t value, size_t limit)
{
	return value < limit ? value : limit;
}

/* How much the means of @reach values on either side of @t differ, in units of their noise. */
static double contrast(size_t n, const double sums[], size_t t, size_t reach)
{
	size_t l = at_most(t, reach), r = at_most(n - t, reach);
	double left = (sums[t] - sums[t - l]) / (double)l;
	double right = (sums[t + r] - sums[t]) / (double)r;

	return fabs(right - left) * sqrt((double)(l * r) / (double)(l + r));
}

static bool is_peak(size_t n, const double height[], size_t t, size_t reach)
{
	for (size_t u = t > reach ? t - reach : 1; u <= t + reach && u < n; u++)
		if (height[u] > height[t] || (u < t && !(height[u] < height[t])))
			return false;
	return true;
}

/* The contrast that @n_kept of strength[n] reach; 0: there are no more than that. @work: n. */
static double threshold(size_t n, const double strength[], size_t n_kept, double work[])
{
	if (n <= n_kept)
		return 0;
	memcpy(work, strength, n * sizeof(*work));
	gsl_sort(work, 1, n);
	return work[n - n_kept];
}

void rarog_division_candidates(size_t n, const double x[], struct rarog_division_search *search)
{
	static const struct {
		size_t reach, apart;
	} looks[] = { { 2, 1 }, { 4, 3 }, { 8, 6 }, { 16, 6 } };
	double *sums = search->work, *height = sums + n + 1, *strength = height + n + 1;

	sums[0] = 0;
	for (size_t i = 0; i < n; i++) {
		sums[i + 1] = sums[i] + x[i];
		strength[i] = 0;
	}
	for (size_t k = 0; k < sizeof(looks) / sizeof(*looks); k++) {
		for (size_t t = 1; t < n; t++)
			height[t] = contrast(n, sums, t, looks[k].reach);
		for (size_t t = LEAST; t + LEAST <= n; t++)
			if (is_peak(n, height, t, looks[k].apart))
				strength[t] = fmax(strength[t], height[t]);
	}
	double least = threshold(n, strength, RAROG_DIVISION_CANDIDATES, sums);

	search->n_candidates = 0;
	search->candidates[search->n_candidates++] = 0;
	for (size_t t = LEAST; t + LEAST <= n; t++)
		if (strength[t] > 0 && strength[t] >= least &&
		    search->n_candidates <= RAROG_DIVISION_CANDIDATES)
			search->candidates[search->n_candidates++] = t;
	search->candidates[search->n_candidates++] = n;
}

static void trace_back(const struct rarog_division_search *search, struct rarog_division *division)
{
	size_t last = search->n_candidates - 1, n = 0;

	for (size_t i = search->before[last]; i > 0; i = search->before[i])
		division->at[n++] = search->candidates[i];
	for (size_t i = 0; i < n / 2; i++) {
		size_t kept = division->at[i];

		division->at[i] = division->at[n - 1 - i];
		division->at[n - 1 - i] = kept;
	}
	division->n_at = n;
}

void rarog_division_best(const struct rarog_whitened *w, struct rarog_division_search *search,
			 double penalty, struct rarog_division *division)
{
	size_t n = search->n_candidates;
	const size_t *at = search->candidates;

	search->best[0] = -penalty;
	for (size_t end = 1; end < n; end++) {
		double best = at[end] < LEAST ? INFINITY : part(w, 0, at[end]);
		size_t before = 0, last = end;

		while (last > 1 && at[end] - at[last - 1] < LEAST)
			last--;
		for (size_t first = 1; first < last; first++) {
			double others = search->best[first] + penalty;

			if (others >= best) /* whatever this part costs */
				continue;
			others += part(w, at[first], at[end]);
			if (others < best) {
				best = others;
				before = first;
			}
		}
		search->best[end] = best;
		search->before[end] = before;
	}
	trace_back(search, division);
	division->rss = search->best[n - 1] - penalty * (double)division->n_at;
}

#define MOVE 8

static size_t best_place(const struct rarog_whitened *w, size_t first, size_t at, size_t end)
{
	size_t best = at;
	double best_cost = INFINITY;

	for (size_t t = at > MOVE ? at - MOVE : 1; t <= at + MOVE && t < end; t++) {
		if (t < first + LEAST || t + LEAST > end)
			continue;
		double cost = rarog_whitened_part(w, first, t) + rarog_whitened_part(w, t, end);

		if (cost < best_cost) {
			best_cost = cost;
			best = t;
		}
	}
	return best;
}

void rarog_division_refine(const struct rarog_whitened *w, struct rarog_division *division)
{
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < division->n_at; i++)
			division->at[i] =
				best_place(w, i > 0 ? division->at[i - 1] : 0, division->at[i],
					   i + 1 < division->n_at ? division->at[i + 1] : w->n);
}
