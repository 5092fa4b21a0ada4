/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions of a profile of blocks are shown, in which order. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/term/show.h"
#include "view/text.h"

/* For the comparison, which qsort() gives no context. */
struct entry {
	struct rarog_tally_function *function;
	const char *title;
	double key;
};

static double key_of(const struct rarog_tally_function *function, enum rarog_show_sort sort)
{
	if (sort == RAROG_SORT_NAME)
		return 0;
	if (sort == RAROG_SORT_COUNT)
		return (double)function->calls;
	if (sort == RAROG_SORT_EXCLUSIVE)
		return (double)function->ticks;
	if (sort == RAROG_SORT_MEAN)
		return function->calls ? (double)function->instructions / (double)function->calls
				       : 0;
	return (double)function->instructions;
}

static int largest_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order;

	if (x->key < y->key || x->key > y->key)
		return x->key < y->key ? 1 : -1;
	order = strcmp(x->title, y->title);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

int rarog_show_counted(const struct rarog_show *show, struct rarog_tally_function ***ret_functions,
		       size_t *ret_n)
{
	rarog_cleanup(rarog_freep) struct entry *entries =
		calloc(show->tally.n + 1, sizeof(*entries));
	struct rarog_tally_function **functions = calloc(show->tally.n + 1, sizeof(*functions));
	size_t n = 0;

	if (!entries || !functions) {
		free(functions);
		return rarog_oom();
	}
	for (size_t i = 0; i < show->tally.n; i++) {
		struct rarog_tally_function *function = &show->tally.functions[i];
		const struct rarog_location *location = &show->run.locations[function->location];

		if (rarog_show_matches(show, location))
			entries[n++] = (struct entry){ function, rarog_location_title(location),
						       key_of(function, show->options.sort) };
	}
	qsort(entries, n, sizeof(*entries), largest_first);
	for (size_t i = 0; i < n; i++)
		functions[i] = entries[i].function;
	*ret_functions = functions;
	*ret_n = n;
	return 0;
}
