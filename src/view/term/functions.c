/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of functions. It comes from the summaries alone: no call is read, so that a profile of
 * ten million calls prints as fast as one of ten.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "profile/off-cpu.h"
#include "profile/statistics.h"
#include "view/term/columns.h"
#include "view/term/function-rows.h"
#include "view/term/node-amounts.h"
#include "view/term/pruned.h"
#include "view/term/sparkline.h"
#include "view/term/views.h"
#include "view/text.h"

struct functions {
	struct rarog_show *show;
	struct rarog_function_rows rows;
	struct rarog_axis axis;
	char axis_title[48];
};

static void draw_axis(struct functions *f)
{
	const struct rarog_show *show = f->show;

	for (size_t i = 0; i < f->rows.n_shown; i++)
		rarog_axis_add(&f->axis, show->run.clock, &f->rows.v[i].s);
	rarog_axis_round(&f->axis);
	rarog_axis_title(&f->axis, show->options.ascii, sizeof(f->axis_title), f->axis_title);
}

static uint64_t ns(const struct functions *f, uint64_t ticks)
{
	return rarog_clock_ns(f->show->run.clock, ticks);
}

static struct rarog_value time_value(const struct functions *f, const struct rarog_summary *s,
				     uint64_t ticks)
{
	return (struct rarog_value){ .is_null = s->timed == 0 && s->total == 0,
				     .number = ns(f, ticks) };
}

static struct rarog_value quantile(const struct functions *f, const struct rarog_summary *s,
				   unsigned percent)
{
	uint64_t ticks = 0;
	bool is_known = rarog_quantile_ticks(s, percent, &ticks);

	return (struct rarog_value){ .is_null = !is_known, .number = ns(f, ticks) };
}

/* The columns, in the order in which they stand. --columns names them; without it a column is
 * shown when the terminal has at least @from_width columns (RAROG_COLUMN_NEVER: only by name). */
#define NAME_WIDTH 40 /* longer C++ names are shown without arguments on a terminal */

enum column {
	EXCLUSIVE,
	SHARE,
	CPU,
	TOTAL,
	CALLS,
	MIN,
	MEAN,
	P50,
	P99,
	MAX,
	HISTOGRAM,
	BAR,
	NAME,
	MANGLED,
	BINARY,
	FILE_,
	LINE,
	ADDRESS,
	PLACE,
	SUM,
	TIMED,
	OPEN,
	UNWOUND,
	CPU_TOTAL,
	WAITED,
	PREEMPTED,
	TOTAL_LEAST,
	TOTAL_MOST,
	AT_LEAST,
	POOLED,
	NO_TOTAL,
	SAMPLES,
	N_COLUMNS,
};

