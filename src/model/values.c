/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/value-path.h"
#include "model/values-own.h"

int rarog_known_compare(const struct rarog_known *a, const struct rarog_known *b)
{
	if (a->strand != b->strand)
		return a->strand < b->strand ? -1 : 1;
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int compare(const void *left, const void *right)
{
	const struct rarog_known *a = left, *b = right;
	int r = rarog_known_compare(a, b);

	return r ? r : (a->argument > b->argument) - (a->argument < b->argument);
}

static bool is_for_models(enum rarog_value_kind kind)
{
	return kind != RAROG_VALUE_POINTER && kind < RAROG_VALUE_KINDS;
}

int rarog_known_load(struct rarog_profile *profile, size_t *ret_n, struct rarog_known **ret_known)
{
	const struct rarog_argument *arguments;
	const struct rarog_call_value *values;
	long n_arguments = rarog_profile_arguments(profile, &arguments);
	long n = n_arguments < 0 ? n_arguments : rarog_profile_values(profile, &values);
	struct rarog_known *known = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(*known));
	size_t used = 0;

	if (n < 0)
		return (int)n;
	if (!known)
		return rarog_oom();
	for (long i = 0; i < n; i++) {
		const struct rarog_argument *argument = &arguments[values[i].argument];
		double x = rarog_value_double(argument->kind, values[i].value);

		if (is_for_models(argument->kind))
			known[used++] =
				(struct rarog_known){ values[i].strand, argument->location,
						      values[i].number, values[i].argument, x };
	}
	if (used)
		qsort(known, used, sizeof(*known), compare);
	*ret_known = known;
	*ret_n = used;
	return 0;
}

size_t rarog_known_of(size_t n, const struct rarog_known known[],
		      const struct rarog_walked_call *call, size_t *ret_first)
{
	const struct rarog_known wanted = { .strand = call->strand,
					    .location = call->location,
					    .number = call->number };
	size_t first = rarog_lower_bound(i, n, rarog_known_compare(&known[i], &wanted) < 0);
	size_t end = first;

	while (end < n && rarog_known_compare(&known[end], &wanted) == 0)
		end++;
	*ret_first = first;
	return end - first;
}
