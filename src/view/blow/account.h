/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands below the table: what the program did otherwise with noise, which runs there were,
 * what is not known and what would help. */
#ifndef RAROG_VIEW_BLOW_ACCOUNT_H
#define RAROG_VIEW_BLOW_ACCOUNT_H

#include "view/blow/blow-view.h"

void rarog_blow_print_account(const struct rarog_blow_view *view, FILE *out);

/** rarog_blow_controls() - runs that others are compared with. */
static inline uint64_t rarog_blow_controls(const struct rarog_blow_result *result)
{
	return result->shared + 1;
}

/** rarog_blow_runs_with_finding() - how many runs there were with noise as in that one. */
static inline uint64_t rarog_blow_runs_with_finding(const struct rarog_blow_result *result,
						    const struct rarog_blow_finding *finding)
{
	const struct rarog_blow_function *f = &result->corpus.v.v[finding->function];

	return (finding->is_control ? f->n_controls : f->n_runs) + finding->seen;
}

#endif
