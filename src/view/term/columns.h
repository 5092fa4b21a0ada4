/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of a table that users choose by name. */
#ifndef RAROG_VIEW_TERM_COLUMNS_H
#define RAROG_VIEW_TERM_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "view/term/sheet.h"

struct rarog_sheet_column {
	const char *name; /* for --columns; NULL: in data only */
	int from_width;   /* of the terminal, in cells, from which on it is shown */
	struct rarog_sheet_fact fact;
	bool is_time; /* empty where calls were counted only */
};

#define RAROG_COLUMN_NEVER 100000 /* .from_width of those shown only when asked for */

/**
 * rarog_columns_choose() - @ret_is_shown[i] is set where @list ("calls,line") names columns[i]
 * @what: what there is, where something else was named: "there are"
 *
 * Return: 0; -EINVAL with a message, a name that no column has; -ENOMEM.
 */
int rarog_columns_choose(const char *list, const char *what, size_t n,
			 const struct rarog_sheet_column columns[n], bool ret_is_shown[n]);

#endif
