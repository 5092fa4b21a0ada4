/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths through functions by the instructions on them, of all functions together. */
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "blocks/paths.h"
#include "view/term/views.h"
#include "view/text.h"

enum column {
	INSTRUCTIONS,
	SHARE,
	OF_FUNCTION,
	COUNT,
	SIZE,
	FUNCTION,
	BINARY,
	FILE_,
	STEPS,
	BLOCKS,
	NEXT,
	LINES,
	N_COLUMNS
};

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[INSTRUCTIONS] = { RAROG_FACT_COUNT, "instructions", "instructions", false },
	[SHARE] = { RAROG_FACT_SHARE, "share", "share", false },
	[OF_FUNCTION] = { RAROG_FACT_SHARE, "of function", "share_of_function", false },
	[COUNT] = { RAROG_FACT_COUNT, "taken", "count", false },
	[SIZE] = { RAROG_FACT_COUNT, "each", "size", false },
	[FUNCTION] = { RAROG_FACT_TEXT, "function", "function", true },
	[BINARY] = { RAROG_FACT_TEXT, NULL, "binary", false },
	[FILE_] = { RAROG_FACT_TEXT, NULL, "file", false },
	[STEPS] = { RAROG_FACT_TEXT, "blocks", NULL, true },
	[BLOCKS] = { RAROG_FACT_TEXT, NULL, "blocks", false },
	[NEXT] = { RAROG_FACT_ID, NULL, "next", false },
	[LINES] = { RAROG_FACT_TEXT, "lines", "lines", true },
};

struct rows {
	RAROG_VEC(struct rarog_path_steps) list;
	uint64_t uncounted; /* functions without */
	const struct rarog_tally_function *first_uncounted;
};

static const struct rarog_location *location_of(const struct rarog_show *show,
						const struct rarog_tally_function *function)
{
	return &show->run.locations[function->location];
}

static int collect(const struct rarog_show *show, struct rows *rows)
{
	struct rarog_path_list paths;
	struct rarog_path_steps steps;
	int r = rarog_path_list_read(show->run.profile, &paths);

	while (r == 0 && (r = rarog_path_list_next(&paths, &show->tally, &steps)) > 0) {
		r = 0;
		if (!rarog_show_matches(show, location_of(show, steps.function)))
			continue;
		if (steps.path->count > 0) {
			r = rarog_vec_push(&rows->list, steps) == 0 ? 0 : rarog_oom();
		} else if (steps.function->n_executed > 0 && rows->uncounted++ == 0) {
			rows->first_uncounted = steps.function;
		}
	}
	return r;
}

static uint32_t step(const struct rarog_path_steps *steps, uint32_t i)
{
	return i == 0 ? steps->path->block : steps->more[i - 1].block;
}

/* "0 2 5", numbers in the function. */
static int write_blocks(const struct rarog_path_steps *steps, struct rarog_str *text)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i <= steps->path->n_more; i++)
		r = rarog_str_addf(text, "%s%u", i == 0 ? "" : " ",
				   step(steps, i) - steps->function->first);
	return r;
}

/* "0 2 5 → 1": where the next path begins. */
static int write_steps(const struct rarog_show *show, const struct rarog_path_steps *steps,
		       struct rarog_str *text)
{
	int r = write_blocks(steps, text);

	if (r == 0 && steps->path->next != RAROG_NONE)
		r = rarog_str_addf(text, " %s %u", show->options.ascii ? "->" : "→",
				   steps->path->next - steps->function->first);
	return r;
}

/* "4 7 5": the first of each block, where it is another than the one before. */
static int write_lines(const struct rarog_show *show, const struct rarog_path_steps *steps,
		       struct rarog_str *text)
{
	uint32_t before = 0;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i <= steps->path->n_more; i++) {
		uint32_t line = show->tally.blocks[step(steps, i)].line;

		if (line != 0 && line != before)
			r = rarog_str_addf(text, "%s%u", before ? " " : "", line);
		before = line != 0 ? line : before;
	}
	return r;
}

static int add_row(const struct rarog_show *show, struct rarog_sheet *sheet,
		   const struct rarog_path_steps *steps)
{
	rarog_cleanup(rarog_str_release) struct rarog_str blocks = { 0 }, way = { 0 },
							  lines = { 0 };
	const struct rarog_location *location = location_of(show, steps->function);
	const struct rarog_path *path = steps->path;
	int r = write_blocks(steps, &blocks);

	if (r == 0)
		r = write_steps(show, steps, &way);
	if (r == 0)
		r = write_lines(show, steps, &lines);
	if (r < 0)
		return r;
	const struct rarog_value values[N_COLUMNS] = {
		[INSTRUCTIONS] = { .number = steps->instructions },
		[SHARE] = { .number = steps->instructions, .whole = show->tally.instructions },
		[OF_FUNCTION] = { .number = steps->instructions,
				  .whole = steps->function->instructions },
		[COUNT] = { .number = path->count },
		[SIZE] = { .number = steps->size },
		[FUNCTION] = { .text = rarog_location_title(location) },
		[BINARY] = { .text = rarog_run_binary(&show->run, location) },
		[FILE_] = { .text = location->file },
		[STEPS] = { .text = rarog_str_text(&way) },
		[BLOCKS] = { .text = rarog_str_text(&blocks) },
		[NEXT] = { .number = path->next - steps->function->first,
			   .is_null = path->next == RAROG_NONE },
		[LINES] = { .text = rarog_str_text(&lines) },
	};

	return rarog_sheet_add(sheet, values);
}

static void print_rest(struct rarog_show *show, const struct rows *rows, size_t n)
{
	if (rows->list.n == 0 && rows->uncounted == 0)
		rarog_show_note(show, "no paths; compile with rarog cc --rarog-paths");
	if (rows->list.n > n)
		rarog_show_note(show, "%zu more paths; -n 0 shows all", rows->list.n - n);
	if (rows->uncounted > 0)
		rarog_show_note(
			show,
			"in %llu functions that ran no paths were counted (%s …): they have too "
			"many, or call setjmp",
			(unsigned long long)rows->uncounted,
			rarog_location_title(location_of(show, rows->first_uncounted)));
}

static int print(struct rarog_show *show, const struct rows *rows)
{
	const struct rarog_show_options *options = &show->options;
	struct rarog_sheet sheet = { 0 };
	size_t n = rows->list.n;
	int r = rarog_show_sheet(show, &sheet, N_COLUMNS, columns, "paths");

	if (options->limit > 0 && options->limit < n)
		n = options->limit;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_row(show, &sheet, &rows->list.v[i]);
	r = rarog_show_sheet_end(show, &sheet, r);
	print_rest(show, rows, n);
	return r;
}

static int show_paths(struct rarog_show *show)
{
	struct rows rows = { 0 };
	int r = collect(show, &rows);

	if (rows.list.n > 1)
		qsort(rows.list.v, rows.list.n, sizeof(*rows.list.v), rarog_path_heaviest_first);
	if (r == 0)
		r = print(show, &rows);
	rarog_vec_release(&rows.list);
	return r;
}

const struct rarog_view rarog_view_paths = {
	.run_blocks = show_paths,
	.lack = "no ways between blocks, so no paths",
};
