/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/term/pruned.h"

#include "base/units.h"

static bool is_pruned(const struct rarog_show *show, const struct rarog_measured *row)
{
	return row->how == RAROG_HOW_PRUNED && row->location < show->run.n_locations &&
	       show->run.locations[row->location].kind == RAROG_LOCATION_FUNCTION;
}

int rarog_show_pruned(const struct rarog_show *show, const char *by[])
{
	const struct rarog_measured *rows;
	long n = rarog_profile_measured(show->run.profile, &rows);

	for (long i = 0; i < n; i++)
		if (is_pruned(show, &rows[i]))
			by[rows[i].location] = rows[i].reason ? rows[i].reason : "a technique";
	return n < 0 ? (int)n : 0;
}

void rarog_show_note_pruned(struct rarog_show *show)
{
	const struct rarog_measured *rows;
	long n = rarog_profile_measured(show->run.profile, &rows);
	size_t pruned = 0;

	for (long i = 0; i < n; i++)
		pruned += is_pruned(show, &rows[i]);
	if (pruned > 0)
		rarog_show_note(show,
				"techniques left out %s function%s: the time of those that were "
				"called is in that of their callers",
				rarog_format_count(pruned).text, rarog_plural(pruned));
}