static const struct rarog_sheet_column columns[N_COLUMNS] = {
	[EXCLUSIVE] = { "exclusive",
			0,
			{ RAROG_FACT_NS, "exclusive", "exclusive_ns", false },
			true },
	[SHARE] = { "share", 0, { RAROG_FACT_SHARE, "share", "share", false }, true },
	[CPU] = { "cpu", 85, { RAROG_FACT_NS, "cpu", "cpu_ns", false }, true },
	[TOTAL] = { "total", 0, { RAROG_FACT_NS, "total", "total_ns", false }, true },
	[CALLS] = { "calls", 0, { RAROG_FACT_COUNT, "calls", "count", false } },
	[SAMPLES] = { "samples", 0, { RAROG_FACT_COUNT, "samples", "samples", false } },
	[MIN] = { "min", 130, { RAROG_FACT_NS, "min", "min_ns", false }, true },
	[MEAN] = { "mean", 75, { RAROG_FACT_NS, "mean", "mean_ns", false }, true },
	[P50] = { "p50", RAROG_COLUMN_NEVER, { RAROG_FACT_NS, "p50", "p50_ns", false }, true },
	[P99] = { "p99", RAROG_COLUMN_NEVER, { RAROG_FACT_NS, "p99", "p99_ns", false }, true },
	[MAX] = { "max", 115, { RAROG_FACT_NS, "max", "max_ns", false }, true },
	[HISTOGRAM] = { "histogram", 95, { RAROG_FACT_DRAWN, "durations", NULL, false }, true },
	[BAR] = { "bar", RAROG_COLUMN_NEVER, { RAROG_FACT_BAR, "", NULL, false } },
	[NAME] = { "function", 0, { RAROG_FACT_TEXT, "function", "name", true } },
	[MANGLED] = { "mangled",
		      RAROG_COLUMN_NEVER,
		      { RAROG_FACT_TEXT, "mangled", "mangled", false } },
	[BINARY] = { "binary", RAROG_COLUMN_NEVER, { RAROG_FACT_TEXT, "binary", "binary", false } },
	[FILE_] = { "file", RAROG_COLUMN_NEVER, { RAROG_FACT_TEXT, "file", "file", false } },
	[LINE] = { NULL, 0, { RAROG_FACT_ID, NULL, "line", false } },
	[ADDRESS] = { "address",
		      RAROG_COLUMN_NEVER,
		      { RAROG_FACT_ID, "address", "address", false } },
	[PLACE] = { "line", RAROG_COLUMN_NEVER, { RAROG_FACT_TEXT, "line", NULL, false } },
	[SUM] = { "sum", RAROG_COLUMN_NEVER, { RAROG_FACT_NS, "sum", "sum_ns", false }, true },
	[TIMED] = { "timed", RAROG_COLUMN_NEVER, { RAROG_FACT_COUNT, "timed", "timed", false } },
	[OPEN] = { "open", RAROG_COLUMN_NEVER, { RAROG_FACT_COUNT, "open", "open", false } },
	[UNWOUND] = { "unwound",
		      RAROG_COLUMN_NEVER,
		      { RAROG_FACT_COUNT, "unwound", "unwound", false } },
	[CPU_TOTAL] = { "cpu-total",
			RAROG_COLUMN_NEVER,
			{ RAROG_FACT_NS, "cpu-total", "cpu_total_ns", false },
			true },
	[WAITED] = { "waited",
		     RAROG_COLUMN_NEVER,
		     { RAROG_FACT_NS, "waited", "waited_ns", false },
		     true },
	[TOTAL_LEAST] = { NULL, 0, { RAROG_FACT_NS, NULL, "total_least_ns", false } },
	[TOTAL_MOST] = { NULL, 0, { RAROG_FACT_NS, NULL, "total_most_ns", false } },
	[AT_LEAST] = { NULL, 0, { RAROG_FACT_COUNT, NULL, "off_at_times", false } },
	[POOLED] = { NULL, 0, { RAROG_FACT_COUNT, NULL, "quantiles_pooled", false } },
	[NO_TOTAL] = { NULL, 0, { RAROG_FACT_TEXT, NULL, "no_total", false } },
	[PREEMPTED] = { "preempted",
			RAROG_COLUMN_NEVER,
			{ RAROG_FACT_NS, "preempted", "preempted_ns", false },
			true },
};

/* Calm by default: what takes a tenth of the time stands out, what takes nothing recedes. */
static enum rarog_style weight(const struct functions *f, const struct rarog_summary *s)
{
	if (!f->show->has_times || f->rows.is_sampled)
		return RAROG_STYLE_PLAIN;
	if (s->exclusive > 0 && s->exclusive >= f->rows.exclusive / 10)
		return RAROG_STYLE_BOLD;
	return s->exclusive < f->rows.exclusive / 200 ? RAROG_STYLE_DIM : RAROG_STYLE_PLAIN;
}

/* "pa.so"; @n_folders 1: "plugins/pa.so" */
static const char *end_of_path(const char *path, size_t n_folders)
{
	const char *at = path ? path + strlen(path) : NULL;

	while (at && at > path && (at[-1] != '/' || n_folders-- > 0))
		at--;
	return at;
}

/* Functions of the same name are told apart by file and line, by their binary where these are the
 * same or unknown, by its folder where two binaries have one name; versions of a symbol by address.
 */
static int add_place(const struct functions *f, const struct rarog_function_row *row,
		     struct rarog_str *title)
{
	const struct rarog_location *location = &f->show->run.locations[row->s.location];
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(location);
	const char *binary = end_of_path(rarog_run_binary(&f->show->run, location),
					 row->n_alike == RAROG_PLACE_BINARY);
	bool is_version = row->n_alike == RAROG_PLACE_PARTS;
	bool has_binary =
		binary && (place.length == 0 || (row->n_alike > RAROG_PLACE_SOURCE && !is_version));
	const char *words[] = { has_binary ? binary : NULL, place.length > 0 ? place.text : NULL };
	int r = rarog_str_add(title, " [");

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(words); i++)
		if (words[i])
			r = rarog_str_addf(title, "%s%s", i > 0 && words[0] ? " " : "", words[i]);
	if (r == 0 && (is_version || (!words[0] && !words[1])))
		r = rarog_str_addf(title, "%s0x%" PRIx64, words[0] || words[1] ? " " : "",
				   location->address);
	return r < 0 ? r : rarog_str_add(title, "]");
}

