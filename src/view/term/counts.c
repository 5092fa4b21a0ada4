/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions and binaries of a profile of blocks. Instructions are the function's own: its callers
 * are not known, so there are no inclusive sums.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "blocks/loops.h"
#include "view/term/block-times.h"
#include "view/term/columns.h"
#include "view/term/show.h"
#include "view/text.h"

static const struct rarog_location *location_of(const struct rarog_show *show,
						const struct rarog_tally_function *function)
{
	return &show->run.locations[function->location];
}

/* --- functions --- */

enum column {
	INSTRUCTIONS,
	SHARE,
	CALLS,
	TIME,
	TIME_SHARE,
	PER_CALL,
	EXECUTIONS,
	COVERED,
	BAR,
	LOADS,
	LOAD_BYTES,
	STORES,
	STORE_BYTES,
	NAME,
	MANGLED,
	BINARY,
	FILE_,
	LINE,
	ADDRESS,
	BLOCKS,
	BLOCKS_EXECUTED,
	MACHINE,
	MACHINE_LEAST,
	MACHINE_MOST,
	LOOP,
	LOOP_LINE,
	LOOP_ROUNDS,
	LOOP_ENTRIES,
	PLACE,
	N_COLUMNS,
};

static const struct rarog_sheet_column columns[N_COLUMNS] = {
	[INSTRUCTIONS] = { "instructions",
			   0,
			   { RAROG_FACT_COUNT, "instructions", "instructions", false } },
	[SHARE] = { "share", 0, { RAROG_FACT_SHARE, "share", "share", false } },
	[CALLS] = { "calls", 0, { RAROG_FACT_COUNT, "calls", "count", false } },
	[TIME] = { "time", 0, { RAROG_FACT_NS, "time", "time_ns", false } },
	[TIME_SHARE] = { "time-share", 0, { RAROG_FACT_SHARE, "of all", "time_share", false } },
	[PER_CALL] = { "per-call",
		       75,
		       { RAROG_FACT_RATIO, "per call", "instructions_per_call", false } },
	[EXECUTIONS] = { "executions",
			 115,
			 { RAROG_FACT_COUNT, "executions", "block_executions", false } },
	[COVERED] = { "blocks", 60, { RAROG_FACT_DRAWN, "blocks", NULL, false } },
	[BAR] = { "bar", RAROG_COLUMN_NEVER, { RAROG_FACT_BAR, "", NULL, false } },
	[LOADS] = { "loads", 0, { RAROG_FACT_COUNT, "loads", "loads", false } },
	[LOAD_BYTES] = { "load-bytes", 115, { RAROG_FACT_COUNT, "bytes", "load_bytes", false } },
	[STORES] = { "stores", 0, { RAROG_FACT_COUNT, "stores", "stores", false } },
	[STORE_BYTES] = { "store-bytes", 115, { RAROG_FACT_COUNT, "bytes", "store_bytes", false } },
	[NAME] = { "function", 0, { RAROG_FACT_TEXT, "function", "name", true } },
	[MANGLED] = { NULL, 0, { RAROG_FACT_TEXT, NULL, "mangled", false } },
	[BINARY] = { "binary", RAROG_COLUMN_NEVER, { RAROG_FACT_TEXT, "binary", "binary", false } },
	[FILE_] = { NULL, 0, { RAROG_FACT_TEXT, NULL, "file", false } },
	[LINE] = { NULL, 0, { RAROG_FACT_ID, NULL, "line", false } },
	[ADDRESS] = { NULL, 0, { RAROG_FACT_ID, NULL, "address", false } },
	[BLOCKS] = { NULL, 0, { RAROG_FACT_COUNT, NULL, "blocks", false } },
	[BLOCKS_EXECUTED] = { NULL, 0, { RAROG_FACT_COUNT, NULL, "blocks_executed", false } },
	[MACHINE] = { "machine", RAROG_COLUMN_NEVER, { RAROG_FACT_DRAWN, "machine", NULL, false } },
	[MACHINE_LEAST] = { NULL, 0, { RAROG_FACT_COUNT, NULL, "machine_instructions", false } },
	[MACHINE_MOST] = { NULL,
			   0,
			   { RAROG_FACT_COUNT, NULL, "machine_instructions_most", false } },
	[LOOP] = { "loop", 150, { RAROG_FACT_TEXT, "hottest loop", NULL, false } },
	[LOOP_LINE] = { NULL, 0, { RAROG_FACT_ID, NULL, "hottest_loop_line", false } },
	[LOOP_ROUNDS] = { NULL, 0, { RAROG_FACT_COUNT, NULL, "hottest_loop_iterations", false } },
	[LOOP_ENTRIES] = { NULL, 0, { RAROG_FACT_COUNT, NULL, "hottest_loop_entries", false } },
	[PLACE] = { "line", RAROG_COLUMN_NEVER, { RAROG_FACT_TEXT, "line", NULL, false } },
};

