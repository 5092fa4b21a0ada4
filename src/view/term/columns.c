/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/term/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"

static int unknown(const char *name, const char *what, size_t n,
		   const struct rarog_sheet_column columns[n])
{
	struct rarog_nearest nearest = { .wanted = name };
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	int r;

	for (size_t i = 0; i < n; i++)
		rarog_nearest_offer(&nearest, columns[i].name);
	r = rarog_nearest_add(&nearest, "", &hint);
	if (nearest.n == 0)
		r = rarog_str_addf(&hint, "; %s:", what);
	for (size_t i = 0; r == 0 && nearest.n == 0 && i < n; i++)
		if (columns[i].name)
			r = rarog_str_addf(&hint, " %s", columns[i].name);
	return r < 0 ? rarog_oom()
		     : rarog_fail(-EINVAL, "no column '%s'%s", name, rarog_str_text(&hint));
}

/* By its own name or, as --csv and --json have it, by that of its amount. */
static bool is_called(const struct rarog_sheet_column *column, const char *name)
{
	return column->name && (strcmp(column->name, name) == 0 ||
				(column->fact.key && strcmp(column->fact.key, name) == 0));
}

int rarog_columns_choose(const char *list, const char *what, size_t n,
			 const struct rarog_sheet_column columns[n], bool ret_is_shown[n])
{
	rarog_cleanup(rarog_freep) char *copy = strdup(list);
	char *rest = copy;

	if (!copy)
		return rarog_oom();
	for (char *name; (name = strsep(&rest, ","));) {
		size_t i = 0;

		while (i < n && !is_called(&columns[i], name))
			i++;
		if (i == n)
			return unknown(name, what, n, columns);
		ret_is_shown[i] = true;
	}
	return 0;
}
