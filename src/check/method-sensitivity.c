/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments with noise of two versions (`rarog blow`): does more, or less, of the run hang on a
 * function? What hangs on it is the part of a delay that reaches the end, times its time; of faster
 * code, what would be gained. It is compared in time and not as a part of the run, since a part
 * also grows where the rest became faster.
 *
 * What the estimates are sure of is in their intervals. The time of the function is of one traced
 * run and has none: where the estimates agree and only the time differs, that is at most a maybe.
 */
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "check/describe.h"
#include "check/method.h"
#include "profile/effects.h"

enum { ALPHA, SMALLEST };

static const struct rarog_threshold thresholds[] = {
	[ALPHA] = { "alpha", 0.05, 1e-6, 0.5, "chance of a false alarm, over all functions" },
	[SMALLEST] = { "smallest-effect", 0.02, 0, 10,
		       "part of the run that is too small to matter" },
	{ .name = NULL },
};

static const struct rarog_metric metric_sensitivity = { "sensitivity", "" };
static const struct rarog_metric metric_gain = { "gain", "" };

/* A function in one version, over all its experiments: weighted by how sure they are. */
struct known {
	double weights, values, shares;
	size_t n;
	bool is_bent; /* one of them is of small noise only */
};

struct sensitivity {
	const struct rarog_comparison *c;
	struct rarog_verdict *verdict;
	const double *limits;
	struct known *known[2]; /* by row */
	double run_ns[2];
	size_t n_runs[2], tests;
	bool is_gain;
	const char *kind;  /* of noise */
	bool are_kinds;    /* … there are several */
	char *settings;    /* of the first run … */
	bool are_settings; /* … there are others */
	double z;          /* of the interval, with all the tests in mind */
};

static void release(struct sensitivity *s)
{
	free(s->known[0]);
	free(s->known[1]);
	free(s->settings);
}

/* --- what is known of each side --- */

#define Z95 1.959963984540054

static void add_row(struct sensitivity *s, size_t side, size_t row,
		    const struct rarog_effect_row *effect)
{
	struct known *known = &s->known[side][row];
	double error = fmax((effect->high - effect->low) / (2 * Z95), 1e-6);
	double weight = 1 / (error * error);

	s->is_gain |= effect->is_gain;
	s->are_kinds |= s->kind && strcmp(s->kind, effect->experiment->kind) != 0;
	s->kind = effect->experiment->kind;
	known->weights += weight;
	known->values += weight * effect->value;
	known->shares += effect->is_gain ? 1 : effect->share;
	known->n++;
	known->is_bent |= effect->is_bent;
}

static void note_settings(struct sensitivity *s, struct rarog_effects *effects)
{
	if (!s->settings)
		s->settings = rarog_take(effects->settings);
	else if (effects->settings)
		s->are_settings |= strcmp(s->settings, effects->settings) != 0;
}

static int read_run(struct sensitivity *s, size_t side, size_t run)
{
	rarog_cleanup(rarog_effects_release) struct rarog_effects effects = { 0 };
	int r = rarog_effects_read(s->c->sides[side].runs.v[run].profile, &effects);

	for (size_t i = 0; r == 0 && i < effects.v.n; i++) {
		uint32_t row = s->c->row_of[side][run][effects.v.v[i].experiment->location];

		if (row != RAROG_NONE)
			add_row(s, side, row, &effects.v.v[i]);
	}
	if (r == 0)
		note_settings(s, &effects);
	if (r == 0 && effects.run_ns > 0) {
		s->run_ns[side] += effects.run_ns;
		s->n_runs[side]++;
	}
	return r;
}

static int read_side(struct sensitivity *s, size_t side)
{
	int r = 0;

	s->known[side] = calloc(s->c->n + 1, sizeof(*s->known[side]));
	if (!s->known[side])
		return rarog_oom();
	for (size_t run = 0; r == 0 && run < s->c->sides[side].runs.n; run++)
		r = read_run(s, side, run);
	if (s->n_runs[side] > 0)
		s->run_ns[side] /= (double)s->n_runs[side];
	return r;
}

/* --- one function --- */

static double estimate_of(const struct known *known)
{
	return known->values / known->weights;
}

static double share_of(const struct known *known)
{
	return known->shares / (double)known->n;
}

static double hangs_on(const struct known *known)
{
	return estimate_of(known) * share_of(known);
}

/* Of what hangs on it, in parts of a baseline run. */
static double error_of(const struct sensitivity *s, size_t side, const struct known *known)
{
	return share_of(known) / sqrt(known->weights) * s->run_ns[side] / s->run_ns[0];
}

/* Why it is not sure though the intervals say so; NULL: it is. */
static const char *doubt_of(const struct sensitivity *s, const struct known *a,
			    const struct known *b, double impact)
{
	double more = estimate_of(b) - estimate_of(a);

	if (s->are_settings)
		return ", but not all runs have the same progress point or strength";
	if (a->is_bent || b->is_bent)
		return ", but the effect does not grow as the noise does";
	if (copysign(more, impact) != more ||
	    fabs(more) <= s->z * sqrt(1 / a->weights + 1 / b->weights))
		return ", by the time that the function takes alone";
	return NULL;
}

