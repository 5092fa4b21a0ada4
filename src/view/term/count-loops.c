/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops by the instructions inside them, of all functions together. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "blocks/loops.h"
#include "view/term/show.h"
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
	N_COLUMNS
};

static const struct rarog_fact columns[N_COLUMNS] = {
	[INSTRUCTIONS] = { RAROG_FACT_COUNT, "instructions", "instructions", false },
	[SHARE] = { RAROG_FACT_SHARE, "share", "share", false },
	[OWN] = { RAROG_FACT_COUNT, NULL, "own_instructions", false },
	[ENTRIES] = { RAROG_FACT_COUNT, "entries", "entries", false },
	[ITERATIONS] = { RAROG_FACT_COUNT, "iterations", "iterations", false },
	[MEAN] = { RAROG_FACT_RATIO, "per entry", "iterations_per_entry", false },
	[MIN] = { RAROG_FACT_COUNT, NULL, "least_per_entry", false },
	[MAX] = { RAROG_FACT_COUNT, NULL, "most_per_entry", false },
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

static int add_row(const struct rarog_show *show, struct rarog_sheet *sheet, const struct row *row)
{
	const struct rarog_location *location = &show->run.locations[row->function->location];
	const struct rarog_loop *loop = &row->loop;
	uint64_t each = 0;
	bool is_known = rarog_loop_extent(loop, &each);
	const struct rarog_value values[N_COLUMNS] = {
		[INSTRUCTIONS] = { .number = loop->instructions },
		[SHARE] = { .number = loop->instructions, .whole = show->tally.instructions },
		[OWN] = { .number = loop->own },
		[ENTRIES] = { .number = loop->entries, .is_null = !loop->is_known },
		[ITERATIONS] = { .number = loop->iterations },
		[MEAN] = { .number = loop->iterations,
			   .whole = loop->entries,
			   .is_null = !loop->is_known },
		[MIN] = { .number = each, .is_null = !is_known },
		[MAX] = { .number = each, .is_null = !is_known },
		[DEPTH] = { .number = loop->depth },
		[FUNCTION] = { .text = rarog_location_title(location) },
		[BINARY] = { .text = rarog_run_binary(&show->run, location) },
		[FILE_] = { .text = location->file },
		[LINE] = { .number = loop->line, .is_null = loop->line == 0 },
		[ID] = { .number = row->id },
		[PARENT] = { .number = loop->parent, .is_null = loop->parent == RAROG_NONE },
		[HEADER] = { .number = loop->header },
		[BLOCKS] = { .number = loop->n_blocks },
		[REDUCIBLE] = { .text = loop->is_irreducible ? "irreducible" : "natural" },
	};

	return rarog_sheet_add(sheet, values);
}

static int print(struct rarog_show *show, const struct rows *rows)
{
	const struct rarog_show_options *options = &show->options;
	struct rarog_sheet sheet = { .ascii = options->ascii };
	size_t n = rows->list.n;
	int r = rarog_sheet_begin(&sheet, options->format, N_COLUMNS, columns, show->out,
				  &show->json, "loops");

	if (options->limit > 0 && options->limit < n)
		n = options->limit;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_row(show, &sheet, &rows->list.v[i]);
	if (r == 0)
		r = rarog_sheet_end(&sheet, options->width, options->colour);
	rarog_sheet_release(&sheet);
	if (rows->list.n == 0)
		rarog_show_note(show, "no loops");
	if (rows->list.n > n)
		rarog_show_note(show, "%zu more loops; -n 0 shows all", rows->list.n - n);
	return r;
}

int rarog_show_loops(struct rarog_show *show)
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
