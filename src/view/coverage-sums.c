/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "view/coverage.h"

/* Walks over one file. */
struct walk {
	const struct rarog_coverage *c;
	const char *file;
	bool (*is_wanted)(const void *data, const struct rarog_location *location);
	const void *data;
	struct rarog_covered_sums sums;
};

static bool is_here(const struct walk *walk, const struct rarog_covered_place *place)
{
	return strcmp(place->file, walk->file) == 0;
}

/* @function: NULL, it has no body. */
static bool counts(const struct walk *walk, const struct rarog_tally_function *function)
{
	return !walk->is_wanted ||
	       (function &&
		walk->is_wanted(walk->data, rarog_coverage_location(walk->c, function)));
}

/* Blocks of what is only inlined are those of other functions. */
static void sum_functions(struct walk *walk, size_t *at)
{
	const struct rarog_covered_function *v = walk->c->functions.v;

	for (; *at < walk->c->functions.n && is_here(walk, &v[*at].at); (*at)++) {
		if (!counts(walk, v[*at].body))
			continue;
		walk->sums.functions++;
		walk->sums.functions_executed += v[*at].blocks_executed > 0 || v[*at].calls > 0;
		walk->sums.blocks += v[*at].body ? v[*at].blocks : 0;
		walk->sums.blocks_executed += v[*at].body ? v[*at].blocks_executed : 0;
	}
}

/* A line that several functions have (templates) is one. */
static void sum_lines(struct walk *walk, size_t *at)
{
	const struct rarog_covered_line *v = walk->c->lines.v;
	uint32_t line = 0;
	bool is_reached = false;

	for (; *at < walk->c->lines.n && is_here(walk, &v[*at].at); (*at)++) {
		if (!counts(walk, v[*at].function))
			continue;
		if (v[*at].at.line != line) {
			walk->sums.lines++;
			is_reached = false;
		}
		line = v[*at].at.line;
		walk->sums.lines_executed += !is_reached && v[*at].count > 0;
		is_reached |= v[*at].count > 0;
	}
}

static void sum_decisions(struct walk *walk, size_t *at)
{
	const struct rarog_covered_decision *v = walk->c->decisions.v;

	for (; *at < walk->c->decisions.n && is_here(walk, &v[*at].at); (*at)++) {
		if (!counts(walk, v[*at].function))
			continue;
		walk->sums.branches += v[*at].n;
		for (uint32_t i = 0; i < v[*at].n; i++)
			walk->sums.branches_taken +=
				walk->c->tally.edges[v[*at].first_edge + i].count > 0;
	}
}

const char *rarog_coverage_next_file(const struct rarog_coverage *coverage,
				     struct rarog_coverage_position *at,
				     bool (*is_wanted)(const void *data,
						       const struct rarog_location *location),
				     const void *data, struct rarog_covered_sums *ret_sums)
{
	struct walk walk = { .c = coverage, .is_wanted = is_wanted, .data = data };

	walk.file = rarog_coverage_file(coverage, at);
	if (!walk.file)
		return NULL;
	sum_functions(&walk, &at->function);
	sum_lines(&walk, &at->line);
	sum_decisions(&walk, &at->decision);
	*ret_sums = walk.sums;
	return walk.file;
}
