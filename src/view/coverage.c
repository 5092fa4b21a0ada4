/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function's own lines, and what stands elsewhere (coverage-elsewhere.c), as files have them. */
#include "view/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "view/coverage-elsewhere.h"
#include "view/line-count.h"
#include "view/optimised.h"
#include "view/stale.h"
#include "view/text.h"

const struct rarog_location *rarog_coverage_location(const struct rarog_coverage *coverage,
						     const struct rarog_tally_function *function)
{
	return &coverage->run.locations[function->location];
}

static struct rarog_covered_place place_of(const struct rarog_coverage *c,
					   const struct rarog_tally_function *function,
					   uint32_t line)
{
	const struct rarog_location *location = rarog_coverage_location(c, function);

	return (struct rarog_covered_place){ location->file, line,
					     location->name ? location->name : "?",
					     rarog_location_title(location) };
}

/* --- one function at a time --- */

struct cover {
	struct rarog_coverage *c;
	const struct rarog_tally_function *function;
	struct rarog_line_counter counter;
	RAROG_VEC(struct rarog_block_on_line) places;
};

static int by_line(const void *a, const void *b)
{
	const struct rarog_block_on_line *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

/* @line: of the tally's, moves after those of the function. */
static int list_places(struct cover *cover, size_t *line)
{
	const struct rarog_tally *tally = &cover->c->tally;
	const struct rarog_tally_function *function = cover->function;

	for (uint32_t i = 0; i < function->n; i++) {
		const struct rarog_block_count *block = &tally->blocks[function->first + i];
		struct rarog_block_on_line place = {
			.line = block->line,
			.block = i,
			.is_inlined = rarog_tally_origin(tally, function->first + i) != NULL,
			.is_made = block->instructions <= 1 && block->column == 0,
		};

		if (block->line > 0 && rarog_vec_push(&cover->places, place) < 0)
			return rarog_oom();
		place.is_inlined = false;
		for (; *line < tally->n_lines && tally->lines[*line].block <= function->first + i;
		     (*line)++) {
			place.line = tally->lines[*line].line;
			if (tally->lines[*line].block == function->first + i &&
			    rarog_vec_push(&cover->places, place) < 0)
				return rarog_oom();
		}
	}
	if (cover->places.n > 1)
		qsort(cover->places.v, cover->places.n, sizeof(*cover->places.v), by_line);
	return 0;
}

static int add_line(struct cover *cover, size_t n, struct rarog_block_on_line places[n])
{
	struct rarog_covered_line line = { .at = place_of(cover->c, cover->function,
							  places[0].line),
					   .function = cover->function };
	struct rarog_line_counted counted;

	rarog_line_count(&cover->counter, n, places, &counted);
	line.count = counted.count;
	line.has_unexecuted = counted.has_unexecuted;
	return rarog_vec_push(&cover->c->lines, line) == 0 ? 0 : rarog_oom();
}

static int add_places(struct cover *cover)
{
	struct rarog_block_on_line *places = cover->places.v;
	size_t n = cover->places.n, end;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i = end) {
		for (end = i + 1; end < n && places[end].line == places[i].line;)
			end++;
		r = add_line(cover, end - i, places + i);
	}
	return r;
}

/* The line that a function begins at, often one without code (its name, or a brace): it is reached
 * by each call, and readers of coverage look there for the function. */
static int add_head(struct rarog_coverage *c, const struct rarog_tally_function *function,
		    size_t first)
{
	const struct rarog_covered_line line = {
		.at = place_of(c, function, rarog_coverage_location(c, function)->line),
		.function = function,
		.count = function->calls,
		.has_unexecuted = function->calls == 0,
	};

	for (size_t i = first; i < c->lines.n; i++)
		if (c->lines.v[i].at.line == line.at.line)
			return 0;
	/* without lines of its own there is no debug information of them */
	return first == c->lines.n || rarog_vec_push(&c->lines, line) == 0 ? 0 : rarog_oom();
}

static int add_function(struct rarog_coverage *c, const struct rarog_tally_function *function)
{
	const struct rarog_block_count *blocks = &c->tally.blocks[function->first];
	struct rarog_covered_function covered = {
		.at = place_of(c, function, rarog_coverage_location(c, function)->line),
		.body = function,
		.calls = function->calls,
		.blocks = function->n,
		.blocks_executed = function->n_executed,
	};

	covered.last_line = covered.at.line;
	for (uint32_t i = 0; i < function->n; i++)
		if (blocks[i].line > covered.last_line)
			covered.last_line = blocks[i].line;
	return rarog_vec_push(&c->functions, covered) < 0 ? rarog_oom() : 0;
}

