/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks of functions, in the compiler's order, with where they lead. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "blocks/together.h"
#include "view/term/block-times.h"
#include "view/term/views.h"
#include "view/text.h"

enum column {
	FUNCTION,
	BINARY,
	ID,
	OFFSET,
	BUILD_ID,
	INSTRUCTIONS,
	SHARE,
	COUNT,
	SIZE,
	TIME,
	TIME_SHARE,
	EACH,
	LEAST,
	MOST,
	ESTIMATED,
	GROUP,
	GROUP_TIME,
	GROUP_EACH,
	GROUP_LEAST,
	GROUP_MOST,
	LOADS,
	LOAD_BYTES,
	STORES,
	STORE_BYTES,
	FILE_,
	LINE,
	COLUMN,
	INLINED,
	WAYS,
	N_COLUMNS
};

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[FUNCTION] = { RAROG_FACT_TEXT, NULL, "function", false },
	[BINARY] = { RAROG_FACT_TEXT, NULL, "binary", false },
	[ID] = { RAROG_FACT_ID, "block", "id", false },
	[OFFSET] = { RAROG_FACT_NUMBER, NULL, "offset", false },
	[BUILD_ID] = { RAROG_FACT_TEXT, NULL, "build_id", false },
	[INSTRUCTIONS] = { RAROG_FACT_COUNT, "instructions", "instructions_executed", false },
	[SHARE] = { RAROG_FACT_SHARE, "share", "share", false },
	[COUNT] = { RAROG_FACT_COUNT, "count", "count", false },
	[SIZE] = { RAROG_FACT_COUNT, "size", "instructions", false },
	[TIME] = { RAROG_FACT_NS, "time", "time_ns", false },
	[TIME_SHARE] = { RAROG_FACT_SHARE, "of all", "time_share", false },
	[EACH] = { RAROG_FACT_DRAWN, "each", NULL, false },
	[LEAST] = { RAROG_FACT_NUMBER, NULL, "least_each_ns", false },
	[MOST] = { RAROG_FACT_NUMBER, NULL, "most_each_ns", false },
	[ESTIMATED] = { RAROG_FACT_TEXT, NULL, "time_is", false },
	[GROUP] = { RAROG_FACT_ID, "group", "group", false },
	[GROUP_TIME] = { RAROG_FACT_NS, "group's", "group_time_ns", false },
	[GROUP_EACH] = { RAROG_FACT_DRAWN, "each", NULL, false },
	[GROUP_LEAST] = { RAROG_FACT_NUMBER, NULL, "group_least_each_ns", false },
	[GROUP_MOST] = { RAROG_FACT_NUMBER, NULL, "group_most_each_ns", false },
	[LOADS] = { RAROG_FACT_COUNT, "loads", "loads", false },
	[LOAD_BYTES] = { RAROG_FACT_COUNT, "bytes", "load_bytes", false },
	[STORES] = { RAROG_FACT_COUNT, "stores", "stores", false },
	[STORE_BYTES] = { RAROG_FACT_COUNT, "bytes", "store_bytes", false },
	[FILE_] = { RAROG_FACT_TEXT, NULL, "file", false },
	[LINE] = { RAROG_FACT_ID, "line", "line", false },
	[COLUMN] = { RAROG_FACT_ID, "column", "column", false },
	[INLINED] = { RAROG_FACT_TEXT, "inlined", "inlined", false },
	[WAYS] = { RAROG_FACT_DRAWN, "leads to", NULL, false },
};

