/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counted instructions of profiles of blocks. What does not differ from run to run needs no
 * statistics: any difference is one. Counts that do differ are compared by their ranges, and that
 * is said. The program as a whole decides: code that moved from one function to another is no
 * degradation.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "check/describe.h"
#include "check/exact-words.h"
#include "check/method.h"

enum { SMALLEST };

static const struct rarog_threshold thresholds[] = {
	[SMALLEST] = { "smallest", 0.0005, 0, 1,
		       "least change that matters, as a part of the program's instructions" },
	{ .name = NULL },
};

const struct rarog_metric rarog_metric_instructions = { "instructions", "instructions" };

#define RUNS_FOR_RANGES 6 /* a side: disjoint ranges by chance are then 1 in 462 */

struct exact {
	const struct rarog_comparison *c;
	struct rarog_verdict *verdict;
	double smallest;
	struct rarog_exact_side sides[2];
	double whole; /* instructions of a baseline run */
	enum rarog_class program;
	bool has_grown, has_shrunk; /* the program */
	size_t n_small, n_varying;
	const char *varying; /* the heaviest of them */
	double varying_most;
};

static void exact_release(struct exact *e)
{
	for (size_t side = 0; side < 2; side++)
		rarog_exact_side_release(&e->sides[side]);
}

/* --- amounts --- */

/* Of one thing on one side, over all runs. */
struct span {
	uint64_t least, most;
	double mean;
};

static struct span span_of(const struct exact *e, size_t side, size_t row)
{
	const struct rarog_exact_side *of = &e->sides[side];
	struct span span = { .least = UINT64_MAX };

	for (size_t run = 0; run < of->n_runs; run++) {
		uint64_t amount = row == RAROG_CHANGE_PROGRAM ? of->runs[run].tally.instructions
							      : of->runs[run].instructions[row];

		span.least = amount < span.least ? amount : span.least;
		span.most = amount > span.most ? amount : span.most;
		span.mean += (double)amount / (double)of->n_runs;
	}
	if (span.least == span.most)
		span.mean = (double)span.least;
	return span;
}

static bool varies(const struct span spans[2])
{
	return spans[0].least != spans[0].most || spans[1].least != spans[1].most;
}

/* --- verdicts --- */

/* By how much the target is above the baseline for certain; below: negative; 0: they overlap. */
static double certain_gain(const struct span spans[2])
{
	if (spans[1].least > spans[0].most)
		return (double)(spans[1].least - spans[0].most);
	if (spans[1].most < spans[0].least)
		return -(double)(spans[0].least - spans[1].most);
	return 0;
}

static double width(const struct span spans[2])
{
	uint64_t least = spans[0].least < spans[1].least ? spans[0].least : spans[1].least;
	uint64_t most = spans[0].most > spans[1].most ? spans[0].most : spans[1].most;

	return (double)(most - least);
}

/* Is a change of @instructions too small to matter? Where everything matters, still not 0. */
static bool is_small(const struct exact *e, double instructions)
{
	return instructions == 0 || fabs(instructions) < e->smallest * e->whole;
}

/* What was lost may be the whole difference. */
static bool is_complete(const struct exact *e)
{
	return e->sides[0].n_lossy == 0 && e->sides[1].n_lossy == 0;
}

static enum rarog_class classify(const struct exact *e, const struct span spans[2])
{
	double gain = certain_gain(spans);
	bool is_sure =
		is_complete(e) && (!varies(spans) || (e->sides[0].n_runs >= RUNS_FOR_RANGES &&
						      e->sides[1].n_runs >= RUNS_FOR_RANGES));

	if (is_small(e, width(spans)))
		return RAROG_CLASS_NO_CHANGE;
	if (gain == 0)
		return RAROG_CLASS_UNKNOWN;
	if (is_small(e, gain))
		return varies(spans) ? RAROG_CLASS_UNKNOWN : RAROG_CLASS_NO_CHANGE;
	if (gain > 0)
		return is_sure ? RAROG_CLASS_DEGRADATION : RAROG_CLASS_MAYBE_DEGRADATION;
	return is_sure ? RAROG_CLASS_OPTIMIZATION : RAROG_CLASS_MAYBE_OPTIMIZATION;
}

