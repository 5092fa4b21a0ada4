/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bits of a double, read as a whole number, are in the order of doubles: what is left of them
 * without the last ones names a group whose width is a power of two part of its x. When there are
 * too many groups, bits are taken away until half of them are left.
 *
 * Samples are kept by Algorithm R (Vitter 1985). They have equal shares of the whole sample, so
 * what is rare is kept in full while there is much of the rest.
 */
#include "model/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"

#define SAMPLE_ALL   16384 /* values, over all groups … */
#define SAMPLE_LEAST 8     /* … and of each, at least */

static uint64_t key_of(double x, unsigned shift)
{
	uint64_t bits, sign = UINT64_C(1) << 63;

	x = x == 0 ? 0 : x; /* one key for both zeros */
	memcpy(&bits, &x, sizeof(bits));
	return (bits & sign ? ~bits : bits | sign) >> shift;
}

static size_t share(const struct rarog_groups *groups)
{
	size_t n = SAMPLE_ALL / (groups->list.n + 1);

	return n > SAMPLE_LEAST ? n : SAMPLE_LEAST;
}

/* --- samples --- */

static size_t below(struct rarog_groups *groups, double n)
{
	return (size_t)((double)(rarog_splitmix_next(&groups->random) >> 11) * 0x1p-53 * n);
}

static int push(struct rarog_group *group, double y)
{
	if (group->n_sample == group->room) {
		size_t room = group->room ? 2 * group->room : 4;
		double *sample = realloc(group->sample, room * sizeof(*sample));

		if (!sample)
			return rarog_oom();
		group->sample = sample;
		group->room = room;
	}
	group->sample[group->n_sample++] = y;
	return 0;
}

static void drop_one(struct rarog_groups *groups, struct rarog_group *group)
{
	size_t i = below(groups, (double)group->n_sample);

	group->sample[i] = group->sample[--group->n_sample];
}

/* The @group already counts @y. A sample that lacks points cannot grow any more. */
static int sample(struct rarog_groups *groups, struct rarog_group *group, double y)
{
	size_t most = share(groups), i;

	while (group->n_sample > most)
		drop_one(groups, group);
	if (group->n_sample < most && (double)group->n_sample + 1 >= group->n)
		return push(group, y);
	i = below(groups, group->n);
	if (i < group->n_sample)
		group->sample[i] = y;
	return 0;
}

/* So many of each as it has points: a value of the one that is short of them stands for more. */
static int join_samples(struct rarog_groups *groups, struct rarog_group *into,
			const struct rarog_group *from)
{
	double all = into->n + from->n;
	size_t most =
		fmin(fmin((double)share(groups), all), (double)into->n_sample * all / into->n);
	struct rarog_group rest = { 0 };
	int r = 0;

	most = fmin((double)most, (double)from->n_sample * all / from->n);
	most = most > 0 ? most : 1;
	while ((double)into->n_sample > ceil((double)most * into->n / all))
		drop_one(groups, into);
	for (size_t i = 0; r == 0 && i < from->n_sample; i++)
		r = push(&rest, from->sample[i]);
	while ((double)rest.n_sample > ceil((double)most * from->n / all))
		drop_one(groups, &rest);
	for (size_t i = 0; r == 0 && i < rest.n_sample; i++)
		r = push(into, rest.sample[i]);
	free(rest.sample);
	return r;
}

/* --- groups --- */

static void count(struct rarog_group *group, double x, double y)
{
	double dy = y - group->y;

	group->n++;
	group->x += (x - group->x) / group->n;
	group->y += dy / group->n;
	group->squares += dy * (y - group->y);
}

/* Chan, Golub, LeVeque 1983. */
static int join(struct rarog_groups *groups, struct rarog_group *into,
		const struct rarog_group *from)
{
	double all = into->n + from->n, dy = from->y - into->y;
	int r = join_samples(groups, into, from);

	into->x += (from->x - into->x) * from->n / all;
	into->y += dy * from->n / all;
	into->squares += from->squares + dy * dy * into->n * from->n / all;
	into->n = all;
	return r;
}

static size_t count_keys(const struct rarog_groups *groups, unsigned shift)
{
	size_t n = groups->list.n > 0;

	for (size_t i = 1; i < groups->list.n; i++)
		n += key_of(groups->list.v[i].x, shift) != key_of(groups->list.v[i - 1].x, shift);
	return n;
}

static int widen(struct rarog_groups *groups)
{
	struct rarog_group *v = groups->list.v;
	size_t n = 0;
	int r = 0;

	while (groups->shift < 62 && count_keys(groups, groups->shift) > RAROG_GROUPS_MAX / 2)
		groups->shift++;
	for (size_t i = 0; i < groups->list.n; i++) {
		if (n == 0 || key_of(v[i].x, groups->shift) != key_of(v[n - 1].x, groups->shift)) {
			v[n++] = v[i];
			continue;
		}
		r = r < 0 ? r : join(groups, &v[n - 1], &v[i]);
		free(v[i].sample);
	}
	groups->list.n = n;
	return r;
}

/* The group of @x, which may be new. NULL: no memory */
static struct rarog_group *find(struct rarog_groups *groups, double x)
{
	uint64_t key = key_of(x, groups->shift);
	size_t at = rarog_lower_bound(i, groups->list.n,
				      key_of(groups->list.v[i].x, groups->shift) < key);

	if (at < groups->list.n && key_of(groups->list.v[at].x, groups->shift) == key)
		return &groups->list.v[at];
	if (groups->list.n == RAROG_GROUPS_MAX)
		return widen(groups) < 0 ? NULL : find(groups, x);
	if (rarog_vec_push(&groups->list, (struct rarog_group){ 0 }) < 0)
		return NULL;
	memmove(groups->list.v + at + 1, groups->list.v + at,
		(groups->list.n - 1 - at) * sizeof(*groups->list.v));
	groups->list.v[at] = (struct rarog_group){ .x = x };
	return &groups->list.v[at];
}

int rarog_groups_add(struct rarog_groups *groups, double x, double y)
{
	struct rarog_group *group = find(groups, x);

	if (!group)
		return rarog_oom();
	count(group, x, y);
	return sample(groups, group, y);
}

int rarog_groups_merge(struct rarog_groups *groups, const struct rarog_group *from)
{
	struct rarog_group *group = find(groups, from->x);

	if (!group)
		return rarog_oom();
	if (group->n > 0)
		return join(groups, group, from);
	group->n = from->n;
	group->y = from->y;
	group->squares = from->squares;
	for (size_t i = 0; i < from->n_sample; i++)
		if (push(group, from->sample[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int compare_doubles(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

double rarog_group_median(struct rarog_group *group)
{
	if (group->n_sample == 0)
		return group->y;
	qsort(group->sample, group->n_sample, sizeof(*group->sample), compare_doubles);
	return group->sample[(group->n_sample - 1) / 2];
}

void rarog_groups_release(struct rarog_groups *groups)
{
	for (size_t i = 0; i < groups->list.n; i++)
		free(groups->list.v[i].sample);
	rarog_vec_release(&groups->list);
	*groups = (struct rarog_groups){ 0 };
}