/* "4 99.2 %, 7 0.8 %"; what leaves the function is not written. */
static int write_ways(const struct rarog_show *show, const struct rarog_tally_function *function,
		      uint32_t number, uint32_t *edge, struct rarog_str *text)
{
	const struct rarog_tally *tally = &show->tally;
	uint32_t end = function->first_edge + function->n_edges;
	int r = 0;

	for (; r == 0 && *edge < end && tally->edges[*edge].from == number; (*edge)++) {
		const struct rarog_edge_count *way = &tally->edges[*edge];

		r = rarog_str_addf(text, "%s%" PRIu32, text->length > 0 ? ", " : "",
				   way->to - function->first);
		if (r == 0 && way->is_unknown)
			r = rarog_str_add(text, " ?");
		else if (r == 0 && tally->blocks[number].count > 0)
			r = rarog_str_addf(
				text, " %s",
				rarog_format_percent(way->count, tally->blocks[number].count).text);
	}
	return r;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* "swap sort.h:12:3 < order sort.c:40:7": the code is of swap, which was called in order, …
 * "sort.h:12": it is of that file, it is not known what of. */
static int write_inlined(const struct rarog_tally *tally, uint32_t block, struct rarog_str *text)
{
	const struct rarog_block_origin *origin = rarog_tally_origin(tally, block);
	const char *file = origin ? origin->file : NULL;
	uint32_t line = origin ? origin->line : 0, column = origin ? origin->column : 0;
	const struct rarog_block_part *elsewhere = origin || tally->blocks[block].line > 0
							   ? NULL
							   : rarog_tally_elsewhere(tally, block);
	int r = 0;

	if (elsewhere)
		return rarog_str_addf(text, "%s:%" PRIu32, base_name(elsewhere->file),
				      elsewhere->line);
	for (uint32_t i = origin ? origin->frame : RAROG_NONE; r == 0 && i != RAROG_NONE;
	     i = tally->frames[i].parent) {
		const struct rarog_inline_frame *frame = &tally->frames[i];

		r = rarog_str_addf(text, "%s%s %s:%" PRIu32 ":%" PRIu32,
				   text->length > 0 ? " < " : "", frame->name ? frame->name : "?",
				   base_name(file), line, column);
		file = frame->file;
		line = frame->line;
		column = frame->column;
	}
	return r;
}

/* Where the block stands in machine code that was counted as it is; NULL: not known, or it has no
 * code (where jumps through tables meet). */
static const struct rarog_machine_count *machine_of(const struct rarog_show *show, uint32_t block)
{
	const struct rarog_tally *tally = &show->tally;
	const struct rarog_machine_count *machine =
		tally->n_machine == tally->n_blocks ? &tally->machine[block] : NULL;

	return machine && machine->size > 0 && machine->location == tally->blocks[block].location
		       ? machine
		       : NULL;
}

/* Parts that were split off may stand before their function. */
static double offset_of(const struct rarog_machine_count *machine,
			const struct rarog_location *location)
{
	return machine ? (double)(int64_t)(machine->address - location->address) : 0;
}

/* Of a function. */
struct groups {
	uint32_t *first; /* of each block: its group's first */
	uint32_t *n;     /* of each first one: blocks in its group */
};

static int add_block(const struct rarog_show *show, struct rarog_sheet *sheet,
		     const struct rarog_tally_function *function, const struct groups *groups,
		     uint32_t number, uint32_t *edge)
{
	uint32_t own = number - function->first, head = groups->first[own];
	bool is_head = head == own && groups->n[own] > 1 && show->tally.n_times > 0;
	struct rarog_block_group group =
		is_head ? rarog_show_group(show, function, groups->first, head)
			: (struct rarog_block_group){ 0 };
	const struct rarog_location *location = &show->run.locations[function->location];
	const struct rarog_block_count *block = &show->tally.blocks[number];
	uint64_t instructions = block->count * block->instructions;
	const struct rarog_machine_count *machine = machine_of(show, number);
	const struct rarog_block_accesses none = { 0 };
	const struct rarog_block_accesses *counted = rarog_tally_accesses(&show->tally, number);
	const struct rarog_block_accesses *accesses = counted ? counted : &none;
	const struct rarog_block_time no_time = { .count = 1 };
	const struct rarog_block_time *known = rarog_tally_time(&show->tally, number);
	const struct rarog_block_time *time = known ? known : &no_time;
	struct rarog_block_each each =
		known ? rarog_show_each(show, known) : (struct rarog_block_each){ 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str ways = { 0 }, inlined = { 0 };
	int ways_r = write_ways(show, function, number, edge, &ways);
	int r = ways_r < 0 ? ways_r : write_inlined(&show->tally, number, &inlined);
	const struct rarog_value values[N_COLUMNS] = {
		[FUNCTION] = { .text = rarog_location_title(location) },
		[BINARY] = { .text = rarog_run_binary(&show->run, location) },
		[ID] = { .number = number - function->first },
		[OFFSET] = { .is_null = !machine, .real = offset_of(machine, location) },
		[BUILD_ID] = { .text = rarog_run_build_id(&show->run, location) },
		[INSTRUCTIONS] = { .number = instructions,
				   .style = block->count == 0 ? RAROG_STYLE_DIM
							      : RAROG_STYLE_PLAIN },
		[SHARE] = { .number = instructions, .whole = show->tally.instructions },
		[COUNT] = { .number = block->count },
		[SIZE] = { .number = block->instructions },
		[TIME] = { .is_null = !known,
			   .number = rarog_clock_ns(show->run.clock, time->sum) },
		[TIME_SHARE] = { .is_null = !known,
				 .number = time->sum,
				 .whole = show->tally.ticks },
		[EACH] = { .text = known ? each.text : "" },
		[LEAST] = { .is_null = !known || each.is_of_several, .real = each.least_ns },
		[MOST] = { .is_null = !known || each.is_of_several, .real = each.most_ns },
		[ESTIMATED] = { .text = !known               ? NULL
					: time->is_estimated ? "estimated"
					: each.is_below      ? "below resolution"
							     : "measured" },
		[GROUP] = { .is_null = groups->n[head] < 2, .number = head },
		[GROUP_TIME] = { .is_null = !is_head, .number = (uint64_t)group.ns },
		[GROUP_EACH] = { .text = is_head ? group.each.text : "" },
		[GROUP_LEAST] = { .is_null = !is_head, .real = group.each.least_ns },
		[GROUP_MOST] = { .is_null = !is_head, .real = group.each.most_ns },
		[LOADS] = { .number = accesses->loads },
		[LOAD_BYTES] = { .number = accesses->load_bytes },
		[STORES] = { .number = accesses->stores },
		[STORE_BYTES] = { .number = accesses->store_bytes },
		[FILE_] = { .text = location->file },
		[LINE] = { .is_null = block->line == 0, .number = block->line },
		[COLUMN] = { .is_null = block->column == 0, .number = block->column },
		[INLINED] = { .text = inlined.length > 0 ? rarog_str_text(&inlined) : NULL },
		[WAYS] = { .text = rarog_str_text(&ways) },
	};

	return r < 0 ? r : rarog_sheet_add(sheet, values);
}

static int add_function(const struct rarog_show *show, struct rarog_sheet *sheet,
			const struct rarog_tally_function *function)
{
	rarog_cleanup(rarog_freep) uint32_t *first = calloc(function->n + 1, sizeof(*first));
	rarog_cleanup(rarog_freep) uint32_t *n = calloc(function->n + 1, sizeof(*n));
	const struct groups groups = { first, n };
	uint32_t edge = function->first_edge;
	int r = first && n ? 0 : rarog_oom();

	if (r == 0)
		rarog_together_find(&show->tally, function, first);
	for (uint32_t i = 0; r == 0 && i < function->n; i++)
		n[first[i]]++;
	for (uint32_t i = 0; r == 0 && i < function->n; i++)
		r = add_block(show, sheet, function, &groups, function->first + i, &edge);
	return r;
}

/* @facts: room for what the sheet borrows until its end */
static int begin(struct rarog_show *show, struct rarog_sheet *sheet,
		 struct rarog_sheet_fact facts[N_COLUMNS])
{
	bool are_estimated = show->tally.n_times > 0 && show->tally.times->is_estimated;

	memcpy(facts, columns, sizeof(columns));
	for (size_t i = OFFSET; i <= BUILD_ID && !show->is_machine_code; i++)
		facts[i].key = NULL;
	for (size_t i = LOADS; i <= STORE_BYTES && show->tally.n_accesses == 0; i++)
		facts[i].title = facts[i].key = NULL;
	for (size_t i = TIME; i <= GROUP_MOST && show->tally.n_times == 0; i++)
		facts[i].title = facts[i].key = NULL;
	for (size_t i = GROUP; i <= GROUP_MOST && !are_estimated; i++)
		facts[i].title = facts[i].key = NULL;
	return rarog_show_sheet(show, sheet, N_COLUMNS, facts, "blocks");
}

/* For people a table for each function, below its name. */
static int print_function(struct rarog_show *show, const struct rarog_tally_function *function)
{
	const struct rarog_location *location = &show->run.locations[function->location];
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(location),
							  name = { 0 };
	struct rarog_sheet sheet = { 0 };
	struct rarog_sheet_fact facts[N_COLUMNS];
	int r = rarog_text_add_clean(&name, rarog_location_title(location), show->options.ascii);

	fprintf(show->out, "%s%s%s: %s call%s, %s instructions\n", rarog_str_text(&name),
		place.length > 0 ? " " : "", rarog_str_text(&place),
		rarog_format_count(function->calls).text, rarog_plural(function->calls),
		rarog_format_count(function->instructions).text);
	if (r == 0)
		r = begin(show, &sheet, facts);
	if (r == 0)
		r = add_function(show, &sheet, function);
	return rarog_show_sheet_end(show, &sheet, r);
}

static int write_all(struct rarog_show *show, size_t n,
		     struct rarog_tally_function *const functions[n])
{
	struct rarog_sheet sheet = { 0 };
	struct rarog_sheet_fact facts[N_COLUMNS];
	int r = begin(show, &sheet, facts);

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_function(show, &sheet, functions[i]);
	return rarog_show_sheet_end(show, &sheet, r);
}

int rarog_show_blocks(struct rarog_show *show)
{
	rarog_cleanup(rarog_freep) struct rarog_tally_function **functions = NULL;
	size_t n = 0;
	int r = rarog_show_counted(show, &functions, &n);

	if (r < 0)
		return r;
	if (show->options.limit > 0 && show->options.limit < n)
		n = show->options.limit;
	if (show->options.format != RAROG_SHEET_TABLE)
		return write_all(show, n, functions);
	for (size_t i = 0; r == 0 && i < n; i++) {
		fputs(i > 0 ? "\n" : "", show->out);
		r = print_function(show, functions[i]);
	}
	rarog_show_block_times(show);
	return r;
}

const struct rarog_view rarog_view_blocks = {
	.run_blocks = rarog_show_blocks,
};