static enum rarog_class class_of(const struct sensitivity *s, double impact, double error,
				 bool is_sure)
{
	double low = impact - s->z * error, high = impact + s->z * error;
	double smallest = s->limits[SMALLEST];
	enum rarog_class class;

	if (low > -smallest && high < smallest)
		return RAROG_CLASS_NO_CHANGE;
	if (low <= 0 && high >= 0)
		return RAROG_CLASS_UNKNOWN;
	if (fabs(impact) < smallest)
		return RAROG_CLASS_NO_CHANGE;
	if (low > 0)
		class = low > smallest ? RAROG_CLASS_DEGRADATION : RAROG_CLASS_MAYBE_DEGRADATION;
	else
		class = high < -smallest ? RAROG_CLASS_OPTIMIZATION
					 : RAROG_CLASS_MAYBE_OPTIMIZATION;
	return is_sure ? class : rarog_class_at_most_maybe(class);
}

/* NULL: no memory. */
static char *reason_of(const struct sensitivity *s, const struct rarog_change *change,
		       const char *doubt)
{
	double ns = fabs(change->impact) * s->run_ns[0];

	if (change->class == RAROG_CLASS_UNKNOWN)
		return rarog_asprintf("the intervals are too wide to tell: give rarog blow more "
				      "--budget");
	return rarog_asprintf("%s %s %s than before%s", rarog_format_ns((uint64_t)(ns + 0.5)).text,
			      change->impact < 0 ? "less" : "more",
			      s->is_gain ? "would be gained" : "of the run hang on it",
			      doubt ? doubt : "");
}

static int judge_both(struct sensitivity *s, const struct known *a, const struct known *b,
		      struct rarog_change *change)
{
	double ratio = s->run_ns[1] / s->run_ns[0];
	double error = hypot(error_of(s, 0, a), error_of(s, 1, b));
	double before = hangs_on(a);
	const char *doubt;
	rarog_cleanup(rarog_freep) char *reason = NULL;

	change->baseline = before;
	change->target = hangs_on(b);
	change->impact = change->target * ratio - before;
	doubt = doubt_of(s, a, b, change->impact);
	change->class = class_of(s, change->impact, error, !doubt);
	if (before > 0) {
		change->relative = change->impact / before;
		change->low = (change->impact - s->z * error) / before;
		change->high = (change->impact + s->z * error) / before;
	}
	s->verdict->is_open |= change->class == RAROG_CLASS_UNKNOWN;
	if (change->class != RAROG_CLASS_NO_CHANGE) {
		reason = reason_of(s, change, doubt);
		if (!reason)
			return rarog_oom();
	}
	change->reason = reason;
	return rarog_verdict_add(s->verdict, change);
}

static int judge_row(struct sensitivity *s, size_t row)
{
	const struct known *a = &s->known[0][row], *b = &s->known[1][row];
	struct rarog_change change = RAROG_CHANGE_INIT;

	if (a->n == 0 && b->n == 0)
		return 0;
	rarog_describe_row(s->c, row, &change);
	change.metric = s->is_gain ? &metric_gain : &metric_sensitivity;
	change.method = rarog_check_sensitivity.name;
	if (a->n > 0 && b->n > 0)
		return judge_both(s, a, b, &change);
	change.class = RAROG_CLASS_UNKNOWN;
	change.reason = "noise was put into it in one version only";
	change.baseline = a->n > 0 ? hangs_on(a) : NAN;
	change.target = b->n > 0 ? hangs_on(b) : NAN;
	return rarog_verdict_add(s->verdict, &change);
}

/* --- all --- */

static int note_runs(struct sensitivity *s)
{
	return rarog_verdict_note(s->verdict,
				  "experiments with noise: a run without noise took %s before and "
				  "%s now; rarog check --measure compares these times",
				  rarog_format_ns((uint64_t)s->run_ns[0]).text,
				  rarog_format_ns((uint64_t)s->run_ns[1]).text);
}

static int run(const struct rarog_comparison *comparison, const double limits[],
	       struct rarog_verdict *verdict)
{
	rarog_cleanup(release) struct sensitivity s = { .c = comparison,
							.verdict = verdict,
							.limits = limits };
	int r = 0;

	if (!comparison->has_experiments)
		return rarog_fail(-ENODATA, "not all profiles have experiments (rarog blow -o)");
	for (size_t side = 0; r == 0 && side < 2; side++)
		r = read_side(&s, side);
	if (r == 0 && s.are_kinds)
		return rarog_fail(-ENODATA, "experiments with another kind of noise say something "
					    "else and are not compared");
	if (r == 0 && (s.n_runs[0] == 0 || s.n_runs[1] == 0))
		return rarog_fail(-ENODATA, "a profile does not say how long a run takes");
	for (size_t row = 0; r == 0 && row < comparison->n; row++)
		s.tests += s.known[0][row].n > 0 && s.known[1][row].n > 0;
	s.z = gsl_cdf_ugaussian_Qinv(limits[ALPHA] / 2 / (double)(s.tests + (s.tests == 0)));
	verdict->tests += s.tests;
	for (size_t row = 0; r == 0 && row < comparison->n; row++)
		r = judge_row(&s, row);
	return r < 0 ? r : note_runs(&s);
}

const struct rarog_check_method rarog_check_sensitivity = {
	.name = "sensitivity",
	.summary = "experiments with noise: how much of the run depends on each function",
	.thresholds = thresholds,
	.run = run,
};
