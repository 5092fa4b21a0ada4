/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What noise in each function did to each progress point, and the profile of speed-up. */
#ifndef RAROG_VIEW_BLOW_POINT_TABLE_H
#define RAROG_VIEW_BLOW_POINT_TABLE_H

#include "view/blow/blow-view.h"

/** rarog_blow_print_points() - @v: the functions, in their order. Nothing where there is nothing
 * that the first table has not. 0; -ENOMEM. */
int rarog_blow_print_points(const struct rarog_blow_view *view,
			    const struct rarog_blow_function *const v[], FILE *out);

#endif
