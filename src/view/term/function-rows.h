/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of a profile with their sums, chosen and sorted as rarog show was asked to. */
#ifndef RAROG_VIEW_TERM_FUNCTION_ROWS_H
#define RAROG_VIEW_TERM_FUNCTION_ROWS_H

#include "profile/off-cpu.h"
#include "profile/statistics.h"
#include "view/term/certainty.h"
#include "view/term/show.h"

struct rarog_function_row {
	struct rarog_summary s;       /* of the wanted threads; bars only over all */
	struct rarog_off_cpu off_cpu; /* of the same */
	uint64_t mean;                /* ticks */
	uint64_t key;                 /* what it is sorted by */
	const char *title;
	bool is_twin;     /* another row has the same title … */
	unsigned n_alike; /* … and so many parts of its place: all are versions of a symbol */
};

struct rarog_function_rows {
	const struct rarog_show *show;
	size_t n, n_shown;
	struct rarog_function_row *v;
	uint64_t exclusive; /* of all functions, shown or not: the whole of "share" */
	bool is_sampled;    /* of some functions exclusive times are not known: … */
	bool *unknown;      /* … of these, by location */
	struct rarog_certainty certainty;
};

/** rarog_function_rows_read() - 0; -EBADMSG a damaged profile; -ENOMEM. To be released either way.
 */
int rarog_function_rows_read(struct rarog_show *show, struct rarog_function_rows *ret_rows);
void rarog_function_rows_release(struct rarog_function_rows *rows);

/** rarog_function_twins_mark() - which of @rows share their title, and how much of their place with
 * the one most like them: the first so many parts, by @order_parts() of two locations. 0;
 * -ENOMEM. */
int rarog_function_twins_mark(size_t n, struct rarog_function_row rows[],
			      int (*order_parts)(const void *user, enum rarog_place_part part,
						 uint32_t a, uint32_t b),
			      const void *user);

uint64_t rarog_function_row_cpu_ticks(const struct rarog_function_row *row);

#endif