static int choose_named(const char *list, bool is_shown[N_COLUMNS])
{
	is_shown[NAME] = true;
	return rarog_columns_choose(list, "profiles of blocks have", N_COLUMNS, columns, is_shown);
}

int rarog_show_check_counts(const struct rarog_show *show)
{
	static const bool fits[RAROG_SORT_DEFAULT + 1] = {
		[RAROG_SORT_COUNT] = true,
		[RAROG_SORT_MEAN] = true,
		[RAROG_SORT_NAME] = true,
		[RAROG_SORT_INSTRUCTIONS] = true,
	};
	bool is_shown[N_COLUMNS];

	if (show->options.sort == RAROG_SORT_EXCLUSIVE && show->tally.n_times > 0)
		return show->options.columns ? choose_named(show->options.columns, is_shown) : 0;
	if (!fits[show->options.sort])
		return rarog_fail(-EINVAL,
				  "%s counts blocks, it has no times; --sort can be "
				  "instructions, count, mean (per call) or name",
				  rarog_profile_path(show->run.profile));
	if (show->options.has_tid)
		return rarog_fail(-EINVAL, "--thread: blocks are counted over all threads");
	return show->options.columns ? choose_named(show->options.columns, is_shown) : 0;
}

/* What is not there, unless it was asked for. */
static void hide(const struct rarog_show_options *options, struct rarog_sheet_fact *fact)
{
	fact->key = NULL;
	if (!options->columns)
		fact->title = NULL;
}

static int choose_columns(const struct rarog_show *show, struct rarog_sheet_fact facts[N_COLUMNS])
{
	const struct rarog_show_options *options = &show->options;
	bool is_shown[N_COLUMNS] = { 0 };
	int r = 0;

	for (size_t i = 0; i < N_COLUMNS; i++)
		is_shown[i] = !options->columns && options->columns_width >= columns[i].from_width;
	is_shown[PLACE] |= options->lines;
	is_shown[BAR] |= options->bars;
	if (options->columns)
		r = choose_named(options->columns, is_shown);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		facts[i] = columns[i].fact;
		if (!is_shown[i])
			facts[i].title = NULL;
	}
	for (size_t i = LOADS; i <= STORE_BYTES && show->tally.n_accesses == 0; i++)
		hide(options, &facts[i]);
	for (size_t i = TIME; i <= TIME_SHARE && show->tally.n_times == 0; i++)
		hide(options, &facts[i]);
	for (size_t i = LOOP; i <= LOOP_ENTRIES && show->tally.n_edges == 0; i++)
		hide(options, &facts[i]);
	return r;
}

static enum rarog_style weight(const struct rarog_show *show,
			       const struct rarog_tally_function *function)
{
	if (function->instructions > 0 && function->instructions >= show->tally.instructions / 10)
		return RAROG_STYLE_BOLD;
	return function->instructions < show->tally.instructions / 200 ? RAROG_STYLE_DIM
								       : RAROG_STYLE_PLAIN;
}

