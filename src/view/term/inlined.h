/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Into what the functions that are asked for were inlined. */
#ifndef RAROG_VIEW_TERM_INLINED_H
#define RAROG_VIEW_TERM_INLINED_H

#include "base/vec.h"
#include "view/term/show.h"

struct rarog_inlined_sheet {
	RAROG_VEC(struct rarog_inlined_into) hosts;
};

/** rarog_show_inlined() - what options.func wants and where it went, also by blocks whose code was
 * inlined; names are borrowed. Return: 0; negative on a damaged section, -ENOMEM. */
int rarog_show_inlined(const struct rarog_show *show, struct rarog_inlined_sheet *ret_list);

static inline void rarog_inlined_list_release(struct rarog_inlined_sheet *list)
{
	rarog_vec_release(&list->hosts);
}

#endif
