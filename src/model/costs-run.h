/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one run took, by function and of the whole program; for costs-runs.c. */
#ifndef RAROG_MODEL_COSTS_RUN_H
#define RAROG_MODEL_COSTS_RUN_H

#include <jansson.h>

#include "blocks/tally.h"
#include "model/costs.h"
#include "profile/off-cpu.h"
#include "store/facts.h"

struct rarog_cost_run {
	struct rarog_profile *profile;
	struct rarog_facts facts;
	const json_t *end; /* of the header */
	double ns_per_tick;
	size_t n_locations;
	const struct rarog_location *locations;
	const struct rarog_summary **sums; /* by location, over all strands; NULL: none */
	bool *no_total, *no_exclusive;     /* by location: calls are missing, so nobody knows it */
	bool *off;                         /* by location: at times not even counted */
	struct rarog_off_cpu_table off_cpu;
	struct rarog_tally tally;
	const struct rarog_tally_function **counts; /* by location; NULL: none */
};

/** rarog_cost_run_open() - 0, -EBADMSG, -ENOMEM; to be released in any case. */
int rarog_cost_run_open(struct rarog_profile *profile, struct rarog_cost_run *run);
void rarog_cost_run_release(struct rarog_cost_run *run); /* fits rarog_cleanup() */

/* "wall", "iterations:12", "max_rss_bytes" … */
struct rarog_cost_amount {
	const char *name;                 /* borrowed */
	const struct rarog_cost_row *row; /* NULL: iterations, or what the header has, which is of
					   * the program alone */
	bool is_iterations;
	uint32_t line; /* of the loops that are meant; 0: all */
	enum rarog_cost_unit unit;
};

/** rarog_cost_amount() - what @name says; there may be no such amount. */
struct rarog_cost_amount rarog_cost_amount(const char *name);

/** rarog_cost_amount_has_functions() - functions have it, not only the program. */
bool rarog_cost_amount_has_functions(const struct rarog_cost_amount *amount);

/** rarog_cost_amount_has_program() - the program has it. */
bool rarog_cost_amount_has_program(const struct rarog_cost_amount *amount);

/** rarog_cost_of_function(), rarog_cost_of_program() - NAN: it is not known. */
double rarog_cost_of_function(const struct rarog_cost_run *run,
			      const struct rarog_cost_amount *amount, uint32_t location);
double rarog_cost_of_program(const struct rarog_cost_run *run,
			     const struct rarog_cost_amount *amount);

/** rarog_cost_is_least() - are these rounds, of which those of an irreducible loop are the least
 * there can have been? */
bool rarog_cost_is_least(const struct rarog_cost_run *run, const struct rarog_cost_amount *amount,
			 uint32_t location);

/** rarog_cost_why_unknown() - which calls are missing so that nobody knows the amount of a
 * function; NULL: none. Static. */
const char *rarog_cost_why_unknown(const struct rarog_cost_run *run,
				   const struct rarog_cost_amount *amount, uint32_t location);

/** rarog_cost_calls_of() - of a function. NAN: it is not known. */
double rarog_cost_calls_of(const struct rarog_cost_run *run, uint32_t location);

#endif
