/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/value-path.h"
#include "model/values-own.h"

bool rarog_argument_is_cost(const struct rarog_argument *argument, const char *cost)
{
	return argument->kind == RAROG_VALUE_COST &&
	       strcmp(argument->name, cost ? cost : RAROG_VALUE_INSTRUCTIONS) == 0;
}

int rarog_known_compare(const struct rarog_known *a, const struct rarog_known *b)
{
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	if (a->strand != b->strand)
		return a->strand < b->strand ? -1 : 1;
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

void rarog_known_values_release(struct rarog_known_values *known)
{
	free(known->v);
	free(known->next);
	*known = (struct rarog_known_values){ 0 };
}

static int allocate(struct rarog_profile *profile, long n, struct rarog_known_values *known)
{
	const struct rarog_location *locations;
	long n_locations = n < 0 ? n : rarog_profile_locations(profile, &locations);

	if (n_locations < 0)
		return (int)n_locations;
	known->v = calloc((size_t)n + 1, sizeof(*known->v));
	known->next = calloc((size_t)n_locations + 1, sizeof(*known->next));
	known->n_locations = (size_t)n_locations;
	return known->v && known->next ? 0 : rarog_oom();
}

/* Values of one argument come in the order of their calls; several of one function do not. */
static void sort(size_t n, struct rarog_known v[])
{
	size_t i = 1;

	while (i < n && compare(&v[i - 1], &v[i]) < 0)
		i++;
	if (i < n)
		qsort(v, n, sizeof(*v), compare);
}

/* Where those of each location begin: .next. */
static void divide(const struct rarog_argument arguments[], size_t n,
		   const struct rarog_call_value values[], struct rarog_known_values *known)
{
	for (size_t i = 0; i < n; i++)
		if (is_for_models(arguments[values[i].argument].kind))
			known->next[arguments[values[i].argument].location]++;
	for (size_t k = 0; k < known->n_locations; k++) {
		size_t count = known->next[k];

		known->next[k] = known->n;
		known->n += count;
	}
}

static void fill(const struct rarog_argument arguments[], size_t n,
		 const struct rarog_call_value values[], struct rarog_known_values *known)
{
	for (size_t i = 0; i < n; i++) {
		const struct rarog_argument *argument = &arguments[values[i].argument];

		if (is_for_models(argument->kind))
			known->v[known->next[argument->location]++] =
				(struct rarog_known){ values[i].strand, argument->location,
						      values[i].number, values[i].argument,
						      rarog_value_double(argument->kind,
									 values[i].value) };
	}
	for (size_t k = known->n_locations; k-- > 0;) { /* from ends back to beginnings */
		known->next[k] = k > 0 ? known->next[k - 1] : 0;
		sort((k + 1 < known->n_locations ? known->next[k + 1] : known->n) - known->next[k],
		     known->v + known->next[k]);
	}
}

int rarog_known_load(struct rarog_profile *profile, struct rarog_known_values *ret_known)
{
	rarog_cleanup(rarog_known_values_release) struct rarog_known_values known = { 0 };
	const struct rarog_argument *arguments;
	const struct rarog_call_value *values;
	long n_arguments = rarog_profile_arguments(profile, &arguments);
	long n = n_arguments < 0 ? n_arguments : rarog_profile_values(profile, &values);
	int r = allocate(profile, n, &known);

	if (r < 0)
		return r;
	divide(arguments, (size_t)n, values, &known);
	fill(arguments, (size_t)n, values, &known);
	*ret_known = rarog_take_struct(known);
	return 0;
}

/* Calls of a function end mostly in the order in which they began. */
static size_t first_of(const struct rarog_known_values *known, const struct rarog_known *wanted)
{
	size_t n = known->n, next;

	if (wanted->location < known->n_locations) {
		next = known->next[wanted->location];
		if (next < n && rarog_known_compare(&known->v[next], wanted) == 0 &&
		    (next == 0 || rarog_known_compare(&known->v[next - 1], wanted) != 0))
			return next;
	}
	return rarog_lower_bound(i, n, rarog_known_compare(&known->v[i], wanted) < 0);
}

size_t rarog_known_of(struct rarog_known_values *known, const struct rarog_walked_call *call,
		      size_t *ret_first)
{
	const struct rarog_known wanted = { .strand = call->strand,
					    .location = call->location,
					    .number = call->number };
	size_t first = first_of(known, &wanted), end = first;

	while (end < known->n && rarog_known_compare(&known->v[end], &wanted) == 0)
		end++;
	if (wanted.location < known->n_locations)
		known->next[wanted.location] = end;
	*ret_first = first;
	return end - first;
}