/* --- decisions --- */

/* The last of the lines that it has: a decision ends a block, and compilers tell gcov the same. */
static uint32_t last_line(const struct rarog_tally *tally, uint32_t block, size_t *line)
{
	uint32_t last = tally->blocks[block].line;

	while (*line < tally->n_lines && tally->lines[*line].block < block)
		(*line)++;
	for (; *line < tally->n_lines && tally->lines[*line].block == block; (*line)++)
		last = tally->lines[*line].line > last ? tally->lines[*line].line : last;
	return last;
}

/* On the lines of the block itself nothing is decided then. */
static bool is_decided_elsewhere(const struct rarog_tally *tally, uint32_t block)
{
	if (tally->n_parts > 0)
		return rarog_coverage_ends_elsewhere(tally, block);
	return tally->is_elsewhere && tally->is_elsewhere[block] &&
	       tally->blocks[block].column == 0;
}

/* @line: of the tally's, moves on with the function's blocks. */
static int add_decisions(struct rarog_coverage *c, const struct rarog_tally_function *function,
			 size_t *line)
{
	const struct rarog_edge_count *edges = c->tally.edges;
	uint32_t end, last = function->first_edge + function->n_edges;

	for (uint32_t i = function->first_edge; i < last; i = end) {
		struct rarog_covered_decision decision = {
			.function = function,
			.block = edges[i].from - function->first,
			.first_edge = i,
		};
		uint32_t at = 0;

		for (end = i + 1; end < last && edges[end].from == edges[i].from;)
			end++;
		decision.n = end - i;
		if (decision.n > 1 && !is_decided_elsewhere(&c->tally, edges[i].from))
			at = last_line(&c->tally, edges[i].from, line);
		decision.at = place_of(c, function, at);
		if (at > 0 && rarog_vec_push(&c->decisions, decision) < 0)
			return rarog_oom();
	}
	return 0;
}

/* --- order --- */

int rarog_covered_compare(const struct rarog_covered_place *a, const struct rarog_covered_place *b)
{
	int order = strcmp(a->file, b->file);

	if (order != 0)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return strcmp(a->title, b->title);
}

/* One that has a body comes before what was inlined of it. */
static int compare_functions(const void *a, const void *b)
{
	const struct rarog_covered_function *x = a, *y = b;
	int order = rarog_covered_compare(&x->at, &y->at);

	if (order != 0 || !x->body || !y->body)
		return order ? order : !x->body - !y->body;
	return (x->body > y->body) - (x->body < y->body);
}

static int compare_lines(const void *a, const void *b)
{
	const struct rarog_covered_line *x = a, *y = b;
	int order = rarog_covered_compare(&x->at, &y->at);

	if (order != 0 || x->is_elsewhere != y->is_elsewhere)
		return order ? order : x->is_elsewhere - y->is_elsewhere;
	return (x->function > y->function) - (x->function < y->function);
}

