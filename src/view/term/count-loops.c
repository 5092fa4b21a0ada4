/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops by the instructions inside them, of all functions together. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "blocks/trips.h"
#include "view/term/sparkline.h"
#include "view/term/views.h"
#include "view/text.h"

enum column {
	INSTRUCTIONS,
	SHARE,
	OWN,
	ENTRIES,
	ITERATIONS,
	MEAN,
	MIN,
	MAX,
	DRAWN,
	DEPTH,
	FUNCTION,
	BINARY,
	FILE_,
	LINE,
	ID,
	PARENT,
	HEADER,
	BLOCKS,
	REDUCIBLE,
	UNROLLED,
	ENDED,
	HISTOGRAM,
	N_COLUMNS
};

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[INSTRUCTIONS] = { RAROG_FACT_COUNT, "instructions", "instructions", false },
	[SHARE] = { RAROG_FACT_SHARE, "share", "share", false },
	[OWN] = { RAROG_FACT_COUNT, NULL, "own_instructions", false },
	[ENTRIES] = { RAROG_FACT_COUNT, "entries", "entries", false },
	[ITERATIONS] = { RAROG_FACT_COUNT, "iterations", "iterations", false },
	[MEAN] = { RAROG_FACT_RATIO, "per entry", "iterations_per_entry", false },
	[MIN] = { RAROG_FACT_COUNT, "least", "least_per_entry", false },
	[MAX] = { RAROG_FACT_COUNT, "most", "most_per_entry", false },
	[DRAWN] = { RAROG_FACT_DRAWN, "1 2 4 8 …", NULL, false },
	[DEPTH] = { RAROG_FACT_ID, "depth", "depth", false },
	[FUNCTION] = { RAROG_FACT_TEXT, "function", "function", true },
	[BINARY] = { RAROG_FACT_TEXT, NULL, "binary", false },
	[FILE_] = { RAROG_FACT_TEXT, NULL, "file", false },
	[LINE] = { RAROG_FACT_ID, "line", "line", false },
	[ID] = { RAROG_FACT_ID, NULL, "id", false },
	[PARENT] = { RAROG_FACT_ID, NULL, "parent", false },
	[HEADER] = { RAROG_FACT_ID, "block", "header", false },
	[BLOCKS] = { RAROG_FACT_COUNT, "blocks", "blocks", false },
	[REDUCIBLE] = { RAROG_FACT_TEXT, NULL, "kind", false },
	[UNROLLED] = { RAROG_FACT_COUNT, NULL, "unrolled", false },
	[ENDED] = { RAROG_FACT_COUNT, NULL, "entries_ended", false },
	[HISTOGRAM] = { RAROG_FACT_TEXT, NULL, "histogram", false },
};

struct row {
	const struct rarog_tally_function *function;
	struct rarog_loop loop;
	uint32_t id; /* in the function */
};

struct rows {
	RAROG_VEC(struct row) list;
};

static int add_loops(const struct rarog_show *show, const struct rarog_tally_function *function,
		     struct rows *rows)
{
	rarog_cleanup(rarog_loops_release) struct rarog_loops loops = { 0 };
	int r = rarog_loops_find(&show->tally, function, &loops);

	for (size_t i = 0; r == 0 && i < loops.list.n; i++)
		if (rarog_vec_push(&rows->list,
				   (struct row){ function, loops.list.v[i], (uint32_t)i }) < 0)
			r = rarog_oom();
	return r;
}

static int heaviest_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->loop.instructions != y->loop.instructions)
		return x->loop.instructions < y->loop.instructions ? 1 : -1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* --- the rounds of entries --- */

struct trips {
	const struct rarog_trips *of; /* NULL: not counted */
	uint64_t least, most;
	bool is_known; /* both are */
	char drawn[3 * (RAROG_TRIPS_LAST + 1) + 1];
	char histogram[(RAROG_TRIPS_LAST + 1) * 40]; /* "1:25 2:50": from so many rounds on */
};

static void write_histogram(struct trips *trips, size_t n,
			    const struct rarog_trip_bucket buckets[n])
{
	size_t at = 0;

	for (size_t i = 0; i < n && i <= RAROG_TRIPS_LAST; i++)
		at += (size_t)snprintf(trips->histogram + at, sizeof(trips->histogram) - at,
				       "%s%" PRIu64 ":%" PRIu64, i == 0 ? "" : " ",
				       UINT64_C(1) << (buckets[i].log2 & 63), buckets[i].entries);
}

static void find_trips(const struct rarog_show *show, const struct row *row, struct trips *trips)
{
	uint64_t cells[RAROG_TRIPS_LAST + 1] = { 0 };
	const struct rarog_trip_bucket *buckets;
	size_t n = 0, used = 0;

	*trips = (struct trips){ .of = rarog_trips_of(&show->tally, row->function, &row->loop) };
	trips->is_known = rarog_trips_extent(&show->tally, row->function, &row->loop, &trips->least,
					     &trips->most);
	if (!trips->of)
		return;
	n = rarog_trips_buckets(&show->tally, trips->of, &buckets);
	for (size_t i = 0; i < n; i++) {
		cells[buckets[i].log2] += buckets[i].entries;
		used = buckets[i].log2 + 1 > used ? buckets[i].log2 + 1 : used;
	}
	rarog_sparkline_draw(used, cells, show->options.ascii, trips->drawn);
	write_histogram(trips, n, buckets);
}

