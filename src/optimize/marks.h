/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What techniques say of marks. */
#ifndef RAROG_OPTIMIZE_MARKS_H
#define RAROG_OPTIMIZE_MARKS_H

#include "optimize/technique.h"

struct rarog_mark_rules {
	const struct rarog_parameters *parameters;
	const struct rarog_statistics *statistics; /* NULL: no earlier run is known */
	bool prunes, samples; /* are dynamic-baseline and dynamic-sampling on? */
};

/** rarog_optimize_mark() - is anything said of @place, if it is one? Then @ret_decision is what. */
bool rarog_optimize_mark(const struct rarog_plan_place *place, const struct rarog_mark_rules *rules,
			 struct rarog_decision *ret_decision);

#endif