/* Runs differ, and what they differ by may only be luck: more of them would tell. */
static bool is_sure_later(const struct exact *e, const struct span spans[2])
{
	return varies(spans) && !is_small(e, width(spans)) &&
	       (e->sides[0].n_runs < RUNS_FOR_RANGES || e->sides[1].n_runs < RUNS_FOR_RANGES);
}

static void set_amounts(const struct exact *e, const struct span spans[2],
			struct rarog_change *change)
{
	change->metric = &rarog_metric_instructions;
	change->method = rarog_check_exact.name;
	change->baseline = spans[0].mean;
	change->target = spans[1].mean;
	if (change->baseline > 0)
		change->relative = change->target / change->baseline - 1;
	if (e->whole > 0)
		change->impact = (change->target - change->baseline) / e->whole;
}

/* NULL: no memory. */
static char *say_ranges(const struct span spans[2])
{
	return rarog_asprintf("not the same in every run: %" PRIu64 " to %" PRIu64
			      " before, %" PRIu64 " to %" PRIu64 " now",
			      spans[0].least, spans[0].most, spans[1].least, spans[1].most);
}

static int judge_program(struct exact *e)
{
	const struct span spans[2] = { span_of(e, 0, RAROG_CHANGE_PROGRAM),
				       span_of(e, 1, RAROG_CHANGE_PROGRAM) };
	struct rarog_change change = RAROG_CHANGE_INIT;
	rarog_cleanup(rarog_freep) char *reason = NULL;
	double gain = certain_gain(spans);

	e->whole = spans[0].mean;
	e->has_grown = gain > 0 && !is_small(e, gain);
	e->has_shrunk = gain < 0 && !is_small(e, gain);
	change.class = e->program = classify(e, spans);
	e->verdict->is_open |= change.class == RAROG_CLASS_UNKNOWN;
	e->verdict->is_unexplained |= is_sure_later(e, spans);
	set_amounts(e, spans, &change);
	if (varies(spans)) {
		reason = say_ranges(spans);
		if (!reason)
			return rarog_oom();
		change.reason = reason;
	}
	return rarog_verdict_add(e->verdict, &change);
}

/* Functions come and go by inlining; what they had is then in their callers. */
static enum rarog_class classify_row(const struct exact *e, size_t row, const struct span spans[2])
{
	const struct rarog_row_form *form = e->c->rows[row].form;
	enum rarog_class class = classify(e, spans);

	if (class == RAROG_CLASS_NO_CHANGE || class == RAROG_CLASS_UNKNOWN)
		return class;
	if (!form[RAROG_BASELINE].mangled || spans[0].most == 0)
		return RAROG_CLASS_NOT_IN_BASELINE;
	if (!form[RAROG_TARGET].mangled || spans[1].most == 0)
		return RAROG_CLASS_NOT_IN_TARGET;
	if (class == RAROG_CLASS_DEGRADATION && !e->has_grown)
		return RAROG_CLASS_MAYBE_DEGRADATION;
	return class == RAROG_CLASS_OPTIMIZATION && !e->has_shrunk ? RAROG_CLASS_MAYBE_OPTIMIZATION
								   : class;
}

/* What the program as a whole did, where that contradicts the function; NULL: it does not. */
static const char *contradiction(const struct exact *e, enum rarog_class class)
{
	if (e->program == RAROG_CLASS_UNKNOWN)
		return NULL;
	if (class == RAROG_CLASS_MAYBE_DEGRADATION && !e->has_grown)
		return "the program as a whole executes no more";
	if (class == RAROG_CLASS_MAYBE_OPTIMIZATION && !e->has_shrunk)
		return "the program as a whole executes no less";
	return NULL;
}

