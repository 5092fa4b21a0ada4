/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in a program's machine code features' regions begin and end. */
#ifndef RAROG_FEATURE_PLACES_H
#define RAROG_FEATURE_PLACES_H

#include "feature/analysis.h"
#include "plan/region-places.h"

/* By what regions are seen. */
enum rarog_feature_means {
	RAROG_FEATURE_BY_JUMPS,       /* written over instructions */
	RAROG_FEATURE_BY_BREAKPOINTS, /* of the kernel */
	RAROG_FEATURE_BY_SAMPLES,     /* no probes are needed */
};

/* What came of a region. */
enum rarog_feature_code_state {
	RAROG_FEATURE_NO_CODE,  /* nothing of it is in the program */
	RAROG_FEATURE_NO_PLACE, /* where it begins or ends nothing can be put … */
	RAROG_FEATURE_ONCE, /* … or only where it may begin again, so that counts are too high */
	RAROG_FEATURE_EXACT,
};

struct rarog_feature_placed {
	uint8_t *states;    /* enum rarog_feature_code_state, [analysis->regions.n] */
	uint32_t *n_copies; /* places where it begins, the same */
	unsigned n_unread;  /* functions that cannot be read */
	unsigned n_stepped; /* places whose instruction the kernel has to step … */
	unsigned n_places;  /* … of these */
	bool may_jump;      /* out of regions, by longjmp */
};

/**
 * rarog_feature_places_find() - of all regions that are kept
 * @wanted: names of features; of no others regions are placed; n 0: all
 *
 * Return: 0; -errno with message. Release both in any case.
 */
int rarog_feature_places_find(const struct rarog_feature_analysis *analysis,
			      struct rarog_binary *binary, const struct rarog_strings *wanted,
			      enum rarog_feature_means means,
			      struct rarog_region_places *ret_places,
			      struct rarog_feature_placed *ret_placed);
void rarog_feature_placed_release(struct rarog_feature_placed *placed);

#endif
