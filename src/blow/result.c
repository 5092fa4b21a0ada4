/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "blow/blow.h"

void rarog_blow_result_release(struct rarog_blow_result *result)
{
	rarog_blow_corpus_release(&result->corpus);
	for (size_t i = 0; i < result->findings.n; i++)
		rarog_stacks_release(&result->findings.v[i].stacks);
	rarog_vec_release(&result->findings);
	rarog_blow_points_release(&result->points);
	rarog_blow_threads_release(&result->threads);
	rarog_vec_release(&result->times);
	rarog_vec_release(&result->effects);
	rarog_vec_release(&result->records);
	rarog_vec_release(&result->point_effects);
}
