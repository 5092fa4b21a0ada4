/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was inlined where, each place once.
 */
#ifndef RAROG_VIEW_HTML_INLINED_H
#define RAROG_VIEW_HTML_INLINED_H

#include "profile/reader.h"

#define RAROG_REPORT_INLINED 100000 /* a page carries so many places at most */

struct rarog_inlined_list {
	size_t n, left_out;
	struct rarog_inlined_into *v; /* sorted by name, host, file, line; texts borrowed */
};

/** rarog_inlined_init() - hosts that are no location of the profile (@n_locations) are dropped.
 * Return: 0; -ENOMEM; errors of the reader. */
int rarog_inlined_init(struct rarog_inlined_list *list, struct rarog_profile *profile,
		       size_t n_locations);

void rarog_inlined_release(struct rarog_inlined_list *list);

#endif
