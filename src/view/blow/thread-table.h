/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions were called in which threads, and what noise in them did to each thread. */
#ifndef RAROG_VIEW_BLOW_THREAD_TABLE_H
#define RAROG_VIEW_BLOW_THREAD_TABLE_H

#include "view/blow/blow-view.h"

/** rarog_blow_print_threads() - function × thread, below the table; nothing where there is one
 * thread. @v: the functions in the order of the table. 0; -ENOMEM. */
int rarog_blow_print_threads(const struct rarog_blow_view *view,
			     const struct rarog_blow_function *const v[], FILE *out);

/** rarog_blow_json_threads() - the member "threads" of the whole. */
void rarog_blow_json_threads(const struct rarog_blow_view *view, struct rarog_json *json);

/** rarog_blow_json_function_threads() - the member "threads" of a function. */
void rarog_blow_json_function_threads(const struct rarog_blow_view *view,
				      const struct rarog_blow_function *f, struct rarog_json *json);

#endif