#define MACHINE_TEXT 128

/* A number, or the two it lies between; "?": not even these are known. */
static void write_machine(const struct rarog_tally_function *function, char text[MACHINE_TEXT])
{
	if (function->machine_most == UINT64_MAX)
		snprintf(text, MACHINE_TEXT, "?");
	else if (function->machine_least == function->machine_most)
		snprintf(text, MACHINE_TEXT, "%s",
			 rarog_format_count(function->machine_least).text);
	else
		snprintf(text, MACHINE_TEXT, "%s..%s",
			 rarog_format_count(function->machine_least).text,
			 rarog_format_count(function->machine_most).text);
}

#define COVERED_TEXT 32

/* How many there are besides those that ran is not always known. */
static void write_covered(const struct rarog_show *show,
			  const struct rarog_tally_function *function, char text[COVERED_TEXT])
{
	if (show->only_executed)
		snprintf(text, COVERED_TEXT, "%" PRIu32, function->n_executed);
	else
		snprintf(text, COVERED_TEXT, "%" PRIu32 "/%" PRIu32, function->n_executed,
			 function->n);
}

#define LOOP_TEXT 96

/* "1,234 iterations, 5.50 per entry, line 41", "… of sort.h" if it is not in the function's file */
static void write_loop(const struct rarog_loop *loop, char text[LOOP_TEXT])
{
	const char *slash = loop->file ? strrchr(loop->file, '/') : NULL;
	int n = snprintf(text, LOOP_TEXT, "%s iteration%s",
			 rarog_format_count(loop->iterations).text, rarog_plural(loop->iterations));

	if (loop->is_known && loop->entries > 0)
		n += snprintf(text + n, LOOP_TEXT - (size_t)n, ", %.2f per entry",
			      (double)loop->iterations / (double)loop->entries);
	if (loop->line > 0)
		snprintf(text + n, LOOP_TEXT - (size_t)n, ", line %" PRIu32 "%s%s", loop->line,
			 loop->file ? " of " : "",
			 !loop->file ? ""
			 : slash     ? slash + 1
				     : loop->file);
}

/* Of a function: all of it is 0 where no loop went round, or no ways are known. */
static int find_loop(const struct rarog_show *show, const struct rarog_tally_function *function,
		     struct rarog_loop *ret_loop, char text[LOOP_TEXT])
{
	rarog_cleanup(rarog_loops_release) struct rarog_loops loops = { 0 };
	int r = function->n_edges > 0 ? rarog_loops_find(&show->tally, function, &loops) : 0;
	const struct rarog_loop *hottest = rarog_loops_hottest(&loops);

	*ret_loop = hottest ? *hottest : (struct rarog_loop){ 0 };
	text[0] = '\0';
	if (hottest)
		write_loop(hottest, text);
	return r;
}