static int explain(const struct exact *e, const struct span spans[2], struct rarog_change *change,
		   char **ret_reason)
{
	if (!varies(spans))
		return rarog_exact_explain(e->c, e->sides, change->row,
					   contradiction(e, change->class), &change->line,
					   ret_reason);
	*ret_reason = say_ranges(spans);
	return *ret_reason ? 0 : rarog_oom();
}

static void note_varying(struct exact *e, size_t row, const struct span spans[2])
{
	if (!varies(spans))
		return;
	e->n_varying++;
	if (width(spans) > e->varying_most) {
		e->varying_most = width(spans);
		e->varying = rarog_row_name(&e->c->rows[row]);
	}
}

/* Why two names are one function, after what else is said. */
static int add_former_name(const struct rarog_row *row, char **reason)
{
	char *text;

	if (!row->matched_by || !row->form[RAROG_BASELINE].mangled ||
	    !row->form[RAROG_TARGET].mangled)
		return 0;
	text = rarog_asprintf("%s%s%s: was %s", *reason ? *reason : "", *reason ? "; " : "",
			      row->matched_by, row->form[RAROG_BASELINE].name);
	free(*reason);
	*reason = text;
	return text ? 0 : rarog_oom();
}

static int judge_row(struct exact *e, size_t row)
{
	const struct span spans[2] = { span_of(e, 0, row), span_of(e, 1, row) };
	struct rarog_change change = RAROG_CHANGE_INIT;
	rarog_cleanup(rarog_freep) char *reason = NULL;
	int r = 0;

	if (spans[0].most == 0 && spans[1].most == 0)
		return 0;
	note_varying(e, row, spans);
	change.class = classify_row(e, row, spans);
	rarog_describe_row(e->c, row, &change);
	set_amounts(e, spans, &change);
	if (change.class == RAROG_CLASS_NO_CHANGE)
		e->n_small += width(spans) > 0;
	else
		r = explain(e, spans, &change, &reason);
	if (r == 0)
		r = add_former_name(&e->c->rows[row], &reason);
	change.reason = reason;
	return r < 0 ? r : rarog_verdict_add(e->verdict, &change);
}

/* --- notes --- */

static int add_notes(struct exact *e)
{
	int r = 0;

	if (e->n_varying > 0)
		r = rarog_verdict_note(e->verdict,
				       "not deterministic: %zu function%s did not execute the same "
				       "instructions in every run, most of all %s",
				       e->n_varying, e->n_varying == 1 ? "" : "s", e->varying);
	else if (e->sides[0].n_runs < 2 || e->sides[1].n_runs < 2)
		r = rarog_verdict_note(e->verdict,
				       "one run of a version does not tell whether its counts are "
				       "the same every time; rarog collect --repeat 2 does");
	if (r == 0 && e->n_small > 0)
		r = rarog_verdict_note(
			e->verdict,
			"%zu more function%s changed by less than %g %% of the run's "
			"instructions; --method exact --set smallest=0 "
			"shows them",
			e->n_small, e->n_small == 1 ? "" : "s", e->smallest * 100);
	return r;
}

static int run(const struct rarog_comparison *comparison, const double t[],
	       struct rarog_verdict *verdict)
{
	rarog_cleanup(exact_release) struct exact e = { .c = comparison,
							.verdict = verdict,
							.smallest = t[SMALLEST] };
	int r = 0;

	if (!comparison->has_blocks)
		return rarog_fail(-ENODATA, "not all runs counted blocks (rarog collect blocks)");
	for (size_t side = 0; r == 0 && side < 2; side++)
		r = rarog_exact_side_read(comparison, side, &e.sides[side]);
	if (r == 0)
		r = judge_program(&e);
	for (size_t row = 0; r == 0 && row < comparison->n; row++)
		r = judge_row(&e, row);
	return r < 0 ? r : add_notes(&e);
}

const struct rarog_check_method rarog_check_exact = {
	.name = "exact",
	.summary = "executed instructions of profiles of blocks, compared exactly",
	.thresholds = thresholds,
	.run = run,
};
