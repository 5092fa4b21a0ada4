/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/crowds.h"

#include "base/error.h"

int rarog_crowds_begin(struct rarog_crowds *crowds, uint32_t pid, uint32_t program,
		       size_t *ret_number)
{
	const struct rarog_crowd crowd = { .pid = pid, .program = program };

	if (rarog_vec_push(&crowds->all, crowd) < 0)
		return rarog_oom();
	*ret_number = crowds->all.n - 1;
	return 0;
}

void rarog_crowds_left(struct rarog_crowds *crowds, uint32_t program,
		       const struct rarog_counters *counters)
{
	uint64_t seen = counters->n_begun;

	if (counters->is_shared || !counters->tells_threads)
		seen = UINT64_MAX;
	for (size_t i = 0; i < crowds->all.n; i++) {
		struct rarog_crowd *crowd = &crowds->all.v[i];
		uint64_t n = crowd->n < seen ? crowd->n : seen;

		if (crowd->pid != counters->pid || crowd->program != program)
			continue;
		crowd->is_known = true;
		crowd->n -= n;
		seen -= n;
	}
}

uint64_t rarog_crowds_unseen(const struct rarog_crowds *crowds)
{
	uint64_t n = 0;

	for (size_t i = 0; i < crowds->all.n; i++)
		n += crowds->all.v[i].is_known && crowds->all.v[i].n > 0;
	return n;
}

void rarog_crowds_release(struct rarog_crowds *crowds)
{
	rarog_vec_release(&crowds->all);
}
