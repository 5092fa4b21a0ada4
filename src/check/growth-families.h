/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_CHECK_GROWTH_FAMILIES_H
#define RAROG_CHECK_GROWTH_FAMILIES_H

#include "check/check.h"
#include "model/costs.h"

/* Checks that differ in x alone: in the number of their workload, or in the value of an option. */
struct rarog_growth_family {
	char *x;                   /* "workload", "option:NAME" */
	char *key;                 /* of all the rest */
	RAROG_VEC(size_t) members; /* checks */
	size_t largest;            /* of these, by x */
	double most;
};

struct rarog_growth_families {
	RAROG_VEC(struct rarog_growth_family) list; /* of as many x as a model needs */
};

/**
 * rarog_growth_families() - of the checks by the standard method, of two programs that differ
 * @first: of the checks that are looked at
 *
 * Return: 0; -EBADMSG, -ENOMEM.
 */
int rarog_growth_families(const struct rarog_checks *checks, size_t first,
			  struct rarog_growth_families *ret_families);
void rarog_growth_families_release(struct rarog_growth_families *families);

/** rarog_growth_costs() - what each function costs by x in all runs of one side; @y NULL: what
 * rarog_costs_read() prefers. 0, also if there is nothing to compare, then there are no costs;
 * -EBADMSG, -ENOMEM. */
int rarog_growth_costs(const struct rarog_checks *checks, const struct rarog_growth_family *family,
		       int side, const char *y, struct rarog_costs *ret_costs);

#endif
