/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks, such as USDT probes, are no part of a call graph. But an earlier run tells how often one
 * was passed, and that is all that two of the techniques ask.
 */
#include "optimize/marks.h"

#include "plan/place-set.h"

static bool is_mark(const struct rarog_plan_place *place)
{
	return (place->kind == RAROG_AT_USDT || place->kind == RAROG_AT_REGION_EDGE) &&
	       place->action == RAROG_ACTION_RECORD && place->mark && !place->has_values;
}

static bool prune(const struct rarog_function_statistics *f, const struct rarog_parameters *p,
		  struct rarog_decision *ret_decision)
{
	double again = p->number[RAROG_PARAMETER_DYN_BASE_AGAIN];

	if ((double)f->count <= p->number[RAROG_PARAMETER_DYN_BASE_HARD_THRESHOLD] ||
	    rarog_statistics_are_old(f, again))
		return false;
	*ret_decision = (struct rarog_decision){ .technique = RAROG_TECHNIQUE_DYNAMIC_BASELINE,
						 .action = RAROG_ACTION_PRUNED,
						 .why = "passages in the last run:",
						 .amount = f->count };
	return true;
}

static bool thin(const struct rarog_function_statistics *f, const struct rarog_parameters *p,
		 struct rarog_decision *ret_decision)
{
	double threshold = p->number[RAROG_PARAMETER_DYN_SAMPLE_THRESHOLD];
	uint32_t n = threshold > 0 ? rarog_sampling_rate(f, threshold) : 1;

	*ret_decision = (struct rarog_decision){ .technique = RAROG_TECHNIQUE_DYNAMIC_SAMPLING,
						 .action = RAROG_ACTION_SAMPLE,
						 .n = n,
						 .why = "passages in the last run:",
						 .amount = f->count };
	return n > 1;
}

bool rarog_optimize_mark(const struct rarog_plan_place *place, const struct rarog_mark_rules *rules,
			 struct rarog_decision *ret_decision)
{
	const struct rarog_function_statistics *f =
		is_mark(place) && rules->statistics
			? rarog_statistics_find(rules->statistics, place->mark)
			: NULL;

	if (!f)
		return false;
	return (rules->prunes && prune(f, rules->parameters, ret_decision)) ||
	       (rules->samples && f->sampled > 0 && thin(f, rules->parameters, ret_decision));
}
