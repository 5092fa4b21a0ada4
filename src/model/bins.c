/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bits of a double, read as a whole number, are in the order of doubles: what is left of them
 * without the last ones names a bin whose width is a power of two part of its x. When there are too
 * many bins, bits are taken away until half of them are left.
 *
 * Samples are kept by Algorithm R (Vitter 1985). They have equal shares of the whole sample, so
 * what is rare is kept in full while there is much of the rest.
 */
#include "model/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"

#define SAMPLE_ALL   16384 /* values, over all bins … */
#define SAMPLE_LEAST 8     /* … and of each, at least */

static uint64_t key_of(double x, unsigned shift)
{
	uint64_t bits, sign = UINT64_C(1) << 63;

	x = x == 0 ? 0 : x; /* one key for both zeros */
	memcpy(&bits, &x, sizeof(bits));
	return (bits & sign ? ~bits : bits | sign) >> shift;
}

static size_t share(const struct rarog_bins *bins)
{
	size_t n = SAMPLE_ALL / (bins->list.n + 1);

	return n > SAMPLE_LEAST ? n : SAMPLE_LEAST;
}

/* --- samples --- */

static size_t below(struct rarog_bins *bins, double n)
{
	return (size_t)((double)(rarog_splitmix_next(&bins->random) >> 11) * 0x1p-53 * n);
}

static int push(struct rarog_bin *bin, double y)
{
	if (bin->n_sample == bin->room) {
		size_t room = bin->room ? 2 * bin->room : 4;
		double *sample = realloc(bin->sample, room * sizeof(*sample));

		if (!sample)
			return rarog_oom();
		bin->sample = sample;
		bin->room = room;
	}
	bin->sample[bin->n_sample++] = y;
	return 0;
}

static void drop_one(struct rarog_bins *bins, struct rarog_bin *bin)
{
	size_t i = below(bins, (double)bin->n_sample);

	bin->sample[i] = bin->sample[--bin->n_sample];
}

/* The @bin already counts @y. A sample that lacks points cannot grow any more. */
static int sample(struct rarog_bins *bins, struct rarog_bin *bin, double y)
{
	size_t most = share(bins), i;

	while (bin->n_sample > most)
		drop_one(bins, bin);
	if (bin->n_sample < most && (double)bin->n_sample + 1 >= bin->n)
		return push(bin, y);
	i = below(bins, bin->n);
	if (i < bin->n_sample)
		bin->sample[i] = y;
	return 0;
}

/* So many of each as it has points: a value of the one that is short of them stands for more. */
static int join_samples(struct rarog_bins *bins, struct rarog_bin *into,
			const struct rarog_bin *from)
{
	double all = into->n + from->n;
	size_t most = fmin(fmin((double)share(bins), all), (double)into->n_sample * all / into->n);
	struct rarog_bin rest = { 0 };
	int r = 0;

	most = fmin((double)most, (double)from->n_sample * all / from->n);
	most = most > 0 ? most : 1;
	while ((double)into->n_sample > ceil((double)most * into->n / all))
		drop_one(bins, into);
	for (size_t i = 0; r == 0 && i < from->n_sample; i++)
		r = push(&rest, from->sample[i]);
	while ((double)rest.n_sample > ceil((double)most * from->n / all))
		drop_one(bins, &rest);
	for (size_t i = 0; r == 0 && i < rest.n_sample; i++)
		r = push(into, rest.sample[i]);
	free(rest.sample);
	return r;
}

/* --- bins --- */

static void count(struct rarog_bin *bin, double x, double y)
{
	double dy = y - bin->y;

	bin->n++;
	bin->x += (x - bin->x) / bin->n;
	bin->y += dy / bin->n;
	bin->squares += dy * (y - bin->y);
}

/* Chan, Golub, LeVeque 1983. */
static int join(struct rarog_bins *bins, struct rarog_bin *into, const struct rarog_bin *from)
{
	double all = into->n + from->n, dy = from->y - into->y;
	int r = join_samples(bins, into, from);

	into->x += (from->x - into->x) * from->n / all;
	into->y += dy * from->n / all;
	into->squares += from->squares + dy * dy * into->n * from->n / all;
	into->n = all;
	return r;
}

static size_t count_keys(const struct rarog_bins *bins, unsigned shift)
{
	size_t n = bins->list.n > 0;

	for (size_t i = 1; i < bins->list.n; i++)
		n += key_of(bins->list.v[i].x, shift) != key_of(bins->list.v[i - 1].x, shift);
	return n;
}

static int widen(struct rarog_bins *bins)
{
	struct rarog_bin *v = bins->list.v;
	size_t n = 0;
	int r = 0;

	while (bins->shift < 62 && count_keys(bins, bins->shift) > RAROG_BINS_MAX / 2)
		bins->shift++;
	for (size_t i = 0; i < bins->list.n; i++) {
		if (n == 0 || key_of(v[i].x, bins->shift) != key_of(v[n - 1].x, bins->shift)) {
			v[n++] = v[i];
			continue;
		}
		r = r < 0 ? r : join(bins, &v[n - 1], &v[i]);
		free(v[i].sample);
	}
	bins->list.n = n;
	return r;
}

/* The bin of @x, which may be new. NULL: no memory */
static struct rarog_bin *find(struct rarog_bins *bins, double x)
{
	uint64_t key = key_of(x, bins->shift);
	size_t at =
		rarog_lower_bound(i, bins->list.n, key_of(bins->list.v[i].x, bins->shift) < key);

	if (at < bins->list.n && key_of(bins->list.v[at].x, bins->shift) == key)
		return &bins->list.v[at];
	if (bins->list.n == RAROG_BINS_MAX)
		return widen(bins) < 0 ? NULL : find(bins, x);
	if (rarog_vec_push(&bins->list, (struct rarog_bin){ 0 }) < 0)
		return NULL;
	memmove(bins->list.v + at + 1, bins->list.v + at,
		(bins->list.n - 1 - at) * sizeof(*bins->list.v));
	bins->list.v[at] = (struct rarog_bin){ .x = x };
	return &bins->list.v[at];
}

int rarog_bins_add(struct rarog_bins *bins, double x, double y)
{
	struct rarog_bin *bin = find(bins, x);

	if (!bin)
		return rarog_oom();
	count(bin, x, y);
	return sample(bins, bin, y);
}

int rarog_bins_merge(struct rarog_bins *bins, const struct rarog_bin *from)
{
	struct rarog_bin *bin = find(bins, from->x);

	if (!bin)
		return rarog_oom();
	if (bin->n > 0)
		return join(bins, bin, from);
	bin->n = from->n;
	bin->y = from->y;
	bin->squares = from->squares;
	for (size_t i = 0; i < from->n_sample; i++)
		if (push(bin, from->sample[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int compare_doubles(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

double rarog_bin_median(struct rarog_bin *bin)
{
	if (bin->n_sample == 0)
		return bin->y;
	qsort(bin->sample, bin->n_sample, sizeof(*bin->sample), compare_doubles);
	return bin->sample[(bin->n_sample - 1) / 2];
}

void rarog_bins_release(struct rarog_bins *bins)
{
	for (size_t i = 0; i < bins->list.n; i++)
		free(bins->list.v[i].sample);
	rarog_vec_release(&bins->list);
	*bins = (struct rarog_bins){ 0 };
}
