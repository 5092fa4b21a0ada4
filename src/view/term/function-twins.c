/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows are sorted by title and place; twins are neighbours then. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/term/function-rows.h"

struct order {
	int (*parts)(const void *user, enum rarog_place_part part, uint32_t a, uint32_t b);
	const void *user;
};

/* How many parts of their places are the same; @ret_order: of the first that is not. */
static unsigned compare_places(const struct order *order, const struct rarog_function_row *a,
			       const struct rarog_function_row *b, int *ret_order)
{
	unsigned part = 0;

	for (*ret_order = 0; part < RAROG_PLACE_PARTS && *ret_order == 0; part += *ret_order == 0)
		*ret_order = order->parts(order->user, part, a->s.location, b->s.location);
	return part;
}

static int compare(const void *left, const void *right, void *user)
{
	const struct rarog_function_row *const *a = left, *const *b = right;
	int r = strcmp((*a)->title, (*b)->title);

	if (r == 0)
		compare_places(user, *a, *b, &r);
	return r;
}

/* Of all rows a neighbour has most in common. */
static void mark_pair(const struct order *order, struct rarog_function_row *a,
		      struct rarog_function_row *b)
{
	unsigned n;
	int r;

	if (strcmp(a->title, b->title) != 0)
		return;
	n = compare_places(order, a, b, &r);
	a->is_twin = b->is_twin = true;
	a->n_alike = n > a->n_alike ? n : a->n_alike;
	b->n_alike = n > b->n_alike ? n : b->n_alike;
}

int rarog_function_twins_mark(size_t n, struct rarog_function_row rows[],
			      int (*order_parts)(const void *user, enum rarog_place_part part,
						 uint32_t a, uint32_t b),
			      const void *user)
{
	struct order order = { order_parts, user };
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
