/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Splits of a part are visited from left to right; a value that moves over changes the three sums
 * of distances by its own distances to the left and to the right, so a part costs the square of its
 * length. The permutation test stops as soon as p cannot be at most alpha any more, which is what
 * makes unchanged series cheap.
 */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/changes.h"
#include "num/rank.h"
#include "num/sample.h"

struct split {
	double gain; /* -INFINITY: the part is too short */
	size_t at;   /* in the series */
};

void rarog_changes_release(struct rarog_changes *changes)
{
	rarog_vec_release(&changes->list);
}

static double pairs(double n)
{
	return n * (n - 1) / 2;
}

static double distances(size_t n, const double x[], double from)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(x[i] - from);
	return sum;
}

static double gain(double m, double k, double left, double right, double between)
{
	return m * k / (m + k) * (2 * between / (m * k) - left / pairs(m) - right / pairs(k));
}

/* The best split of x[n], part of a series from @offset on. */
static struct split best_split(size_t n, const double x[], size_t offset, size_t least)
{
	struct split best = { -INFINITY, 0 };
	double left = 0, right = 0, between = 0;

	if (n < 2 * least)
		return best;
	for (size_t i = 0; i < n; i++)
		right += distances(i, x, x[i]);
	for (size_t i = 0; i + least < n; i++) {
		double before = distances(i, x, x[i]);
		double after = distances(n - i - 1, x + i + 1, x[i]);

		left += before;
		right -= after;
		between += after - before;
		if (i + 1 < least)
			continue;
		double g = gain((double)(i + 1), (double)(n - i - 1), left, right, between);

		if (g > best.gain)
			best = (struct split){ g, offset + i + 1 };
	}
	return best;
}

/* The best split of all parts; @shuffled: of parts in random order. */
static struct split best_of_parts(size_t n, double x[], const struct rarog_changes *changes,
				  size_t least, struct rarog_random *shuffled)
{
	struct split best = { -INFINITY, 0 };

	for (size_t i = 0; i <= changes->list.n; i++) {
		size_t first = i ? changes->list.v[i - 1].at : 0;
		size_t end = i < changes->list.n ? changes->list.v[i].at : n;

		if (shuffled)
			rarog_random_shuffle(shuffled, end - first, x + first);
		struct split split = best_split(end - first, x + first, first, least);

		best = split.gain > best.gain ? split : best;
	}
	return best;
}

static double test(size_t n, const double x[], double scratch[], double observed,
		   const struct rarog_edivisive *how, struct rarog_random *random,
		   const struct rarog_changes *changes)
{
	double all = (double)how->draws + 1, as_good = 1;

	for (size_t i = 0; i < how->draws && as_good / all <= how->alpha; i++) {
		memcpy(scratch, x, n * sizeof(*x));
		struct split split = best_of_parts(n, scratch, changes, how->least_size, random);

		as_good += split.gain >= observed * (1 - 1e-12);
	}
	return as_good / all;
}

static int insert(struct rarog_changes *changes, struct rarog_change_point change)
{
	size_t i;
	int r = rarog_vec_push(&changes->list, change);

	if (r < 0)
		return rarog_oom();
	for (i = changes->list.n - 1; i > 0 && changes->list.v[i - 1].at > change.at; i--)
		changes->list.v[i] = changes->list.v[i - 1];
	changes->list.v[i] = change;
	return 0;
}

static int check(size_t n, const double x[], const struct rarog_edivisive *how)
{
	int r = rarog_level_check(how->alpha);

	if (r < 0 || (r = rarog_sample_check("series", n, 0, x)) < 0)
		return r;
	if (n > RAROG_EDIVISIVE_MAX)
		return rarog_fail(-EDOM,
				  "series: %zu values are too many for E-divisive; at most %d", n,
				  RAROG_EDIVISIVE_MAX);
	if (how->least_size < 2)
		return rarog_fail(-EINVAL, "E-divisive: parts of %zu values; at least 2 are needed",
				  how->least_size);
	return 0;
}

int rarog_edivisive(size_t n, const double x[], const struct rarog_edivisive *how,
		    struct rarog_random *random, struct rarog_changes *ret_changes)
{
	rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };
	rarog_cleanup(rarog_freep) double *series = calloc(2 * n + 1, sizeof(*series));
	int r = check(n, x, how);

	if (r < 0)
		return r;
	if (!series)
		return rarog_oom();
	if (n)
		memcpy(series, x, n * sizeof(*x));
	if (how->is_ranked && (r = rarog_rank(n, x, series, NULL)) < 0)
		return r;
	for (;;) {
		struct split best = best_of_parts(n, series, &changes, how->least_size, NULL);

		if (!(best.gain > 0)) /* too short, or nothing differs */
			break;
		double p = test(n, series, series + n, best.gain, how, random, &changes);

		if (p > how->alpha)
			break;
		r = insert(&changes, (struct rarog_change_point){ best.at, p });
		if (r < 0)
			return r;
	}
	*ret_changes = rarog_take_struct(changes);
	return 0;
}
