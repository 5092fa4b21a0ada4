/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captured values, to be looked for by their call; for points-arguments.c and costs-rows.c. */
#ifndef RAROG_MODEL_VALUES_OWN_H
#define RAROG_MODEL_VALUES_OWN_H

#include "model/points-own.h"

struct rarog_known {
	uint32_t strand, location;
	uint64_t number;
	uint32_t argument;
	double x;
};

struct rarog_known_values {
	size_t n;
	struct rarog_known *v;
	size_t n_locations;
	size_t *next; /* by location: after those that were found last */
};

/** rarog_known_load() - all of @profile that are numbers, finite or not, and no pointers, by call,
 * then argument. 0, -EBADMSG, -ENOMEM. */
int rarog_known_load(struct rarog_profile *profile, struct rarog_known_values *ret_known);
void rarog_known_values_release(struct rarog_known_values *known); /* fits rarog_cleanup() */

/** rarog_known_compare() - by call alone: below 0, 0, above. */
int rarog_known_compare(const struct rarog_known *a, const struct rarog_known *b);

/** rarog_argument_is_cost() - is it @cost (NULL: instructions) of calls? */
bool rarog_argument_is_cost(const struct rarog_argument *argument, const char *cost);

/** rarog_known_of() - those of @call: known->v[*ret_first] and what follows. Return: how many. */
size_t rarog_known_of(struct rarog_known_values *known, const struct rarog_walked_call *call,
		      size_t *ret_first);

#endif