static int title_of(const struct functions *f, const struct rarog_function_row *row,
		    struct rarog_str *title)
{
	int r = rarog_str_add(title, row->title);

	/* the table would cut out the middle, and that is the name */
	if (r == 0 && f->show->options.width > 0 && f->show->options.format == RAROG_SHEET_TABLE)
		r = rarog_text_fit_name(title, NAME_WIDTH, f->show->options.ascii);
	return r < 0 || !row->is_twin || f->show->options.format != RAROG_SHEET_TABLE
		       ? r
		       : add_place(f, row, title);
}

static const char *why_no_total(const struct rarog_certainty *c, size_t location)
{
	if (!c->is_total_unknown[location])
		return NULL;
	return c->is_total_unsure[location] ? "unsure" : "recursive";
}

static void set_bounds(const struct functions *f, const struct rarog_summary *s,
		       struct rarog_value values[])
{
	const struct rarog_bound *total =
		s->strand == RAROG_NONE ? f->rows.certainty.total[s->location] : NULL;

	values[TOTAL_LEAST].is_null = values[TOTAL_MOST].is_null = true;
	values[POOLED].number = total != NULL;
	if (f->rows.certainty.is_total_unknown[s->location] &&
	    !f->rows.certainty.is_total_unsure[s->location])
		total = NULL;
	if (total)
		values[TOTAL_LEAST] = (struct rarog_value){ .number = ns(f, total->least) };
	if (total && total->most < UINT64_MAX && !f->rows.certainty.off[s->location])
		values[TOTAL_MOST] = (struct rarog_value){ .number = ns(f, total->most) };
	values[AT_LEAST].number = f->rows.certainty.off[s->location];
	values[NO_TOTAL].text = why_no_total(&f->rows.certainty, s->location);
}

static void set_times(const struct functions *f, const struct rarog_function_row *row,
		      struct rarog_value values[])
{
	const struct rarog_summary *s = &row->s;

	values[EXCLUSIVE] = time_value(f, s, s->exclusive);
	values[EXCLUSIVE].is_null |= f->rows.unknown[s->location] || s->timed < s->count;
	values[SHARE] =
		(struct rarog_value){ .is_null = values[EXCLUSIVE].is_null || f->rows.is_sampled,
				      .number = s->exclusive,
				      .whole = f->rows.exclusive };
	values[TOTAL] = time_value(f, s, s->total);
	values[TOTAL].is_null |= f->rows.certainty.is_total_unknown[s->location];
	values[CALLS].number = s->count;
	values[SAMPLES].number = s->count;
	values[MIN] = time_value(f, s, s->min);
	values[MEAN] = time_value(f, s, row->mean);
	values[P50] = quantile(f, s, 50);
	values[P99] = quantile(f, s, 99);
	values[MAX] = time_value(f, s, s->max);
	values[SUM] = time_value(f, s, s->sum);
	values[TIMED].number = s->timed;
	values[OPEN].number = s->open;
	values[UNWOUND].number = s->unwound;
}

/* What is known of calls only. */
static const enum column of_calls[] = { CALLS, MIN,   MEAN, P50,     P99,      MAX,
					SUM,   TIMED, OPEN, UNWOUND, HISTOGRAM };

static void forget_calls(struct rarog_value values[])
{
	for (size_t i = 0; i < RAROG_COUNT(of_calls); i++)
		values[of_calls[i]] = (struct rarog_value){ .is_null = true };
}

/* Without --columns; and "samples" are in no form where there are none. */
static void choose_counts(const struct functions *f, bool is_shown[])
{
	is_shown[SAMPLES] = is_shown[SAMPLES] && f->show->has_samples;
	for (size_t i = 0; f->show->has_samples && i < RAROG_COUNT(of_calls); i++)
		is_shown[of_calls[i]] = false;
}

