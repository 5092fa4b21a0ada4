/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line that several blocks have code of was reached as often as control came into these from
 * elsewhere, and once more for each round of a loop that is on the line alone.
 */
#include "view/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "view/stale.h"
#include "view/text.h"

const struct rarog_location *rarog_coverage_location(const struct rarog_coverage *coverage,
						     const struct rarog_tally_function *function)
{
	return &coverage->run.locations[function->location];
}

const char *rarog_coverage_file(const struct rarog_coverage *coverage,
				const struct rarog_tally_function *function)
{
	return rarog_coverage_location(coverage, function)->file;
}

/* --- lines --- */

/* A line that a block has. */
struct place {
	uint32_t line, block; /* counted from the function's first */
	bool is_inlined;      /* the code is another function's, the line that of the call */
};

/* One function at a time. */
struct cover {
	struct rarog_coverage *c;
	const struct rarog_tally_function *function;
	const struct rarog_edge_count *edges; /* of the function */
	RAROG_VEC(struct place) places;
	uint32_t *into, *first_into; /* edges by the block they lead to; first_into[n]: their end */
	uint32_t *group;             /* the last group of places that a block was in … */
	uint32_t *reached;           /* … or was reached in */
	bool *is_before;             /* a block: control comes there without the line */
	uint32_t number;             /* of the group; not 0 */
};

static int by_line(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

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

		struct place place = {
			.line = block->line,
			.block = i,
			.is_inlined = rarog_tally_origin(tally, function->first + i) != NULL,
		};

		if (block->line > 0 && rarog_vec_push(&cover->places, place) < 0)
			return rarog_oom();
		for (; *line < tally->n_lines && tally->lines[*line].block <= function->first + i;
		     (*line)++)
			if (tally->lines[*line].block == function->first + i &&
			    rarog_vec_push(&cover->places,
					   (struct place){ .line = tally->lines[*line].line,
							   .block = i }) < 0)
				return rarog_oom();
	}
	if (cover->places.n > 1)
		qsort(cover->places.v, cover->places.n, sizeof(*cover->places.v), by_line);
	return 0;
}

static uint32_t target(const struct cover *cover, uint32_t edge)
{
	return cover->edges[edge].to - cover->function->first;
}

static uint32_t source(const struct cover *cover, uint32_t edge)
{
	return cover->edges[edge].from - cover->function->first;
}

/* By counting. */
static void sort_edges(struct cover *cover)
{
	uint32_t n = cover->function->n, sum = 0;

	for (uint32_t i = 0; i < cover->function->n_edges; i++)
		cover->first_into[target(cover, i)]++;
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t here = i < n ? cover->first_into[i] : 0;

		cover->first_into[i] = sum;
		sum += here;
	}
	for (uint32_t i = cover->function->n_edges; i-- > 0;)
		cover->into[cover->first_into[target(cover, i) + 1] - 1 -
			    cover->reached[target(cover, i)]++] = i;
	memset(cover->reached, 0, n * sizeof(*cover->reached));
}

/* Does the way back @edge close a loop inside of the group? Ways on go to later blocks. */
static bool is_loop(struct cover *cover, size_t n, const struct place places[n], uint32_t edge)
{
	uint32_t first = target(cover, edge), last = source(cover, edge);

	for (size_t i = 0; i < n; i++) {
		uint32_t block = places[i].block;
		bool is_reached = block == first;

		for (uint32_t k = cover->first_into[block];
		     !is_reached && k < cover->first_into[block + 1]; k++) {
			uint32_t from = source(cover, cover->into[k]);

			is_reached = from < block && from >= first &&
				     cover->group[from] == cover->number &&
				     cover->reached[from] == edge + 1;
		}
		cover->reached[block] = is_reached ? edge + 1 : 0;
	}
	return cover->reached[last] == edge + 1;
}

/* Marks the blocks that control comes to without having been on the line. */
static void find_before(struct cover *cover)
{
	bool is_changed = true;
	uint32_t n = cover->function->n;

	memset(cover->is_before, 0, n * sizeof(*cover->is_before));
	cover->is_before[0] = cover->group[0] != cover->number;
	while (is_changed) {
		is_changed = false;
		for (uint32_t i = 0; i < cover->function->n_edges; i++) {
			uint32_t from = source(cover, i), to = target(cover, i);

			if (!cover->is_before[from] || cover->is_before[to] ||
			    cover->group[to] == cover->number)
				continue;
			cover->is_before[to] = true;
			is_changed |= to < from; /* edges are in the order of their sources */
		}
	}
}

/* Is @block on the line, or does control come to it from an earlier block that is? */
static bool begins_here(const struct cover *cover, uint32_t block)
{
	if (cover->group[block] == cover->number)
		return true;
	for (uint32_t k = cover->first_into[block]; k < cover->first_into[block + 1]; k++) {
		uint32_t from = source(cover, cover->into[k]);

		if (from < block && cover->group[from] == cover->number)
			return true;
	}
	return false;
}

