/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both distributions are counted by dynamic programming that only adds, so that every probability
 * is right to a few units in the last place:
 *   W: put rank i in or leave it out, each with probability 1/2.
 *   U: ways to choose k of the ranks 1 … i with rank sum s; U = s - m (m+1)/2.
 */
#include "num/rank.h"

#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/sample.h"

int rarog_rank(size_t n, const double x[], double ret_ranks[], double *ret_ties)
{
	rarog_cleanup(rarog_freep) size_t *order = malloc((n + 1) * sizeof(*order));
	int r = rarog_sample_check("ranks", n, 0, x);
	double ties = 0;

	if (r < 0)
		return r;
	if (!order)
		return rarog_oom();
	gsl_sort_index(order, x, 1, n);
	for (size_t first = 0, next; first < n; first = next) {
		for (next = first + 1; next < n && x[order[next]] == x[order[first]]; next++)
			;
		double equal = (double)(next - first);

		ties += equal * equal * equal - equal;
		for (size_t i = first; i < next; i++)
			ret_ranks[order[i]] = (double)(first + 1 + next) / 2;
	}
	if (ret_ties)
		*ret_ties = ties;
	return 0;
}

static void accumulate(size_t n, double p[], double total)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += p[i];
		p[i] = fmin(1, sum / total);
	}
}

static int check_size(size_t n)
{
	if (n < 1 || n > RAROG_RANK_EXACT_MAX)
		return rarog_fail(-EDOM,
				  "exact rank distribution of %zu values: 1 to %d are possible", n,
				  RAROG_RANK_EXACT_MAX);
	return 0;
}

int rarog_rank_signed(size_t n, double **ret_below)
{
	size_t largest = n * (n + 1) / 2;
	int r = check_size(n);

	if (r < 0)
		return r;
	rarog_cleanup(rarog_freep) double *p = calloc(largest + 1, sizeof(*p));

	if (!p)
		return rarog_oom();
	p[0] = 1;
	for (size_t rank = 1; rank <= n; rank++)
		for (size_t w = rank * (rank + 1) / 2 + 1; w-- > 0;)
			p[w] = (p[w] + (w >= rank ? p[w - rank] : 0)) / 2;
	accumulate(largest + 1, p, 1);
	*ret_below = rarog_take(p);
	return 0;
}

/*
 * ways[k width + u]: of the ranks so far, k chosen with excess u < width over 1 + … + k. Adding
 * rank i as the k-th (largest) chosen adds i - k to the excess.
 */
static void count_choices(size_t m, size_t n, size_t width, double *ways)
{
	ways[0] = 1;
	for (size_t i = 1; i <= m + n; i++)
		for (size_t k = i < m ? i : m; k >= 1; k--) {
			size_t excess = i - k;

			if (excess > n)
				break; /* more than n ranks below it left out */
			for (size_t u = excess; u < width; u++)
				ways[k * width + u] += ways[(k - 1) * width + u - excess];
		}
}

int rarog_rank_sum(size_t m, size_t n, double **ret_below)
{
	size_t width = m * n + 1;
	int r = check_size(m);

	if (r < 0 || (r = check_size(n)) < 0)
		return r;
	rarog_cleanup(rarog_freep) double *ways = calloc((m + 1) * width, sizeof(*ways));
	rarog_cleanup(rarog_freep) double *p = calloc(width, sizeof(*p));
	double total = 0;

	if (!ways || !p)
		return rarog_oom();
	count_choices(m, n, width, ways);
	for (size_t u = 0; u < width; u++)
		total += p[u] = ways[m * width + u];
	accumulate(width, p, total);
	*ret_below = rarog_take(p);
	return 0;
}

int rarog_rank_sum_tail(size_t m, size_t n, size_t u, double *ret_p)
{
	size_t few = m < n ? m : n, many = m < n ? n : m, width = u + 1;
	double sum = 0;

	if (few < 1 || u > m * n)
		return rarog_fail(-EDOM, "rank sum: no tail at %zu of %zu and %zu values", u, m, n);
	rarog_cleanup(rarog_freep) double *ways = calloc((few + 1) * width, sizeof(*ways));

	if (!ways)
		return rarog_oom();
	count_choices(few, many, width, ways);
	for (size_t i = 0; i < width; i++)
		sum += ways[few * width + i];
	*ret_p = fmin(1, sum / gsl_sf_choose((unsigned)(m + n), (unsigned)few));
	return 0;
}
