/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which symbols need not be made names for people, because no pattern could mean those: making them
 * is nearly all of the time that patterns take.
 */
#ifndef RAROG_PLAN_NAME_FILTER_H
#define RAROG_PLAN_NAME_FILTER_H

#include "base/match.h"

struct rarog_filter_word {
	const char *text; /* borrowed from the pattern */
	size_t length;
	size_t glob; /* of a part: whose */
};

/* Zeroed: no pattern is there. */
struct rarog_name_filter {
	bool passes_all; /* of a pattern nothing can be told */
	bool is_sorted;
	RAROG_VEC(struct rarog_filter_word) names; /* an identifier of each name … */
	uint64_t lengths; /* … how long these are: bits, the last of all that are longer */
	RAROG_VEC(struct rarog_filter_word) parts; /* all that the globs have, whole or not */
	size_t n_globs;
};

/** rarog_name_filter_add() - symbols that @pattern may mean pass. 0, -ENOMEM. */
int rarog_name_filter_add(struct rarog_name_filter *filter, const struct rarog_pattern *pattern);

/** rarog_name_filter_passes() - may a pattern mean what people call @symbol? Of names that are no
 * mangled ones nothing is said: false. */
bool rarog_name_filter_passes(struct rarog_name_filter *filter, const char *symbol);

void rarog_name_filter_release(struct rarog_name_filter *filter);

#endif
