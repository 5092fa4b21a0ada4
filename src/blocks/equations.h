/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear equations between counts, of which not all may be known in the end. */
#ifndef RAROG_BLOCKS_EQUATIONS_H
#define RAROG_BLOCKS_EQUATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct rarog_equation_term {
	uint32_t unknown;
	int32_t factor;
};

/* The terms from @first on, up to the next equation's, have this sum. */
struct rarog_equation {
	size_t first;
	uint64_t sum;
};

struct rarog_equations {
	size_t n_unknowns;
	RAROG_VEC(struct rarog_equation) list;
	RAROG_VEC(struct rarog_equation_term) terms;
};

/* What a count is at least and at most; known if both are the same. */
struct rarog_bounds {
	uint64_t least, most;
};

/** rarog_equations_begin() - a new equation; 0, -ENOMEM. */
int rarog_equations_begin(struct rarog_equations *equations, uint64_t sum);

/** rarog_equations_add() - a term of the last equation; 0, -ENOMEM. */
int rarog_equations_add(struct rarog_equations *equations, uint32_t unknown, int32_t factor);

void rarog_equations_release(struct rarog_equations *equations); /* fits rarog_cleanup() */

/**
 * rarog_equations_solve() - all that follows for counts, which are whole and not negative
 * @ret_ranges: n_unknowns; each contains what the count can be. What the equations determine is
 * known; of the rest the range may be wider than it had to be, up to UINT64_MAX.
 *
 * Return: 0; -EDOM without message: they contradict each other; -ENOMEM.
 */
int rarog_equations_solve(const struct rarog_equations *equations, struct rarog_bounds *ret_ranges);

#endif
