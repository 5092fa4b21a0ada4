/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows are sorted by title and place; twins are neighbours then. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/term/function-rows.h"

struct order {
	int (*places)(const void *user, uint32_t a, uint32_t b);
	const void *user;
};

static int compare_places(const struct order *order, const struct rarog_function_row *a,
			  const struct rarog_function_row *b)
{
	return order->places(order->user, a->s.location, b->s.location);
}

static int compare(const void *left, const void *right, void *user)
{
	const struct rarog_function_row *const *a = left, *const *b = right;
	int r = strcmp((*a)->title, (*b)->title);

	return r != 0 ? r : compare_places(user, *a, *b);
}

static void mark_pair(const struct order *order, struct rarog_function_row *a,
		      struct rarog_function_row *b)
{
	if (strcmp(a->title, b->title) != 0)
		return;
	a->is_twin = b->is_twin = true;
	if (compare_places(order, a, b) == 0)
		a->is_alike = b->is_alike = true;
}

int rarog_function_twins_mark(size_t n, struct rarog_function_row rows[],
			      int (*order_places)(const void *user, uint32_t a, uint32_t b),
			      const void *user)
{
	struct order order = { order_places, user };
	rarog_cleanup(rarog_freep) struct rarog_function_row **sorted =
		calloc(n + 1, sizeof(struct rarog_function_row *));

	if (!sorted)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		sorted[i] = &rows[i];
	qsort_r(sorted, n, sizeof(*sorted), compare, &order);
	for (size_t i = 1; i < n; i++)
		mark_pair(&order, sorted[i - 1], sorted[i]);
	return 0;
}
