/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"
#include "optimize/technique.h"

static int add(struct rarog_deciding *d, const struct rarog_decision *decision)
{
	if (d->is_protected[decision->node])
		return 0;
	return rarog_vec_push(&d->v, *decision) < 0 ? rarog_oom() : 0;
}

int rarog_decide_prune(struct rarog_deciding *d, enum rarog_technique_number technique,
		       uint32_t node, const char *why, uint64_t amount)
{
	return add(d, &(struct rarog_decision){ .node = node,
						.technique = (uint8_t)technique,
						.action = RAROG_ACTION_PRUNED,
						.why = why,
						.amount = amount });
}

int rarog_decide_sample(struct rarog_deciding *d, enum rarog_technique_number technique,
			uint32_t node, uint32_t n, const char *why, uint64_t amount)
{
	if (n <= 1)
		return 0;
	return add(d, &(struct rarog_decision){ .node = node,
						.technique = (uint8_t)technique,
						.action = RAROG_ACTION_SAMPLE,
						.n = n,
						.why = why,
						.amount = amount });
}

bool rarog_is_as_measured(const struct rarog_deciding *d, uint32_t node)
{
	uint8_t change = d->since_run[node];

	return change == RAROG_CHANGE_NONE || change == RAROG_CHANGE_CALLS;
}