/* Does @block lead back to a round of a loop that begins on the line? */
static bool is_round(const struct cover *cover, uint32_t block)
{
	for (uint32_t i = 0; i < cover->function->n_edges; i++)
		if (source(cover, i) == block && target(cover, i) < block &&
		    begins_here(cover, target(cover, i)))
			return true;
	return false;
}

/* Control that was on the line and comes back without a round only ends what has begun there: an
 * operator whose operands are on several lines. */
static bool is_continued(const struct cover *cover, uint32_t from, uint32_t block)
{
	return from < block && !cover->is_before[from] && !is_round(cover, block);
}

/* What comes into the blocks places[n) of one line, which are in order. */
static uint64_t count_ways(struct cover *cover, size_t n, const struct place places[n],
			   bool *is_known)
{
	uint64_t sum = 0;

	find_before(cover);
	for (size_t i = 0; i < n; i++) {
		uint32_t block = places[i].block;

		sum += block == 0 ? cover->function->calls : 0;
		for (uint32_t k = cover->first_into[block]; k < cover->first_into[block + 1]; k++) {
			uint32_t edge = cover->into[k], from = source(cover, edge);

			bool is_here = cover->group[from] == cover->number;

			if (is_here ? from < block || !is_loop(cover, n, places, edge)
				    : is_continued(cover, from, block))
				continue;
			sum += cover->edges[edge].count;
			*is_known &= !cover->edges[edge].is_unknown;
		}
	}
	return sum;
}

static bool is_jump(const struct cover *cover, uint32_t block)
{
	const struct rarog_tally *tally = &cover->c->tally;
	const struct rarog_block_count *v = &tally->blocks[cover->function->first + block];

	if (v->instructions > 1 || v->column > 0)
		return false;
	for (uint32_t i = 0; i < cover->function->n_edges; i++)
		if (source(cover, i) == block)
			return true;
	return false; /* a return */
}

/* Is it a jump that goes on on the line, as one side of a ?: may be, or the way back of a loop,
 * whose head that line is? */
static bool stays(const struct cover *cover, uint32_t block)
{
	for (uint32_t i = 0; i < cover->function->n_edges; i++) {
		uint32_t to = target(cover, i);

		if (source(cover, i) == block && (to <= block || cover->group[to] == cover->number))
			return true;
	}
	return false;
}

/* The end of a statement may be a jump that is a block by itself and that nobody wrote, so that it
 * has no column: that does not come to the line, if there is more on it. Returns how many places
 * are left; those are of the group. */
static size_t without_jumps(struct cover *cover, size_t n, struct place places[n])
{
	size_t kept = 0;

	cover->number++;
	for (size_t i = 0; i < n; i++)
		if (!is_jump(cover, places[i].block)) {
			cover->group[places[i].block] = cover->number;
			kept++;
		}
	if (kept == 0) /* the first is what was written: others are ends of statements */
		cover->group[places[0].block] = cover->number;
	for (size_t i = 0; i < n; i++)
		if (stays(cover, places[i].block))
			cover->group[places[i].block] = cover->number;
	kept = 0;
	for (size_t i = 0; i < n; i++)
		if (cover->group[places[i].block] == cover->number)
			places[kept++] = places[i];
	return kept;
}

/* What runs in inlined code is no matter of the line that calls it: that is reached where the
 * line's own code is, or, if it has none, where the inlined code begins. */
static size_t without_inlined(size_t n, struct place places[n])
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!places[i].is_inlined)
			places[kept++] = places[i];
	return kept > 0 ? kept : 1;
}

static int add_line(struct cover *cover, size_t n, struct place places[n])
{
	const struct rarog_block_count *blocks = &cover->c->tally.blocks[cover->function->first];
	struct rarog_covered_line line = { .line = places[0].line, .function = cover->function };
	bool is_known = true;
	uint64_t sum;

	n = without_inlined(n, places);
	n = without_jumps(cover, n, places);
	for (size_t i = 0; i < n; i++) {
		uint64_t count = blocks[places[i].block].count;

		line.count = count > line.count ? count : line.count;
		line.has_unexecuted |= count == 0;
	}
	sum = n > 1 ? count_ways(cover, n, places, &is_known) : 0;
	if (is_known && sum > line.count)
		line.count = sum;
	return rarog_vec_push(&cover->c->lines, line) == 0 ? 0 : rarog_oom();
}

static int add_places(struct cover *cover)
{
	struct place *places = cover->places.v;
	size_t n = cover->places.n, end;
	int r = 0;

	sort_edges(cover);
	for (size_t i = 0; r == 0 && i < n; i = end) {
		for (end = i + 1; end < n && places[end].line == places[i].line;)
			end++;
		r = add_line(cover, end - i, places + i);
	}
	return r;
}

static int add_lines(struct rarog_coverage *c, const struct rarog_tally_function *function,
		     size_t *line)
{
	size_t n = function->n;
	rarog_cleanup(rarog_freep) uint32_t *room =
		calloc(3 * n + 1 + function->n_edges, sizeof(*room));
	rarog_cleanup(rarog_freep) bool *is_before = calloc(n, sizeof(*is_before));
	struct cover cover = { .c = c,
			       .function = function,
			       .is_before = is_before,
			       .edges = c->tally.edges + function->first_edge };
	int r = room && is_before ? list_places(&cover, line) : rarog_oom();

	if (r == 0) {
		cover.group = room;
		cover.reached = room + n;
		cover.first_into = room + 2 * n;
		cover.into = room + 3 * n + 1;
		r = add_places(&cover);
	}
	rarog_vec_release(&cover.places);
	return r;
}

