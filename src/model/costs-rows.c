/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of several variables: a call of which all of them were captured is a row. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/value-path.h"
#include "model/costs-own.h"
#include "model/values-own.h"

/* --- rows --- */

static int grow(struct rarog_rows *rows, size_t width)
{
	size_t wanted = rows->capacity > 0 ? 2 * rows->capacity : 16;
	double *x = realloc(rows->x, wanted * width * sizeof(*x)), *y;

	if (!x)
		return rarog_oom();
	rows->x = x;
	y = realloc(rows->y, wanted * sizeof(*y));
	if (!y)
		return rarog_oom();
	rows->y = y;
	rows->capacity = wanted;
	return 0;
}

int rarog_cost_add_row(const struct rarog_cost_reading *reading, struct rarog_costing *cost,
		       const double x[], double y)
{
	size_t width = reading->request->n_variables;
	struct rarog_rows *rows = &cost->rows;
	bool is_finite = isfinite(y);

	assert(width > 0);
	for (size_t i = 0; i < width; i++)
		is_finite = is_finite && isfinite(x[i]);
	if (!is_finite) {
		rows->left_out++;
		return 0;
	}
	if (rows->n == rows->capacity && grow(rows, width) < 0)
		return -ENOMEM;
	memcpy(rows->x + rows->n * width, x, width * sizeof(*x));
	rows->y[rows->n++] = y;
	cost->total += y;
	return 0;
}

/* --- of calls --- */

struct walk {
	struct rarog_cost_reading *reading;
	const struct rarog_location *locations;
	const struct rarog_argument *arguments;
	struct rarog_known_values known;
	bool is_exclusive;
};

/* Return: are all variables among the values of one call? */
static bool fill_row(const struct walk *walk, size_t n, const struct rarog_known values[],
		     double x[])
{
	const struct rarog_cost_request *request = walk->reading->request;
	size_t found = 0;

	for (size_t v = 0; v < request->n_variables; v++)
		for (size_t i = 0; i < n; i++)
			if (strcmp(walk->arguments[values[i].argument].name,
				   request->variables[v]) == 0) {
				x[v] = values[i].x;
				found++;
				break;
			}
	return found == request->n_variables;
}

static int set_x(const struct rarog_cost_request *request, struct rarog_costing *cost)
{
	if (!cost->x)
		cost->x = strdup(request->x);
	return cost->x ? 0 : rarog_oom();
}

static int add(const struct walk *walk, size_t n, const struct rarog_known values[], double y)
{
	double x[RAROG_NORMAL_VARIABLES] = { 0 };
	struct rarog_costing *cost;
	int r = 0;

	if (n == 0 || !fill_row(walk, n, values, x))
		return 0;
	cost = rarog_cost_find(walk->reading, &walk->locations[values[0].location], &r);
	if (cost)
		r = set_x(walk->reading->request, cost);
	return cost && r == 0 ? rarog_cost_add_row(walk->reading, cost, x, y) : r;
}

static int take_call(void *arg, const struct rarog_walked_call *call)
{
	struct walk *walk = arg;
	size_t first, n = rarog_known_of(&walk->known, call, &first);

	return add(walk, n, walk->known.v + first,
		   (double)(walk->is_exclusive ? call->exclusive_ns : call->ns));
}

/* Where calls have no durations y is their cost, which is one of the values. */
static int meet_costs(const struct walk *walk)
{
	int r = 0;

	for (size_t first = 0, end; r == 0 && first < walk->known.n; first = end) {
		double cost = NAN;

		for (end = first;
		     end < walk->known.n &&
		     rarog_known_compare(&walk->known.v[first], &walk->known.v[end]) == 0;
		     end++)
			if (rarog_argument_is_cost(&walk->arguments[walk->known.v[end].argument],
						   walk->reading->costs->y))
				cost = walk->known.v[end].x;
		if (!isnan(cost))
			r = add(walk, end - first, walk->known.v + first, cost);
	}
	return r;
}

int rarog_cost_rows_of_calls(struct rarog_profile *profile, struct rarog_cost_reading *reading)
{
	struct walk walk = { .reading = reading,
			     .is_exclusive = strcmp(reading->costs->y, "exclusive") == 0 };
	long n = rarog_profile_locations(profile, &walk.locations);
	int r;

	if (n >= 0)
		n = rarog_profile_arguments(profile, &walk.arguments);
	if (n < 0)
		return (int)n;
	r = rarog_known_load(profile, &walk.known);
	if (r == 0 && walk.known.n > 0)
		r = rarog_profile_has_calls(profile)
			    ? rarog_points_walk_calls(profile, false, take_call, &walk)
			    : meet_costs(&walk);
	rarog_known_values_release(&walk.known);
	return r;
}