static int compare_decisions(const void *a, const void *b)
{
	const struct rarog_covered_decision *x = a, *y = b;
	int order = rarog_covered_compare(&x->at, &y->at);

	if (order != 0 || x->function != y->function)
		return order ? order : x->function < y->function ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

/* What was inlined at several calls, or of what has a body too, is one function. */
static void join_functions(struct rarog_coverage *c)
{
	struct rarog_covered_function *v = c->functions.v;
	size_t n = 0;

	for (size_t i = 0; i < c->functions.n; i++) {
		if (n > 0 && !v[i].body && rarog_covered_compare(&v[n - 1].at, &v[i].at) == 0) {
			v[n - 1].calls += v[i].calls;
			v[n - 1].blocks += v[n - 1].body ? 0 : v[i].blocks;
			v[n - 1].blocks_executed += v[n - 1].body ? 0 : v[i].blocks_executed;
			continue;
		}
		v[n++] = v[i];
	}
	c->functions.n = n;
}

/* … and so is each of its lines. */
static void join_lines(struct rarog_coverage *c)
{
	struct rarog_covered_line *v = c->lines.v;
	size_t n = 0;

	for (size_t i = 0; i < c->lines.n; i++) {
		if (n > 0 && v[n - 1].is_elsewhere && v[i].is_elsewhere &&
		    rarog_covered_compare(&v[n - 1].at, &v[i].at) == 0) {
			v[n - 1].count += v[i].count;
			v[n - 1].has_unexecuted &= v[i].has_unexecuted;
			continue;
		}
		v[n++] = v[i];
	}
	c->lines.n = n;
}

static void sort(struct rarog_coverage *c)
{
	if (c->functions.n > 1)
		qsort(c->functions.v, c->functions.n, sizeof(*c->functions.v), compare_functions);
	if (c->lines.n > 1)
		qsort(c->lines.v, c->lines.n, sizeof(*c->lines.v), compare_lines);
	if (c->decisions.n > 1)
		qsort(c->decisions.v, c->decisions.n, sizeof(*c->decisions.v), compare_decisions);
	join_functions(c);
	join_lines(c);
}

const char *rarog_coverage_file(const struct rarog_coverage *coverage,
				const struct rarog_coverage_position *at)
{
	const char *files[3] = { NULL, NULL, NULL }, *first = NULL;

	if (at->function < coverage->functions.n)
		files[0] = coverage->functions.v[at->function].at.file;
	if (at->line < coverage->lines.n)
		files[1] = coverage->lines.v[at->line].at.file;
	if (at->decision < coverage->decisions.n)
		files[2] = coverage->decisions.v[at->decision].at.file;
	for (size_t i = 0; i < RAROG_COUNT(files); i++)
		if (files[i] && (!first || strcmp(files[i], first) < 0))
			first = files[i];
	return first;
}

/* --- the whole --- */

/* The compiler makes functions that are not in the source (clang's that ends a program when a
 * destructor throws), and without debug information no lines are known. */
static bool is_of_source(const struct rarog_coverage *c,
			 const struct rarog_tally_function *function)
{
	const struct rarog_location *location = rarog_coverage_location(c, function);

	return location->file && location->line > 0;
}

/* Where the lists of lines and parts are: they move on with the functions. */
struct positions {
	size_t line, decision_line, part;
};

static int cover_function(struct cover *cover, struct positions *at)
{
	struct rarog_coverage *c = cover->c;
	size_t first = c->lines.n;
	int r = list_places(cover, &at->line);

	if (r == 0)
		r = add_function(c, cover->function);
	if (r == 0)
		r = add_places(cover);
	if (r == 0)
		r = add_head(c, cover->function, first);
	if (r == 0)
		r = add_decisions(c, cover->function, &at->decision_line);
	return r < 0 ? r : rarog_coverage_add_elsewhere(c, &cover->counter, &at->part);
}

static int gather(struct rarog_coverage *c)
{
	struct positions at = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->tally.n; i++) {
		struct cover cover = { .c = c, .function = &c->tally.functions[i] };

		if (!is_of_source(c, cover.function))
			continue;
		r = rarog_line_counter_init(&c->tally, cover.function, &cover.counter);
		if (r == 0)
			r = cover_function(&cover, &at);
		rarog_line_counter_release(&cover.counter);
		rarog_vec_release(&cover.places);
	}
	sort(c);
	return r;
}

int rarog_coverage_read(struct rarog_profile *profile, struct rarog_coverage *ret_coverage)
{
	int r;

	*ret_coverage = (struct rarog_coverage){ 0 };
	r = rarog_run_load(profile, &ret_coverage->run);
	if (r == 0)
		r = rarog_tally_read(profile, &ret_coverage->tally);
	if (r == 0)
		r = gather(ret_coverage);
	if (r < 0)
		rarog_coverage_release(ret_coverage);
	return r;
}

static bool has_elsewhere(const struct rarog_tally *tally,
			  const struct rarog_tally_function *function)
{
	for (uint32_t i = 0; function && tally->is_elsewhere && i < function->n; i++)
		if (tally->is_elsewhere[function->first + i])
			return true;
	return false;
}

/* Profiles of before do not say which these are. */
static void warn_elsewhere(const struct rarog_coverage *c, struct rarog_profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; c->tally.n_parts == 0 && i < c->functions.n; i++)
		n += has_elsewhere(&c->tally, c->functions.v[i].body);
	if (n > 0)
		rarog_warn("%s: lines that functions have in other files (#include, #line, "
			   "initialisers of members) are left out, in %zu function%s",
			   rarog_profile_path(profile), n, n == 1 ? "" : "s");
}

int rarog_coverage_warn(const struct rarog_coverage *coverage, struct rarog_profile *profile)
{
	if (coverage->functions.n == 0)
		rarog_warn("%s: no source lines are known; compile with -g",
			   rarog_profile_path(profile));
	warn_elsewhere(coverage, profile);
	rarog_optimised_warn(profile);
	return rarog_stale_warn(profile);
}

void rarog_coverage_release(struct rarog_coverage *coverage)
{
	rarog_vec_release(&coverage->functions);
	rarog_vec_release(&coverage->lines);
	rarog_vec_release(&coverage->decisions);
	rarog_tally_release(&coverage->tally);
}
