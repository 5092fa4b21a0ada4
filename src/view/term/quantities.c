/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Amounts that are no time, below the functions; nothing where there are none. */
#include "base/error.h"
#include "view/term/show.h"
#include "view/text.h"

enum column { NAME, FILE_, LINE, WHAT, COUNT, SUM, MIN, MAX, UNIT, N_COLUMNS };

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[NAME] = { RAROG_FACT_TEXT, "function", "name", true },
	[FILE_] = { RAROG_FACT_TEXT, NULL, "file", false },
	[LINE] = { RAROG_FACT_ID, NULL, "line", false },
	[WHAT] = { RAROG_FACT_TEXT, "what", "what", false },
	[COUNT] = { RAROG_FACT_COUNT, "count", "count", false },
	[SUM] = { RAROG_FACT_COUNT, "sum", "sum", false },
	[MIN] = { RAROG_FACT_COUNT, "min", "min", false },
	[MAX] = { RAROG_FACT_COUNT, "max", "max", false },
	[UNIT] = { RAROG_FACT_TEXT, "unit", "unit", false },
};

static int largest_first(const void *a, const void *b)
{
	const struct rarog_quantity *const *x = a, *const *y = b;

	if ((*x)->sum != (*y)->sum)
		return (*x)->sum < (*y)->sum ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

static int add_row(const struct rarog_show *show, struct rarog_sheet *sheet,
		   const struct rarog_quantity *q)
{
	const struct rarog_location *location = &show->run.locations[q->location];
	const struct rarog_value values[N_COLUMNS] = {
		[NAME] = { .text = rarog_location_title(location) },
		[FILE_] = { .text = location->file },
		[LINE] = { .is_null = location->line == 0, .number = location->line },
		[WHAT] = { .text = q->what },
		[COUNT] = { .number = q->count },
		[SUM] = { .number = q->sum },
		[MIN] = { .number = q->min },
		[MAX] = { .number = q->max },
		[UNIT] = { .text = q->unit },
	};

	return rarog_sheet_add(sheet, values);
}

static int print(struct rarog_show *show, size_t n, const struct rarog_quantity *order[n])
{
	struct rarog_sheet sheet = { 0 };
	size_t most = show->options.limit ? show->options.limit : n, shown = 0;
	int r = rarog_show_sheet(show, &sheet, N_COLUMNS, columns, "quantities");

	for (size_t i = 0; r == 0 && i < n && shown < most; i++) {
		if (order[i]->location >= show->run.n_locations ||
		    !rarog_show_matches(show, &show->run.locations[order[i]->location]))
			continue;
		r = add_row(show, &sheet, order[i]);
		shown++;
	}
	return rarog_show_sheet_end(show, &sheet, r);
}

int rarog_show_quantities(struct rarog_show *show)
{
	rarog_cleanup(rarog_freep) const struct rarog_quantity **order = NULL;
	const struct rarog_quantity *quantities;
	long n = rarog_profile_quantities(show->run.profile, &quantities);

	if (n <= 0 || show->options.format == RAROG_SHEET_CSV)
		return n < 0 ? (int)n : 0;
	order = calloc((size_t)n, sizeof(*order));
	if (!order)
		return rarog_oom();
	for (long i = 0; i < n; i++)
		order[i] = &quantities[i];
	qsort(order, (size_t)n, sizeof(*order), largest_first);
	if (show->options.format == RAROG_SHEET_TABLE)
		fputs("\n", show->out);
	return print(show, (size_t)n, order);
}
