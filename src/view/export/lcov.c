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
		const struct rarog_covered_function *function = &c->functions.v[i];

		fprintf(out, "FN:%" PRIu32 ",", function->at.line);
		r = write_text(out, function->at.name);
		fprintf(out, "\nFNDA:%" PRIu64 ",", function->calls);
		if (r == 0)
			r = write_text(out, function->at.name);
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

			fprintf(out, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", decision->at.line,
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

		for (end = i; end < to && c->lines.v[end].at.line == c->lines.v[i].at.line; end++)
			count += c->lines.v[end].count;
		fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", c->lines.v[i].at.line, count);
		sums.found++;
		sums.hit += count > 0;
	}
	fprintf(out, "LF:%zu\nLH:%zu\n", sums.found, sums.hit);
}

/* Where the next file begins. */
static void skip(const struct rarog_coverage *c, const char *file,
		 struct rarog_coverage_position *at)
{
	while (at->function < c->functions.n &&
	       strcmp(c->functions.v[at->function].at.file, file) == 0)
		at->function++;
	while (at->line < c->lines.n && strcmp(c->lines.v[at->line].at.file, file) == 0)
		at->line++;
	while (at->decision < c->decisions.n &&
	       strcmp(c->decisions.v[at->decision].at.file, file) == 0)
		at->decision++;
}

static int lcov_write(struct rarog_profile *profile, const struct rarog_export_options *options,
		      FILE *out)
{
	rarog_cleanup(rarog_coverage_release) struct rarog_coverage c = { 0 };
	int r = rarog_coverage_read(profile, &c);
	struct rarog_coverage_position at = { 0 };
	const char *file;

	(void)options;
	if (r == 0)
		r = rarog_coverage_warn(&c, profile);
	while (r == 0 && (file = rarog_coverage_file(&c, &at))) {
		struct rarog_coverage_position end = at;

		skip(&c, file, &end);
		fputs("TN:\nSF:", out);
		r = write_text(out, file);
		fputc('\n', out);
		if (r == 0)
			r = write_functions(&c, at.function, end.function, out);
		write_branches(&c, at.decision, end.decision, out);
		write_lines(&c, at.line, end.line, out);
		fputs("end_of_record\n", out);
		at = end;
	}
	return r;
}

const struct rarog_export_format rarog_export_lcov = {
	.name = "lcov",
	.summary = "coverage by line, function and branch, for genhtml and editors",
	.use = RAROG_EXPORT_OF_BLOCKS,
	.write = lcov_write,
};