static int add_row(const struct rarog_show *show, struct rarog_sheet *sheet, const struct row *row)
{
	const struct rarog_location *location = &show->run.locations[row->function->location];
	const struct rarog_loop *loop = &row->loop;
	uint32_t copies = rarog_tally_copies(&show->tally, row->function->first + loop->header);
	struct trips trips;

	find_trips(show, row, &trips);
	const struct rarog_value values[N_COLUMNS] = {
		[INSTRUCTIONS] = { .number = loop->instructions },
		[SHARE] = { .number = loop->instructions, .whole = show->tally.instructions },
		[OWN] = { .number = loop->own },
		[ENTRIES] = { .number = loop->entries, .is_null = !loop->is_known },
		[ITERATIONS] = { .number = loop->iterations },
		[MEAN] = { .number = loop->iterations,
			   .whole = loop->entries,
			   .is_null = !loop->is_known },
		[MIN] = { .number = trips.least, .is_null = !trips.is_known },
		[MAX] = { .number = trips.most, .is_null = !trips.is_known },
		[DRAWN] = { .text = trips.drawn },
		[ENDED] = { .number = trips.of ? trips.of->entries : 0, .is_null = !trips.of },
		[HISTOGRAM] = { .text = trips.histogram, .is_null = !trips.of },
		[DEPTH] = { .number = loop->depth },
		[FUNCTION] = { .text = rarog_location_title(location) },
		[BINARY] = { .text = rarog_run_binary(&show->run, location) },
		[FILE_] = { .text = loop->file ? loop->file : location->file },
		[LINE] = { .number = loop->line, .is_null = loop->line == 0 },
		[ID] = { .number = row->id },
		[PARENT] = { .number = loop->parent, .is_null = loop->parent == RAROG_NONE },
		[HEADER] = { .number = loop->header },
		[BLOCKS] = { .number = loop->n_blocks },
		[REDUCIBLE] = { .text = loop->is_irreducible ? "irreducible" : "natural" },
		[UNROLLED] = { .number = copies, .is_null = copies == 0 },
	};

	return rarog_sheet_add(sheet, values);
}

/* Nobody wants to see columns of dashes. */
static void choose_columns(const struct rarog_show *show, const struct rows *rows,
			   struct rarog_sheet_fact chosen[N_COLUMNS])
{
	memcpy(chosen, columns, sizeof(columns));
	for (size_t i = 0; i < rows->list.n; i++) {
		const struct row *row = &rows->list.v[i];

		if (row->loop.is_irreducible)
			chosen[REDUCIBLE].title = "kind";
		if (rarog_tally_copies(&show->tally, row->function->first + row->loop.header) > 1)
			chosen[UNROLLED].title = "unrolled";
	}
	if (show->tally.n_parts > 0 && show->tally.n_origins == 0) /* it may be another's */
		chosen[FILE_].title = "file";
	if (show->tally.n_trips > 0) {
		if (show->options.ascii)
			chosen[DRAWN].title = "1 2 4 8 ...";
		return;
	}
	chosen[MIN].title = chosen[MAX].title = chosen[DRAWN].title = NULL;
}

static int print(struct rarog_show *show, const struct rows *rows)
{
	const struct rarog_show_options *options = &show->options;
	struct rarog_sheet_fact chosen[N_COLUMNS];
	struct rarog_sheet sheet = { 0 };
	size_t n = rows->list.n;
	int r;

	choose_columns(show, rows, chosen);
	r = rarog_show_sheet(show, &sheet, N_COLUMNS, chosen, "loops");
	if (options->limit > 0 && options->limit < n)
		n = options->limit;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_row(show, &sheet, &rows->list.v[i]);
	r = rarog_show_sheet_end(show, &sheet, r);
	if (rows->list.n == 0)
		rarog_show_note(show, "no loops");
	if (rows->list.n > n)
		rarog_show_note(show, "%zu more loops; -n 0 shows all", rows->list.n - n);
	return r;
}

static int show_loops(struct rarog_show *show)
{
	rarog_cleanup(rarog_freep) struct rarog_tally_function **functions = NULL;
	struct rows rows = { 0 };
	size_t n = 0;
	int r = rarog_show_counted(show, &functions, &n);

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_loops(show, functions[i], &rows);
	if (rows.list.n > 1)
		qsort(rows.list.v, rows.list.n, sizeof(*rows.list.v), heaviest_first);
	if (r == 0)
		r = print(show, &rows);
	rarog_vec_release(&rows.list);
	return r;
}

const struct rarog_view rarog_view_loops = {
	.run_blocks = show_loops,
	.lack = "no ways between blocks, so no loops",
	.has_ways = true,
};
