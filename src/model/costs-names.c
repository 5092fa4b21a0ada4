/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of several profiles are found again by their symbols. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/costs-own.h"

void rarog_cost_release(struct rarog_costing *cost)
{
	free(cost->name);
	free(cost->mangled);
	free(cost->x);
	rarog_points_release(&cost->points);
	free(cost->rows.x);
	free(cost->rows.y);
}

void rarog_cost_reading_release(struct rarog_cost_reading *reading)
{
	struct rarog_cost_name *name, *next;

	HASH_ITER(hh, reading->names, name, next)
	{
		HASH_DEL(reading->names, name);
		free(name->mangled);
		free(name);
	}
}

static const char *title(const struct rarog_location *location)
{
	return location->demangled ? location->demangled : location->name;
}

static struct rarog_costing *add_function(struct rarog_cost_reading *reading,
					  const struct rarog_location *location)
{
	struct rarog_cost_name *name = calloc(1, sizeof(*name));
	struct rarog_costing cost = { .name = strdup(title(location)),
				      .mangled = strdup(location->name) };

	if (name)
		name->mangled = strdup(location->name);
	if (!name || !name->mangled || !cost.name || !cost.mangled ||
	    rarog_vec_push(&reading->costs->list, cost) < 0) {
		rarog_cost_release(&cost);
		free(name ? name->mangled : NULL);
		free(name);
		return NULL;
	}
	name->at = reading->costs->list.n - 1;
	HASH_ADD_KEYPTR(hh, reading->names, name->mangled, strlen(name->mangled), name);
	return &reading->costs->list.v[name->at];
}

struct rarog_costing *rarog_cost_find(struct rarog_cost_reading *reading,
				      const struct rarog_location *location, int *r)
{
	struct rarog_cost_name *name = NULL;
	struct rarog_costing *cost;
	const char *const called[] = { location->name, location->demangled };

	if (!rarog_match_test(reading->request->functions, 2, called))
		return NULL;
	HASH_FIND_STR(reading->names, location->name, name);
	if (name)
		return &reading->costs->list.v[name->at];
	cost = add_function(reading, location);
	if (!cost)
		*r = rarog_oom();
	return cost;
}

int rarog_cost_add(struct rarog_costing *cost, double x, double y)
{
	cost->total += isfinite(y) ? y : 0;
	return rarog_points_add(&cost->points, x, y);
}
