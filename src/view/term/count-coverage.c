/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coverage on a page: how much of each source file ran, that with the most lines that never did
 * first, and of all together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/coverage.h"
#include "view/optimised.h"
#include "view/stale.h"
#include "view/term/views.h"

enum column {
	LINE_SHARE,
	LINES,
	LINES_EXECUTED,
	BRANCH_SHARE,
	BRANCHES,
	BRANCHES_TAKEN,
	FUNCTIONS,
	FUNCTIONS_EXECUTED,
	BLOCKS,
	BLOCKS_EXECUTED,
	FILE_,
	N_COLUMNS
};

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[LINE_SHARE] = { RAROG_FACT_SHARE, "reached", "line_share", false },
	[LINES] = { RAROG_FACT_COUNT, "of lines", "lines", false },
	[LINES_EXECUTED] = { RAROG_FACT_COUNT, NULL, "lines_executed", false },
	[BRANCH_SHARE] = { RAROG_FACT_SHARE, "taken", "branch_share", false },
	[BRANCHES] = { RAROG_FACT_COUNT, "of branches", "branches", false },
	[BRANCHES_TAKEN] = { RAROG_FACT_COUNT, NULL, "branches_taken", false },
	[FUNCTIONS] = { RAROG_FACT_COUNT, "functions", "functions", false },
	[FUNCTIONS_EXECUTED] = { RAROG_FACT_COUNT, "ran", "functions_executed", false },
	[BLOCKS] = { RAROG_FACT_COUNT, NULL, "blocks", false },
	[BLOCKS_EXECUTED] = { RAROG_FACT_COUNT, NULL, "blocks_executed", false },
	[FILE_] = { RAROG_FACT_TEXT, "source file", "file", true },
};

struct row {
	const char *file; /* NULL: all of them */
	struct rarog_covered_sums sums;
};

struct rows {
	RAROG_VEC(struct row) list;
	struct rarog_covered_sums all;
};

static bool is_wanted(const void *show, const struct rarog_location *location)
{
	return rarog_show_matches(show, location);
}

static void add_sums(struct rarog_covered_sums *to, const struct rarog_covered_sums *sums)
{
	to->functions += sums->functions;
	to->functions_executed += sums->functions_executed;
	to->lines += sums->lines;
	to->lines_executed += sums->lines_executed;
	to->branches += sums->branches;
	to->branches_taken += sums->branches_taken;
	to->blocks += sums->blocks;
	to->blocks_executed += sums->blocks_executed;
}

static int gather(const struct rarog_show *show, const struct rarog_coverage *coverage,
		  struct rows *rows)
{
	struct rarog_coverage_position at = { 0 };
	struct row row;

	while ((row.file = rarog_coverage_next_file(coverage, &at, is_wanted, show, &row.sums))) {
		if (row.sums.functions == 0 && row.sums.lines == 0)
			continue;
		add_sums(&rows->all, &row.sums);
		if (rarog_vec_push(&rows->list, row) < 0)
			return rarog_oom();
	}
	return 0;
}

static int most_missed_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	size_t missed = x->sums.lines - x->sums.lines_executed;
	size_t other = y->sums.lines - y->sums.lines_executed;

	if (missed != other)
		return missed < other ? 1 : -1;
	return strcmp(x->file, y->file);
}

static int add_row(const struct rarog_show *show, struct rarog_sheet *sheet, const struct row *row)
{
	const struct rarog_covered_sums *sums = &row->sums;
	bool is_table = show->options.format == RAROG_SHEET_TABLE;
	const char *base = row->file ? strrchr(row->file, '/') : NULL;
	enum rarog_style style = row->file ? RAROG_STYLE_PLAIN : RAROG_STYLE_BOLD;
	const struct rarog_value values[N_COLUMNS] = {
		[LINE_SHARE] = { .number = sums->lines_executed,
				 .whole = sums->lines,
				 .is_null = sums->lines == 0,
				 .style = style },
		[LINES] = { .number = sums->lines },
		[LINES_EXECUTED] = { .number = sums->lines_executed },
		[BRANCH_SHARE] = { .number = sums->branches_taken,
				   .whole = sums->branches,
				   .is_null = sums->branches == 0,
				   .style = style },
		[BRANCHES] = { .number = sums->branches },
		[BRANCHES_TAKEN] = { .number = sums->branches_taken },
		[FUNCTIONS] = { .number = sums->functions },
		[FUNCTIONS_EXECUTED] = { .number = sums->functions_executed },
		[BLOCKS] = { .number = sums->blocks },
		[BLOCKS_EXECUTED] = { .number = sums->blocks_executed },
		[FILE_] = { .text = !row->file                                 ? "all"
				    : is_table && base && !show->options.lines ? base + 1
									       : row->file,
			    .style = style },
	};

	return rarog_sheet_add(sheet, values);
}

/* @key: of the JSON. Only tables have the sum among the rows. */
static int print_rows(struct rarog_show *show, size_t n, const struct row rows[n], const char *key)
{
	struct rarog_sheet sheet = { 0 };
	int r = rarog_show_sheet(show, &sheet, N_COLUMNS, columns, key);

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_row(show, &sheet, &rows[i]);
	return rarog_show_sheet_end(show, &sheet, r);
}

/* A table ends with the sum of all files, also of those that it leaves out. */
static int print(struct rarog_show *show, struct rows *rows)
{
	size_t n = rows->list.n, limit = show->options.limit;
	size_t n_left_out = limit > 0 && limit < n ? n - limit : 0;
	bool is_table = show->options.format == RAROG_SHEET_TABLE;
	const struct row all = { .sums = rows->all };
	int r;

	n -= n_left_out;
	rows->list.n = n;
	if (is_table && n > 1 && rarog_vec_push(&rows->list, all) < 0)
		return rarog_oom();
	r = print_rows(show, rows->list.n, rows->list.v, "coverage");
	if (r == 0 && show->options.format == RAROG_SHEET_JSON)
		r = print_rows(show, 1, &all, "coverage_of_all");
	if (n_left_out > 0)
		rarog_show_note(show, "%zu more source file%s; -n 0 shows all", n_left_out,
				n_left_out == 1 ? "" : "s");
	if (n == 0)
		rarog_show_note(show, "no source files are known; compile with -g");
	return r;
}

static int show_coverage(struct rarog_show *show)
{
	rarog_cleanup(rarog_coverage_release) struct rarog_coverage coverage = { 0 };
	struct rows rows = { 0 };
	int r = rarog_coverage_read(show->run.profile, &coverage);

	rarog_optimised_warn(show->run.profile);
	if (r == 0)
		r = rarog_stale_warn(show->run.profile);
	if (r == 0)
		r = gather(show, &coverage, &rows);
	if (rows.list.n > 1)
		qsort(rows.list.v, rows.list.n, sizeof(*rows.list.v), most_missed_first);
	if (r == 0)
		r = print(show, &rows);
	rarog_vec_release(&rows.list);
	return r;
}

const struct rarog_view rarog_view_coverage = {
	.run_blocks = show_coverage,
	.lack = "nothing of what did not run",
};
