/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/inlined.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_place(const void *a, const void *b)
{
	const struct rarog_inlined_into *x = a, *y = b;
	int names = compare_text(x->name, y->name);

	if (names != 0)
		return names;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	int files = compare_text(x->file, y->file);

	if (files != 0)
		return files;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Drops repetitions of the sorted list, then what is over the limit. */
static void thin_out(struct rarog_inlined_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (kept == 0 || by_place(&list->v[kept - 1], &list->v[i]) != 0)
			list->v[kept++] = list->v[i];
	list->left_out = kept > RAROG_REPORT_INLINED ? kept - RAROG_REPORT_INLINED : 0;
	list->n = kept - list->left_out;
}

int rarog_inlined_init(struct rarog_inlined_list *list, struct rarog_profile *profile,
		       size_t n_locations)
{
	const struct rarog_inlined_into *all;
	long n = rarog_profile_inlined(profile, &all);

	*list = (struct rarog_inlined_list){ 0 };
	if (n < 0)
		return (int)n;
	list->v = calloc((size_t)n + 1, sizeof(*list->v));
	if (!list->v)
		return rarog_oom();
	for (long i = 0; i < n; i++)
		if (all[i].host < n_locations && all[i].name)
			list->v[list->n++] = all[i];
	qsort(list->v, list->n, sizeof(*list->v), by_place);
	thin_out(list);
	return 0;
}

void rarog_inlined_release(struct rarog_inlined_list *list)
{
	free(list->v);
	*list = (struct rarog_inlined_list){ 0 };
}