static int add_function(const struct rarog_show *show, struct rarog_sheet *sheet,
			const struct rarog_tally_function *function)
{
	const struct rarog_location *location = location_of(show, function);
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(location);
	bool has_accesses = show->tally.n_accesses > 0, has_times = show->tally.n_times > 0;
	char covered[COVERED_TEXT], machine[MACHINE_TEXT], loop_text[LOOP_TEXT];
	struct rarog_loop loop;
	int r = find_loop(show, function, &loop, loop_text);
	const struct rarog_value values[N_COLUMNS] = {
		[INSTRUCTIONS] = { .number = function->instructions },
		[SHARE] = { .number = function->instructions, .whole = show->tally.instructions },
		[CALLS] = { .number = function->calls },
		[TIME] = { .number = rarog_clock_ns(show->run.clock, function->ticks),
			   .is_null = !has_times },
		[TIME_SHARE] = { .number = function->ticks,
				 .whole = show->tally.ticks,
				 .is_null = !has_times },
		[PER_CALL] = { .number = function->instructions, .whole = function->calls },
		[EXECUTIONS] = { .number = function->executions },
		[COVERED] = { .text = covered },
		[BAR] = { .number = function->instructions, .whole = show->tally.instructions },
		[LOADS] = { .number = function->accesses.loads, .is_null = !has_accesses },
		[LOAD_BYTES] = { .number = function->accesses.load_bytes,
				 .is_null = !has_accesses },
		[STORES] = { .number = function->accesses.stores, .is_null = !has_accesses },
		[STORE_BYTES] = { .number = function->accesses.store_bytes,
				  .is_null = !has_accesses },
		[NAME] = { .text = rarog_location_title(location),
			   .style = weight(show, function) },
		[MANGLED] = { .text = location->name },
		[BINARY] = { .text = rarog_run_binary(&show->run, location) },
		[FILE_] = { .text = location->file },
		[LINE] = { .is_null = location->line == 0, .number = location->line },
		[ADDRESS] = { .is_null = location->address == 0, .number = location->address },
		[BLOCKS] = { .number = function->n, .is_null = show->only_executed },
		[BLOCKS_EXECUTED] = { .number = function->n_executed },
		[MACHINE] = { .text = machine },
		[MACHINE_LEAST] = { .number = function->machine_least,
				    .is_null = function->machine_most == UINT64_MAX },
		[MACHINE_MOST] = { .number = function->machine_most,
				   .is_null = function->machine_most == UINT64_MAX },
		[LOOP] = { .text = loop_text },
		[LOOP_LINE] = { .number = loop.line, .is_null = loop.line == 0 },
		[LOOP_ROUNDS] = { .number = loop.iterations, .is_null = loop.iterations == 0 },
		[LOOP_ENTRIES] = { .number = loop.entries, .is_null = !loop.is_known },
		[PLACE] = { .text = rarog_str_text(&place) },
	};

	write_machine(function, machine);
	write_covered(show, function, covered);
	return r < 0 ? r : rarog_sheet_add(sheet, values);
}

static void print_rest(struct rarog_show *show, size_t n,
		       struct rarog_tally_function *const functions[n], size_t n_shown)
{
	uint64_t rest = 0;

	for (size_t i = n_shown; i < n; i++)
		rest += functions[i]->instructions;
	if (n > n_shown)
		rarog_show_note(show,
				"%zu more function%s with %s of the instructions; -n 0 shows all",
				n - n_shown, rarog_plural(n - n_shown),
				rarog_format_percent(rest, show->tally.instructions).text);
}

/* Those that never ran are told apart in data only, or if asked for. */
static size_t without_idle(const struct rarog_show *show, size_t n,
			   struct rarog_tally_function *functions[n])
{
	size_t kept = 0;

	if (show->options.format != RAROG_SHEET_TABLE || show->options.func)
		return n;
	for (size_t i = 0; i < n; i++)
		if (functions[i]->n_executed > 0)
			functions[kept++] = functions[i];
	return kept;
}

int rarog_show_counts(struct rarog_show *show)
{
	const struct rarog_show_options *options = &show->options;
	rarog_cleanup(rarog_freep) struct rarog_tally_function **functions = NULL;
	struct rarog_sheet sheet = { 0 };
	struct rarog_sheet_fact facts[N_COLUMNS];
	size_t n = 0, n_shown;
	int r = rarog_show_counted(show, &functions, &n);

	if (r == 0)
		r = choose_columns(show, facts);
	if (r < 0)
		return r;
	n = without_idle(show, n, functions);
	n_shown = options->limit > 0 && options->limit < n ? options->limit : n;
	r = rarog_show_sheet(show, &sheet, N_COLUMNS, facts, "functions");
	for (size_t i = 0; r == 0 && i < n_shown; i++)
		r = add_function(show, &sheet, functions[i]);
	r = rarog_show_sheet_end(show, &sheet, r);
	print_rest(show, n, functions, n_shown);
	rarog_show_block_times(show);
	if (r == 0)
		r = rarog_show_arguments(show);
	return r == 0 && options->format == RAROG_SHEET_JSON ? rarog_show_blocks(show) : r;
}