static struct rarog_value off_cpu_value(const struct functions *f,
					const struct rarog_function_row *row, uint64_t ticks)
{
	return (struct rarog_value){
		.is_null = !f->show->has_cpu || row->off_cpu.is_unknown ||
			   f->rows.unknown[row->s.location] ||
			   (row->s.timed == 0 && row->s.total == 0),
		.number = ns(f, ticks),
	};
}

/* The parts of the exclusive time; and what of the total is CPU time. */
static void set_cpu(const struct functions *f, const struct rarog_function_row *row,
		    struct rarog_value values[])
{
	const struct rarog_off_cpu *off_cpu = &row->off_cpu;
	uint64_t total =
		rarog_cpu_ticks(row->s.total, off_cpu->total_waited, off_cpu->total_preempted);

	values[CPU] = off_cpu_value(f, row, rarog_function_row_cpu_ticks(row));
	values[CPU].is_null |= row->s.timed < row->s.count;
	values[CPU_TOTAL] = off_cpu_value(f, row, total);
	values[WAITED] = off_cpu_value(f, row, off_cpu->waited);
	values[PREEMPTED] = off_cpu_value(f, row, off_cpu->preempted);
}

static int add_row(const struct functions *f, struct rarog_sheet *sheet,
		   const struct rarog_function_row *row)
{
	const struct rarog_location *location = &f->show->run.locations[row->s.location];
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(location);
	char line[3 * RAROG_SPARKLINE_CELLS + 1];
	struct rarog_value values[N_COLUMNS] = { 0 };
	int r = title_of(f, row, &title);

	set_times(f, row, values);
	set_bounds(f, &row->s, values);
	set_cpu(f, row, values);
	if (f->show->has_samples)
		forget_calls(values);
	rarog_sparkline(&f->axis, f->show->run.clock, &row->s, f->show->options.ascii, line);
	values[HISTOGRAM].text = line;
	values[NAME] =
		(struct rarog_value){ .text = rarog_str_text(&title), .style = weight(f, &row->s) };
	values[BAR] = (struct rarog_value){ .number = row->key, .whole = f->rows.v[0].key };
	values[MANGLED].text = location->name;
	values[BINARY].text = rarog_run_binary(&f->show->run, location);
	values[FILE_].text = location->file;
	values[LINE] =
		(struct rarog_value){ .is_null = location->line == 0, .number = location->line };
	values[ADDRESS].number = location->address;
	values[PLACE].text = rarog_str_text(&place);
	return r < 0 ? r : rarog_sheet_add(sheet, values);
}

static int choose_named(const char *list, bool is_shown[N_COLUMNS])
{
	is_shown[NAME] = true;
	return rarog_columns_choose(list, "there are", N_COLUMNS, columns, is_shown);
}

static int choose_columns(const struct functions *f, struct rarog_sheet_fact facts[N_COLUMNS])
{
	const struct rarog_show_options *options = &f->show->options;
	bool is_shown[N_COLUMNS] = { 0 };

	for (size_t i = 0; i < N_COLUMNS; i++)
		is_shown[i] = !options->columns &&
			      options->columns_width >= columns[i].from_width &&
			      (f->show->has_times || !columns[i].is_time);
	if (!options->columns)
		choose_counts(f, is_shown);
	is_shown[CPU] |= !options->columns && options->sort == RAROG_SORT_CPU;
	is_shown[CPU] = is_shown[CPU] && (f->show->has_cpu || options->columns);
	is_shown[PLACE] = is_shown[PLACE] || options->lines;
	is_shown[BAR] = is_shown[BAR] || options->bars;
	int r = options->columns ? choose_named(options->columns, is_shown) : 0;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		facts[i] = columns[i].fact;
		if (!is_shown[i])
			facts[i].title = NULL;
	}
	if (!f->show->has_samples)
		facts[SAMPLES].key = NULL;
	if (!f->rows.certainty.is_any_bound)
		facts[TOTAL_LEAST].key = facts[TOTAL_MOST].key = facts[POOLED].key = NULL;
	if (!f->rows.certainty.is_any_off)
		facts[AT_LEAST].key = NULL;
	if (!f->rows.certainty.is_any_unknown)
		facts[NO_TOTAL].key = NULL;
	/* threads have no histograms of their own */
	if (facts[HISTOGRAM].title)
		facts[HISTOGRAM].title = f->axis.is_used ? f->axis_title : NULL;
	return r;
}