/* The line that a function begins at, often one without code (its name, or a brace): it is reached
 * by each call, and readers of coverage look there for the function. */
static int add_head(struct rarog_coverage *c, const struct rarog_tally_function *function,
		    size_t first)
{
	const struct rarog_covered_line line = {
		.line = rarog_coverage_location(c, function)->line,
		.function = function,
		.count = function->calls,
		.has_unexecuted = function->calls == 0,
	};

	for (size_t i = first; i < c->lines.n; i++)
		if (c->lines.v[i].line == line.line)
			return 0;
	/* without lines of its own there is no debug information of them */
	return first == c->lines.n || rarog_vec_push(&c->lines, line) == 0 ? 0 : rarog_oom();
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

/* Its line is another file's: on those of the block nothing is decided. */
static bool is_decided_elsewhere(const struct rarog_tally *tally, uint32_t block)
{
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

		for (end = i + 1; end < last && edges[end].from == edges[i].from;)
			end++;
		decision.n = end - i;
		if (decision.n > 1 && !is_decided_elsewhere(&c->tally, edges[i].from))
			decision.line = last_line(&c->tally, edges[i].from, line);
		if (decision.line > 0 && rarog_vec_push(&c->decisions, decision) < 0)
			return rarog_oom();
	}
	return 0;
}

/* --- order --- */

static int compare_functions(const struct rarog_coverage *c, const struct rarog_tally_function *a,
			     const struct rarog_tally_function *b)
{
	const struct rarog_location *x = rarog_coverage_location(c, a);
	const struct rarog_location *y = rarog_coverage_location(c, b);
	int order = strcmp(x->file, y->file);

	if (order != 0)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	order = strcmp(rarog_location_title(x), rarog_location_title(y));
	return order ? order : (a > b) - (a < b);
}

static int by_place(const void *a, const void *b, void *coverage)
{
	return compare_functions(coverage, *(const struct rarog_tally_function *const *)a,
				 *(const struct rarog_tally_function *const *)b);
}

static int by_file(const void *a, const void *b, void *coverage)
{
	const struct rarog_covered_line *x = a, *y = b;
	int order = strcmp(rarog_coverage_file(coverage, x->function),
			   rarog_coverage_file(coverage, y->function));

	if (order != 0)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return compare_functions(coverage, x->function, y->function);
}

static int by_decision(const void *a, const void *b, void *coverage)
{
	const struct rarog_covered_decision *x = a, *y = b;
	const struct rarog_covered_line at = { .line = x->line, .function = x->function };
	const struct rarog_covered_line other = { .line = y->line, .function = y->function };
	int order = by_file(&at, &other, coverage);

	return order ? order : (x->block > y->block) - (x->block < y->block);
}

static void sort(struct rarog_coverage *c)
{
	if (c->functions.n > 1)
		qsort_r(c->functions.v, c->functions.n, sizeof(*c->functions.v), by_place, c);
	if (c->lines.n > 1)
		qsort_r(c->lines.v, c->lines.n, sizeof(*c->lines.v), by_file, c);
	if (c->decisions.n > 1)
		qsort_r(c->decisions.v, c->decisions.n, sizeof(*c->decisions.v), by_decision, c);
}

/* The compiler makes functions that are not in the source (clang's that ends a program when a
 * destructor throws), and without debug information no lines are known. */
static bool is_of_source(const struct rarog_coverage *c,
			 const struct rarog_tally_function *function)
{
	const struct rarog_location *location = rarog_coverage_location(c, function);

	return location->file && location->line > 0;
}

static int gather(struct rarog_coverage *c)
{
	size_t line = 0, decision_line = 0, first;
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->tally.n; i++) {
		const struct rarog_tally_function *function = &c->tally.functions[i];

		if (!is_of_source(c, function))
			continue;
		if (rarog_vec_push(&c->functions, function) < 0)
			return rarog_oom();
		first = c->lines.n;
		r = add_lines(c, function, &line);
		if (r == 0)
			r = add_head(c, function, first);
		if (r == 0)
			r = add_decisions(c, function, &decision_line);
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
	for (uint32_t i = 0; tally->is_elsewhere && i < function->n; i++)
		if (tally->is_elsewhere[function->first + i])
			return true;
	return false;
}

static void warn_elsewhere(const struct rarog_coverage *c, struct rarog_profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; i < c->functions.n; i++)
		n += has_elsewhere(&c->tally, c->functions.v[i]);
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
	return rarog_stale_warn(profile);
}

void rarog_coverage_release(struct rarog_coverage *coverage)
{
	rarog_vec_release(&coverage->functions);
	rarog_vec_release(&coverage->lines);
	rarog_vec_release(&coverage->decisions);
	rarog_tally_release(&coverage->tally);
}