/* --- binaries --- */

struct binary {
	uint64_t instructions, calls, functions, called, blocks, executed;
};

enum {
	BINARY_FUNCTIONS = 3,
	BINARY_FUNCTIONS_EXECUTED,
	BINARY_BLOCKS,
	BINARY_BLOCKS_EXECUTED,
};

static const struct rarog_sheet_fact binary_facts[] = {
	{ RAROG_FACT_COUNT, "instructions", "instructions", false },
	{ RAROG_FACT_SHARE, "share", "share", false },
	{ RAROG_FACT_COUNT, "calls", "count", false },
	[BINARY_FUNCTIONS] = { RAROG_FACT_COUNT, "functions", "functions", false },
	[BINARY_FUNCTIONS_EXECUTED] = { RAROG_FACT_COUNT, "that ran", "functions_executed", false },
	[BINARY_BLOCKS] = { RAROG_FACT_COUNT, "blocks", "blocks", false },
	[BINARY_BLOCKS_EXECUTED] = { RAROG_FACT_COUNT, "that ran", "blocks_executed", false },
	{ RAROG_FACT_TEXT, "binary", "binary", true },
	{ RAROG_FACT_TEXT, NULL, "build_id", false },
};

static int add_binary(const struct rarog_show *show, struct rarog_sheet *sheet,
		      const struct binary *sums, const struct rarog_profile_binary *binary)
{
	const struct rarog_value values[] = {
		{ .number = sums->instructions },
		{ .number = sums->instructions, .whole = show->tally.instructions },
		{ .number = sums->calls },
		{ .number = sums->functions, .is_null = show->only_executed },
		{ .number = sums->called },
		{ .number = sums->blocks, .is_null = show->only_executed },
		{ .number = sums->executed },
		{ .text = binary ? binary->path : "?" },
		{ .text = binary ? binary->build_id : NULL },
	};

	return sums->functions == 0 ? 0 : rarog_sheet_add(sheet, values);
}

static void sum_binaries(const struct rarog_show *show, struct binary *sums)
{
	for (size_t i = 0; i < show->tally.n; i++) {
		const struct rarog_tally_function *function = &show->tally.functions[i];
		uint32_t number = location_of(show, function)->binary;
		struct binary *sum =
			&sums[number < show->run.n_binaries ? number : show->run.n_binaries];

		sum->instructions += function->instructions;
		sum->calls += function->calls;
		sum->functions++;
		sum->called += function->n_executed > 0;
		sum->blocks += function->n;
		sum->executed += function->n_executed;
	}
}

int rarog_show_counts_by_binary(struct rarog_show *show)
{
	size_t n = show->run.n_binaries;
	rarog_cleanup(rarog_freep) struct binary *sums = calloc(n + 1, sizeof(*sums));
	struct rarog_sheet_fact facts[RAROG_COUNT(binary_facts)];
	struct rarog_sheet sheet = { 0 };
	int r = sums ? 0 : rarog_oom();

	if (r < 0)
		return r;
	sum_binaries(show, sums);
	memcpy(facts, binary_facts, sizeof(facts));
	if (show->only_executed) {
		facts[BINARY_FUNCTIONS].title = facts[BINARY_BLOCKS].title = NULL;
		facts[BINARY_FUNCTIONS_EXECUTED].title = "functions that ran";
		facts[BINARY_BLOCKS_EXECUTED].title = "blocks that ran";
	}
	r = rarog_show_sheet(show, &sheet, RAROG_COUNT(facts), facts, "binaries");
	for (size_t i = 0; r == 0 && i <= n; i++)
		r = add_binary(show, &sheet, &sums[i], i < n ? &show->run.binaries[i] : NULL);
	return rarog_show_sheet_end(show, &sheet, r);
}
