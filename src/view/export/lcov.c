/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lcov's tracefile (geninfo(1)): for genhtml and everything that shows coverage. A record for each
 * source file; lines that several functions have (templates) are summed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "view/coverage.h"
#include "view/export/export.h"
#include "view/text.h"

struct sums {
	size_t found, hit;
};

/* A name may be anything, the format has no way to quote. */
static int write_text(FILE *out, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, text, false);

	fputs(rarog_str_text(&clean), out);
	return r;
}

static int write_functions(const struct rarog_coverage *c, size_t from, size_t to, FILE *out)
{
	struct sums sums = { 0 };
	int r = 0;

	for (size_t i = from; r == 0 && i < to; i++) {
		const struct rarog_tally_function *function = c->functions.v[i];
		const struct rarog_location *location = rarog_coverage_location(c, function);

		fprintf(out, "FN:%" PRIu32 ",", location->line);
		r = write_text(out, location->name ? location->name : "?");
		fprintf(out, "\nFNDA:%" PRIu64 ",", function->calls);
		if (r == 0)
			r = write_text(out, location->name ? location->name : "?");
		fputc('\n', out);
		sums.found++;
		sums.hit += function->calls > 0;
	}
	fprintf(out, "FNF:%zu\nFNH:%zu\n", sums.found, sums.hit);
	return r;
}

/* The block's number tells decisions on a line apart. */
static void write_branches(const struct rarog_coverage *c, size_t from, size_t to, FILE *out)
{
	struct sums sums = { 0 };

	for (size_t i = from; i < to; i++) {
		const struct rarog_covered_decision *decision = &c->decisions.v[i];
		uint32_t block = decision->function->first + decision->block;

		for (uint32_t k = 0; k < decision->n; k++) {
			uint64_t count = c->tally.edges[decision->first_edge + k].count;

			fprintf(out, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", decision->line,
				decision->block, k);
			if (c->tally.blocks[block].count == 0)
				fputs("-\n", out);
			else
				fprintf(out, "%" PRIu64 "\n", count);
			sums.hit += count > 0;
		}
		sums.found += decision->n;
	}
	fprintf(out, "BRF:%zu\nBRH:%zu\n", sums.found, sums.hit);
}

static void write_lines(const struct rarog_coverage *c, size_t from, size_t to, FILE *out)
{
	struct sums sums = { 0 };
	size_t end;

	for (size_t i = from; i < to; i = end) {
		uint64_t count = 0;

		for (end = i; end < to && c->lines.v[end].line == c->lines.v[i].line; end++)
			count += c->lines.v[end].count;
		fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", c->lines.v[i].line, count);
		sums.found++;
		sums.hit += count > 0;
	}
	fprintf(out, "LF:%zu\nLH:%zu\n", sums.found, sums.hit);
}

static bool is_of(const struct rarog_coverage *c, const struct rarog_tally_function *function,
		  const char *file)
{
	return strcmp(rarog_coverage_file(c, function), file) == 0;
}

static int lcov_write(struct rarog_profile *profile, const struct rarog_export_options *options,
		      FILE *out)
{
	rarog_cleanup(rarog_coverage_release) struct rarog_coverage c = { 0 };
	int r = rarog_coverage_read(profile, &c);
	size_t line = 0, end = 0, decision = 0, last = 0, to;

	(void)options;
	if (r == 0)
		r = rarog_coverage_warn(&c, profile);
	for (size_t i = 0; r == 0 && i < c.functions.n; i = to) {
		const char *file = rarog_coverage_file(&c, c.functions.v[i]);

		for (to = i; to < c.functions.n && is_of(&c, c.functions.v[to], file);)
			to++;
		for (end = line; end < c.lines.n && is_of(&c, c.lines.v[end].function, file);)
			end++;
		for (last = decision;
		     last < c.decisions.n && is_of(&c, c.decisions.v[last].function, file);)
			last++;
		fputs("TN:\nSF:", out);
		r = write_text(out, file);
		fputc('\n', out);
		if (r == 0)
			r = write_functions(&c, i, to, out);
		write_branches(&c, decision, last, out);
		write_lines(&c, line, end, out);
		fputs("end_of_record\n", out);
		line = end;
		decision = last;
	}
	return r;
}

const struct rarog_export_format rarog_export_lcov = {
	.name = "lcov",
	.summary = "coverage by line, function and branch, for genhtml and editors",
	.use = RAROG_EXPORT_OF_BLOCKS,
	.write = lcov_write,
};
