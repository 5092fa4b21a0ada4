/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the steps of a module's jumps are (stub-place.h), found once for all of its processes. */
#ifndef RAROG_COLLECT_TRACE_INLINE_STEPS_H
#define RAROG_COLLECT_TRACE_INLINE_STEPS_H

#include "collect/trace/inline/module.h"
#include "collect/trace/inline/stub-place.h"

struct rarog_step {
	struct rarog_window window; /* what the jump replaces */
	uint64_t place;             /* of the step; 0: there is none */
};

/* All addresses are the file's: run-time addresses minus the load bias. */
struct rarog_steps {
	struct rarog_stub_places places;
	size_t n;                                 /* hooks and probes of the module */
	struct rarog_step *steps;                 /* [n]: hooks first */
	size_t quality[RAROG_PLACE_ANYWHERE + 1]; /* how many of each enum rarog_place_quality */
};

/**
 * rarog_steps_choose() - a place for a step of each hook and probe of @m
 * @base, @span: bytes that are free where the module is
 * @code: what else is executable there, which changed jumps must not lead into
 * @ret_steps: the module's, until the next call for it
 *
 * Return: 0; -ENOMEM.
 */
int rarog_steps_choose(struct rarog_module *m, uint64_t base, size_t span, size_t n_code,
		       const struct rarog_range code[], const struct rarog_steps **ret_steps);

void rarog_steps_free(struct rarog_steps *steps);

/** rarog_steps_probe() - hook or probe number @i of a module, as rarog_steps.steps counts them. */
const struct rarog_probe *rarog_steps_probe(const struct rarog_module *m, size_t i);

#endif