static void print_rest(const struct functions *f)
{
	bool by_time = f->show->has_times && !f->rows.is_sampled;
	uint64_t rest = 0, whole = by_time ? f->rows.exclusive : 0;

	for (size_t i = f->rows.n_shown; i < f->rows.n; i++)
		rest += by_time ? f->rows.v[i].s.exclusive : f->rows.v[i].s.count;
	for (size_t i = 0; !by_time && i < f->rows.n; i++)
		whole += f->rows.v[i].s.count;
	if (f->rows.n == 0)
		rarog_show_note(f->show, f->show->has_samples ? "there are no samples"
							      : "no function was called");
	if (f->rows.n > f->rows.n_shown)
		rarog_show_note(f->show, "%zu more function%s with %s of the %s; -n 0 shows all",
				f->rows.n - f->rows.n_shown,
				rarog_plural(f->rows.n - f->rows.n_shown),
				rarog_format_percent(rest, whole).text, by_time ? "time" : "calls");
}

static int order_places(const void *run, enum rarog_place_part part, uint32_t a, uint32_t b)
{
	return rarog_run_order_places(run, part, a, b);
}

static int print(struct functions *f)
{
	struct rarog_sheet sheet = { 0 };
	struct rarog_sheet_fact facts[N_COLUMNS];

	draw_axis(f);
	int r = choose_columns(f, facts);

	if (r == 0)
		r = rarog_function_twins_mark(f->rows.n_shown, f->rows.v, order_places,
					      &f->show->run);
	if (r == 0)
		r = rarog_show_sheet(f->show, &sheet, N_COLUMNS, facts, "functions");
	for (size_t i = 0; r == 0 && i < f->rows.n_shown; i++)
		r = add_row(f, &sheet, &f->rows.v[i]);
	r = rarog_show_sheet_end(f->show, &sheet, r);
	if (r == 0)
		print_rest(f);
	if (r == 0 && f->rows.is_sampled)
		rarog_show_note_unknown(f->show);
	if (r == 0)
		rarog_show_note_pruned(f->show);
	if (r == 0)
		rarog_certainty_note(&f->rows.certainty, f->show);
	if (r == 0 && (facts[P50].title || facts[P99].title || facts[HISTOGRAM].title))
		rarog_certainty_note_pooled(&f->rows.certainty, f->show);
	return r;
}

int rarog_show_check_tid(const struct rarog_show *show)
{
	bool is_known = !show->options.has_tid;

	for (size_t i = 0; i < show->run.n_strands; i++)
		is_known = is_known || show->run.strands[i].tid == show->options.tid;
	return is_known ? 0
			: rarog_fail(-ENOENT,
				     "no thread %" PRIu32
				     " in %s; rarog show --by-thread lists them",
				     show->options.tid, rarog_profile_path(show->run.profile));
}

static int check_functions(const struct rarog_show *show)
{
	bool is_shown[N_COLUMNS];
	int r = show->options.columns ? choose_named(show->options.columns, is_shown) : 0;

	if (r == 0 && show->options.sort == RAROG_SORT_INSTRUCTIONS)
		r = rarog_fail(-EINVAL,
			       "--sort=instructions: %s has times; rarog collect blocks "
			       "counts instructions",
			       rarog_profile_path(show->run.profile));
	if (r == 0 && show->has_samples &&
	    (show->options.sort == RAROG_SORT_MEAN || show->options.sort == RAROG_SORT_MAX))
		r = rarog_fail(-EINVAL,
			       "--sort: %s has samples, and nothing is known of single calls; "
			       "rarog collect trace measures them",
			       rarog_profile_path(show->run.profile));
	if (r == 0 && show->options.sort == RAROG_SORT_CPU && !show->has_cpu)
		r = rarog_fail(-ENODATA, "%s has no CPU times to sort by; see rarog doctor",
			       rarog_profile_path(show->run.profile));
	return r < 0 ? r : rarog_show_check_tid(show);
}

static int show_functions(struct rarog_show *show)
{
	struct functions f = { .show = show };
	int r = rarog_function_rows_read(show, &f.rows);

	if (r == 0)
		r = print(&f);
	rarog_function_rows_release(&f.rows);
	if (r == 0)
		r = rarog_show_quantities(show);
	return r < 0 ? r : rarog_show_arguments(show);
}

const struct rarog_view rarog_view_functions = {
	.name = "",
	.run = show_functions,
	.run_blocks = rarog_show_counts,
	.check = check_functions,
};
