/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A window is moved along the series. Changes in its first three quarters are settled: what comes
 * later cannot alter them, so an analysis goes on where the last one ended and gives the same as
 * one from the beginning.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/changes.h"

#define WINDOW RAROG_CHANGES_WINDOW
#define SETTLE (WINDOW / 4 * 3)
#define NEAR   8 /* one window may place a change that much beside where another does */

void rarog_change_scan_release(struct rarog_change_scan *scan)
{
	rarog_changes_release(&scan->changes);
}

/* Append those of @found (a window's, which begins at @start) from @from to @until that are not
 * there already. */
static int take_over(const struct rarog_changes *found, size_t start, size_t from, size_t until,
		     struct rarog_changes *changes)
{
	size_t n = changes->list.n, taken = n > 0 ? changes->list.v[n - 1].at + NEAR + 1 : 0;

	for (size_t i = 0; i < found->list.n; i++) {
		struct rarog_change_point change = found->list.v[i];

		change.at += start;
		if (change.at + NEAR < from || change.at < taken || change.at >= until)
			continue;
		if (rarog_vec_push(&changes->list, change) < 0)
			return rarog_oom();
	}
	return 0;
}

static int settle(const double window[], struct rarog_change_scan *scan)
{
	rarog_cleanup(rarog_changes_release) struct rarog_changes found = { 0 };
	size_t until = scan->start + SETTLE, next = scan->start + WINDOW / 2;
	int r = rarog_changes_find(WINDOW, window, &found);

	if (r == 0)
		r = take_over(&found, scan->start, scan->settled, until, &scan->changes);
	if (r < 0)
		return r;
	if (scan->changes.list.n > 0 && scan->changes.list.v[scan->changes.list.n - 1].at > next)
		next = scan->changes.list.v[scan->changes.list.n - 1].at;
	scan->settled = until;
	scan->start = next;
	return 0;
}

static int copy(const struct rarog_changes *from, struct rarog_changes *to)
{
	if (rarog_vec_reserve(&to->list, from->list.n) < 0)
		return rarog_oom();
	if (from->list.n > 0)
		memcpy(to->list.v, from->list.v, from->list.n * sizeof(*from->list.v));
	to->list.n = from->list.n;
	return 0;
}

int rarog_change_settle(size_t n, size_t first, const double x[], struct rarog_change_scan *scan)
{
	int r = 0;

	if (first > scan->start || (first < n && scan->start > n))
		return rarog_fail(-EINVAL, "series: begins at %zu, but the scan stands at %zu",
				  first, scan->start);
	while (r == 0 && n - scan->start > WINDOW)
		r = settle(x + (scan->start - first), scan);
	return r;
}

int rarog_change_scan(size_t n, size_t first, const double x[], struct rarog_change_scan *scan,
		      struct rarog_changes *ret_changes)
{
	rarog_cleanup(rarog_changes_release) struct rarog_changes all = { 0 }, found = { 0 };
	int r = rarog_change_settle(n, first, x, scan);

	if (r == 0)
		r = copy(&scan->changes, &all);
	if (r == 0)
		r = rarog_changes_find(n - scan->start, x + (scan->start - first), &found);
	if (r == 0)
		r = take_over(&found, scan->start, scan->settled, n, &all);
	for (size_t i = 0; r == 0 && i < found.drifts.n; i++) {
		struct rarog_drift drift = found.drifts.v[i];

		drift.first += scan->start;
		drift.end += scan->start;
		r = rarog_vec_push(&all.drifts, drift) < 0 ? rarog_oom() : 0;
	}
	if (r < 0)
		return r;
	*ret_changes = rarog_take_struct(all);
	return 0;
}
