/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both tests are one loop: a walk hands out rearrangements, all of them or random ones; the loop
 * counts those whose statistic is as far out as the observed one. The pooled values lie in
 * pool[nx + ny]; a rearrangement is written to a scratch copy, because a statistic may reorder it.
 */
#include "num/permutation.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/sample.h"

struct walk {
	size_t nx, n; /* values in x, in all */
	double *pool, *scratch;
	size_t *chosen; /* exact, two samples: indices of x, ascending */
	uint64_t signs; /* exact, pairs: bit i flips value i */
	struct rarog_random *random;
	bool (*next)(struct walk *walk); /* the next one into scratch; false: that was the last */
};

static void keep_pool(struct walk *walk)
{
	memcpy(walk->scratch, walk->pool, walk->n * sizeof(double));
}

/* The next subset in lexical order. */
static bool advance_subset(size_t k, size_t n, size_t chosen[])
{
	size_t i = k;

	while (i > 0 && chosen[i - 1] == n - k + i - 1)
		i--;
	if (i == 0)
		return false;
	chosen[i - 1]++;
	for (; i < k; i++)
		chosen[i] = chosen[i - 1] + 1;
	return true;
}

static bool next_subset(struct walk *walk)
{
	size_t in = 0, out = walk->nx;

	if (!advance_subset(walk->nx, walk->n, walk->chosen))
		return false;
	for (size_t i = 0; i < walk->n; i++) {
		bool is_chosen = in < walk->nx && walk->chosen[in] == i;

		walk->scratch[is_chosen ? in++ : out++] = walk->pool[i];
	}
	return true;
}

static bool next_signs(struct walk *walk)
{
	if (++walk->signs >> walk->n)
		return false;
	for (size_t i = 0; i < walk->n; i++)
		walk->scratch[i] = walk->signs >> i & 1 ? -walk->pool[i] : walk->pool[i];
	return true;
}

static bool next_random_subset(struct walk *walk)
{
	keep_pool(walk);
	rarog_random_choose(walk->random, walk->n, walk->scratch, walk->nx);
	return true;
}

static bool next_random_signs(struct walk *walk)
{
	for (size_t i = 0; i < walk->n; i++)
		walk->scratch[i] =
			rarog_random_below(walk->random, 2) ? -walk->pool[i] : walk->pool[i];
	return true;
}

static bool is_as_far(double value, double observed, double slack, enum rarog_tail tail)
{
	if (tail == RAROG_TAIL_BOTH)
		return fabs(value) >= fabs(observed) - slack;
	return tail == RAROG_TAIL_UPPER ? value >= observed - slack : value <= observed + slack;
}

/* Rounding of a mean or a median of these values. */
static double rounding(size_t n, const double x[])
{
	double largest = 0;

	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(x[i]));
	return 1e-14 * largest;
}

/* scratch holds the observed arrangement when it starts: the first one counted. */
static int count(struct walk *walk, rarog_statistic statistic, enum rarog_tail tail, size_t most,
		 struct rarog_permutation *ret_test)
{
	size_t nx = walk->nx, ny = walk->n - nx, as_far = 0, n = 0;
	double slack = rounding(walk->n, walk->pool), observed = 0;

	keep_pool(walk);
	do {
		double value = statistic(nx, walk->scratch, ny, walk->scratch + nx);

		if (!isfinite(value))
			return rarog_fail(-EDOM, "permutation test: the statistic is not finite");
		if (n++ == 0)
			observed = value;
		as_far += is_as_far(value, observed, slack, tail);
	} while (n <= most && walk->next(walk));
	*ret_test = (struct rarog_permutation){
		.difference = observed,
		.p = (double)as_far / (double)n,
		.n = n,
	};
	return 0;
}

/* C(n, k), or anything above @limit when it is above. */
static double choose(size_t n, size_t k, double limit)
{
	double ways = 1;

	for (size_t i = 1; i <= k && ways <= limit; i++)
		ways = ways * (double)(n - k + i) / (double)i;
	return ways;
}

static int run(struct walk *walk, bool is_exact, rarog_statistic statistic, enum rarog_tail tail,
	       size_t draws, struct rarog_permutation *ret_test)
{
	if (!is_exact && (!walk->random || draws < 1))
		return rarog_fail(-EINVAL,
				  "permutation test: too many permutations for all of them, "
				  "and none are to be drawn");
	int r = count(walk, statistic, tail, is_exact ? SIZE_MAX - 1 : draws, ret_test);

	if (r < 0)
		return r;
	ret_test->is_exact = is_exact;
	return 0;
}

int rarog_permutation(size_t nx, const double x[], size_t ny, const double y[],
		      rarog_statistic statistic, enum rarog_tail tail, size_t draws,
		      struct rarog_random *random, struct rarog_permutation *ret_test)
{
	int r = rarog_sample_check("baseline", nx, 1, x);

	if (r < 0 || (r = rarog_sample_check("target", ny, 1, y)) < 0)
		return r;
	size_t n = nx + ny, k = nx < ny ? nx : ny;
	rarog_cleanup(rarog_freep) double *values = malloc(2 * n * sizeof(*values));
	rarog_cleanup(rarog_freep) size_t *chosen = malloc(nx * sizeof(*chosen));

	if (!values || !chosen)
		return rarog_oom();
	memcpy(values, x, nx * sizeof(*values));
	memcpy(values + nx, y, ny * sizeof(*values));
	for (size_t i = 0; i < nx; i++)
		chosen[i] = i;
	bool is_exact = choose(n, k, RAROG_PERMUTATION_EXACT_MAX) <= RAROG_PERMUTATION_EXACT_MAX;
	struct walk walk = { nx,     n, values, values + n,
			     chosen, 0, random, is_exact ? next_subset : next_random_subset };

	return run(&walk, is_exact, statistic, tail, draws, ret_test);
}

int rarog_permutation_paired(size_t n, const double difference[], rarog_statistic statistic,
			     enum rarog_tail tail, size_t draws, struct rarog_random *random,
			     struct rarog_permutation *ret_test)
{
	int r = rarog_sample_check("differences", n, 1, difference);

	if (r < 0)
		return r;
	rarog_cleanup(rarog_freep) double *values = malloc(2 * n * sizeof(*values));

	if (!values)
		return rarog_oom();
	memcpy(values, difference, n * sizeof(*values));
	bool is_exact = exp2((double)n) <= RAROG_PERMUTATION_EXACT_MAX;
	struct walk walk = { 0,    n, values, values + n,
			     NULL, 0, random, is_exact ? next_signs : next_random_signs };

	return run(&walk, is_exact, statistic, tail, draws, ret_test);
}

static double smallest_p_needed(double alpha, size_t tests, size_t changed)
{
	if (!(alpha > 0 && alpha < 1) || changed < 1 || changed > tests)
		return 0;
	return alpha * (double)changed / (double)tests;
}

size_t rarog_permutation_least_runs(double alpha, size_t tests, size_t changed, bool is_paired)
{
	double p = smallest_p_needed(alpha, tests, changed), ways = 1;
	size_t n = 0;

	if (p <= 0)
		return 0;
	while (2 / ways > p * (1 + 1e-12)) {
		n++;
		/* C(2n, n) = C(2n-2, n-1) (2n)(2n-1)/n² */
		ways *= is_paired ? 2 : 2 * (2 * (double)n - 1) / (double)n;
	}
	return n;
}

size_t rarog_permutation_least_draws(double alpha, size_t tests, size_t changed)
{
	double p = smallest_p_needed(alpha, tests, changed);

	return p > 0 ? (size_t)ceil(1 / p * (1 - 1e-12)) - 1 : 0;
}
