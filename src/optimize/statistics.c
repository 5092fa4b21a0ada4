/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "base/lower-bound.h"

static int by_name(const void *left, const void *right)
{
	const struct rarog_function_statistics *a = left, *b = right;

	return strcmp(a->name, b->name);
}

void rarog_statistics_settle(struct rarog_statistics *statistics)
{
	if (statistics->v.n > 1)
		qsort(statistics->v.v, statistics->v.n, sizeof(*statistics->v.v), by_name);
}

const struct rarog_function_statistics *rarog_statistics_find(
	const struct rarog_statistics *statistics, const char *name)
{
	const struct rarog_function_statistics *v = statistics->v.v;
	size_t i = rarog_lower_bound(k, statistics->v.n, strcmp(v[k].name, name) < 0);

	return i < statistics->v.n && strcmp(v[i].name, name) == 0 ? &v[i] : NULL;
}

void rarog_statistics_release(struct rarog_statistics *statistics)
{
	for (size_t i = 0; i < statistics->v.n; i++)
		free(statistics->v.v[i].name);
	rarog_vec_release(&statistics->v);
}
