/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Durations of single calls have a long tail: another program had the processor, a page was not
 * there. Calls of like x therefore become one point, their median (rarog_points_settle()), and the
 * model is that of a typical call. Runs, and counts of anything, are taken as they are.
 */
#include "model/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/family.h"
#include "model/points-arguments.h"

#define POINTS_MIN 3
#define NEAR       0.005
#define LEVEL      0.5 /* R² of what is called constant */
#define PREEMPTED  0.1 /* of the time of calls */
#define SLICE_NS   1e6 /* calls below it are mostly left alone: slices are 3 ms and more */

void rarog_estimate_release(struct rarog_modelled *estimate)
{
	rarog_points_release(&estimate->points);
	rarog_pieces_release(&estimate->pieces);
}

const struct rarog_model *rarog_estimate_model(const struct rarog_modelled *estimate, size_t i)
{
	const struct rarog_piece *piece = &estimate->pieces.v[i];

	if (piece->choice.best)
		return piece->choice.best;
	return piece->models.n > 0 ? &piece->models.v[0] : NULL;
}

const struct rarog_model *rarog_estimate_at(const struct rarog_modelled *estimate, double x)
{
	const struct rarog_pieces *pieces = &estimate->pieces;

	for (size_t i = 0; i < pieces->n; i++)
		if (x <= pieces->v[i].to || i + 1 == pieces->n)
			return rarog_estimate_model(estimate, i);
	return NULL;
}

void rarog_estimate_band(const struct rarog_modelled *estimate, double x, double level,
			 struct rarog_band *ret_band)
{
	const struct rarog_model *model = rarog_estimate_at(estimate, x);
	struct rarog_band band = { NAN, NAN, NAN, NAN, NAN, NAN };

	if (model)
		rarog_model_band(model, x, level, &band);
	if (band.beyond > 1 && (band.value < 0 || model->family->n_coefficients == 0)) {
		/* it turned down, and no amount is negative; or it has no formula */
		band.value = NAN;
		band.low = band.high = band.low_one = band.high_one = NAN;
	} else if (model) {
		band.low = isnan(band.low) ? NAN : fmax(0, band.low);
		band.low_one = isnan(band.low_one) ? NAN : fmax(0, band.low_one);
		band.high = isnan(band.high) ? NAN : fmax(0, band.high);
		band.high_one = isnan(band.high_one) ? NAN : fmax(0, band.high_one);
	}
	*ret_band = band;
}

/* --- what there is too little of --- */

static size_t count_distinct(const struct rarog_points *points)
{
	size_t n = points->n > 0;

	for (size_t i = 1; i < points->n; i++)
		n += points->x[i] != points->x[i - 1];
	return n;
}

bool rarog_cost_is_repeated(const struct rarog_costing *cost)
{
	return cost->points.groups || count_distinct(&cost->points) < cost->points.n;
}

static const char *things(const struct rarog_costs *of)
{
	return of->is_over_runs ? "runs" : "calls";
}

/* Return: are there enough points? Else the reason is set. */
static bool are_enough(const struct rarog_costing *cost, const struct rarog_costs *of,
		       struct rarog_modelled *estimate)
{
	const struct rarog_points *points = &cost->points;
	size_t size = sizeof(estimate->reason), distinct = count_distinct(points);
	char *text = estimate->reason;

	if (cost->is_mixed)
		snprintf(text, size, "its runs have different x; --x chooses one");
	else if (points->seen + points->left_out == 0 && cost->n_unknown > 0)
		snprintf(text, size, "%s", cost->why_unknown);
	else if (points->seen == 0)
		snprintf(text, size, "none of its %zu points is a finite number", points->left_out);
	else if (distinct == 1)
		snprintf(text, size, "%s is always %.15g; %s with other values are needed", cost->x,
			 points->x[0], things(of));
	else if (distinct < POINTS_MIN)
		snprintf(text, size, "%s has %zu values only, %.15g and %.15g; a model needs %d",
			 cost->x, distinct, points->x[0], points->x[points->n - 1], POINTS_MIN);
	return *text == '\0';
}

/* --- the points as they are fitted --- */

static int copy_points(const struct rarog_costing *cost, struct rarog_points *to)
{
	int r = rarog_points_merge(to, &cost->points);

	return r < 0 ? r : rarog_points_sort(to);
}

static int prepare(const struct rarog_costing *cost, const struct rarog_costs *of,
		   const struct rarog_estimate_options *options, struct rarog_modelled *estimate)
{
	size_t enough = count_distinct(&cost->points);
	int r = copy_points(cost, &estimate->points);

	estimate->n_calls = cost->points.seen;
	if (r == 0 && of->unit != RAROG_UNIT_NS)
		rarog_points_drop_doubles(&estimate->points);
	if (r < 0 || of->is_over_runs || of->unit != RAROG_UNIT_NS || options->is_of_means)
		return r;
	estimate->are_typical = true;
	r = rarog_points_settle(&estimate->points, &estimate->repeats);
	if (r < 0 || count_distinct(&estimate->points) >= POINTS_MIN || enough < POINTS_MIN)
		return r;
	/* too few to be put together */
	estimate->are_typical = false;
	estimate->repeats = 0;
	rarog_points_release(&estimate->points);
	return copy_points(cost, &estimate->points);
}

/* --- models --- */

static bool is_asked(const char *family, const char *const families[])
{
	for (size_t i = 0; families[i]; i++)
		if (strcmp(families[i], family) == 0)
			return true;
	return false;
}

static void keep_only(struct rarog_models *models, const char *const families[])
{
	size_t kept = 0;

	for (size_t i = 0; i < models->n; i++) {
		if (!is_asked(models->v[i].family->name, families))
			rarog_model_release(&models->v[i]);
		else
			models->v[kept++] = models->v[i];
	}
	models->n = kept;
}

static bool are_some_left_out(const char *const families[])
{
	for (size_t i = 0; families && rarog_model_families[i]; i++)
		if (rarog_model_families[i]->n_coefficients > 0 &&
		    !is_asked(rarog_model_families[i]->name, families))
			return true;
	return false;
}

/* Among what was asked for there is a nearest one, but nothing else was excluded. */
static void say_what_was_asked(struct rarog_choice *choice)
{
	choice->is_told = false;
	snprintf(choice->reason, sizeof(choice->reason),
		 "only what was asked for was compared; without --family all are");
}

/* Of the families that were asked for none fits: what the first of them says. */
static int say_why_none(const struct rarog_estimate_options *options,
			const struct rarog_model_options *fit, struct rarog_modelled *estimate)
{
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	const struct rarog_points *points = &estimate->points;
	const char *name = options->families ? options->families[0] : "constant";
	int r = rarog_model_fit(rarog_model_family(name), points->n, points->x, points->y, fit,
				&model);

	snprintf(estimate->reason, sizeof(estimate->reason), "%s: %s", name,
		 r < 0 ? rarog_error_message() : "not among these points");
	rarog_error_clear();
	return r == -ENOMEM ? r : 0;
}

/* All points at once. */
static int fit_full(const struct rarog_estimate_options *options,
		    const struct rarog_pieces_options *fit, struct rarog_modelled *estimate)
{
	const struct rarog_points *points = &estimate->points;
	struct rarog_piece *piece = calloc(1, sizeof(*piece));
	int r;

	if (!piece)
		return rarog_oom();
	estimate->pieces = (struct rarog_pieces){ 1, piece };
	piece->from = points->x[0];
	piece->to = points->x[points->n - 1];
	piece->n = points->n;
	r = rarog_models_fit(points->n, points->x, points->y, &fit->model, &piece->models);
	if (r < 0)
		return r;
	if (options->families)
		keep_only(&piece->models, options->families);
	rarog_models_choose(&piece->models, fit->rule, &piece->choice);
	if (piece->choice.best && are_some_left_out(options->families))
		say_what_was_asked(&piece->choice);
	return piece->models.n > 0 ? 0 : say_why_none(options, &fit->model, estimate);
}

/* How far points are off, as a part of the largest. */
static double off_by(const struct rarog_model *model, double most)
{
	return model->error_power > 0 ? model->deviation * pow(most, model->error_power - 1)
				      : model->rmse / most;
}

/*
 * What a model of counts leaves is no noise: it is the part of the program that the model does not
 * know, the same in each run, and criteria take it for evidence of one more term. So no class is
 * stated if a simpler one of a textbook comes as near as NEAR of the largest count, or of each
 * where what is left grows with them.
 */
static void doubt(const struct rarog_points *points, struct rarog_choice *choice)
{
	double most = 0;

	if (!choice->best || !choice->is_told || choice->best->residual_ss == 0)
		return;
	for (size_t i = 0; i < points->n; i++)
		most = fmax(most, fabs(points->y[i]));
	for (size_t i = 0; choice->is_told && i < choice->n; i++) {
		const struct rarog_candidate *one = &choice->candidates[i];

		if (one->growth == choice->growth || one->growth == RAROG_GROWTH_POWER ||
		    one->model->parameters > choice->best->parameters ||
		    off_by(one->model, most) > NEAR)
			continue;
		choice->is_told = false;
		snprintf(choice->reason, sizeof(choice->reason),
			 "%s comes within %.1g %%, too, and counts have no noise that would tell",
			 rarog_growth_names[one->growth], 100 * NEAR);
	}
}

/* Of long calls on a busy machine wall times are no measure of how cost grows. */
static void doubt_long(const struct rarog_costing *cost, const struct rarog_points *points,
		       struct rarog_choice *choice)
{
	double longest = cost->longest, part = cost->ticks > 0 ? cost->preempted / cost->ticks : 0;

	for (size_t i = 0; cost->longest == 0 && i < points->n; i++)
		longest = fmax(longest, points->y[i]);
	if (!choice->is_told || part < PREEMPTED || longest < SLICE_NS)
		return;
	choice->is_told = false;
	snprintf(choice->reason, sizeof(choice->reason),
		 "%s is the nearest, but other programs had the processor for %.0f %% of the time "
		 "of these calls, and long ones lose more; instructions (--engine vex) tell",
		 rarog_growth_names[choice->growth], 100 * part);
}

/* By which power it grows over the last doubling of x, whatever is constant. */
static double last_power(const struct rarog_model *model)
{
	double start = rarog_model_value(model, model->x_start),
	       half = rarog_model_value(model, fmax(model->x_start, model->x_end / 2));

	return log2((rarog_model_value(model, model->x_end) - start) / (half - start));
}

/* Larger inputs leave caches: what is linear gets a quadratic term of that, which is there beyond
 * doubt and says nothing of the algorithm; what is logarithmic, or linear, looks like a small
 * power. The term that makes the class has to make the cost. */
static bool is_mostly_linear(const struct rarog_model *model)
{
	return model->family == &rarog_family_linear_linearithmic &&
	       model->b[2] * log(model->x_end) < model->b[1];
}

static void doubt_small(struct rarog_choice *choice)
{
	static const double least[] = { [RAROG_GROWTH_QUADRATIC] = 1.5,
					[RAROG_GROWTH_CUBIC] = 2.5,
					[RAROG_GROWTH_POWER] = 1.3 };
	double wanted = choice->growth < RAROG_COUNT(least) ? least[choice->growth] : 0;

	if (!choice->is_told || (!is_mostly_linear(choice->best) &&
				 (wanted == 0 || !(last_power(choice->best) < wanted))))
		return;
	choice->is_told = false;
	snprintf(choice->reason, sizeof(choice->reason),
		 "%s is the nearest, but most of the cost grows more slowly, and caches alone may "
		 "do "
		 "the rest; larger inputs tell",
		 rarog_growth_names[choice->growth]);
}

static bool falls(const struct rarog_model *model)
{
	return rarog_model_value(model, model->x_end) < rarog_model_value(model, model->x_start);
}

/* A constant whose curve falls, and says by that most of what amounts differ by, is none. */
static bool is_level(const struct rarog_choice *choice)
{
	return choice->growth == RAROG_GROWTH_CONSTANT && choice->best->r2 < LEVEL;
}

/* No input makes a call faster by being larger: the first ones were cold, or the points are bad. */
static void doubt_falling(struct rarog_choice *choice)
{
	if (!choice->is_told || is_level(choice) || !falls(choice->best))
		return;
	choice->is_told = false;
	snprintf(choice->reason, sizeof(choice->reason),
		 "%s is the nearest, but the time falls as inputs grow, so something else than "
		 "they decides",
		 rarog_growth_names[choice->growth]);
}

/* A run may well be faster by more threads, say: that is a power below 0, and no constant. */
static void name_falling(struct rarog_choice *choice)
{
	if (!choice->is_told || choice->growth != RAROG_GROWTH_CONSTANT || !falls(choice->best))
		return;
	for (size_t i = 0; i < choice->n; i++)
		if (choice->candidates[i].model->family == &rarog_family_constant &&
		    choice->candidates[i].behind < RAROG_CHOICE_EXCLUDED)
			return;
	choice->growth = RAROG_GROWTH_POWER;
}

static void doubt_all(const struct rarog_costs *of, const struct rarog_estimate_options *options,
		      struct rarog_modelled *estimate)
{
	for (size_t i = 0; options->fit.rule != RAROG_MODEL_R2 && i < estimate->pieces.n; i++) {
		struct rarog_choice *choice = &estimate->pieces.v[i].choice;

		if (of->unit == RAROG_UNIT_COUNT)
			doubt(&estimate->points, choice);
		if (of->unit == RAROG_UNIT_NS)
			doubt_small(choice);
		if (of->unit == RAROG_UNIT_NS && !of->is_over_runs)
			doubt_falling(choice);
		else
			name_falling(choice);
		if (of->unit == RAROG_UNIT_NS)
			doubt_long(estimate->cost, &estimate->points, choice);
	}
}

static int fit(const struct rarog_costs *of, const struct rarog_estimate_options *options,
	       struct rarog_modelled *estimate)
{
	static const char *const none[] = { NULL }; /* smoothers are no candidates of the choice */
	const struct rarog_points *points = &estimate->points;
	struct rarog_pieces_options with = options->fit;
	int r;

	with.model.are_counts = of->unit == RAROG_UNIT_COUNT;
	/* medians of many are not so much better than of few */
	with.model.weights = estimate->are_typical ? NULL : points->w;
	with.model.repeats = estimate->repeats;
	with.model.smoothers = options->families ? options->families : none;
	if (with.method == RAROG_METHOD_FULL)
		return fit_full(options, &with, estimate);
	if (options->families)
		return rarog_fail(-EINVAL, "--family goes with --method full only");
	r = rarog_pieces_fit(points->n, points->x, points->y, &with, &estimate->pieces);
	if (r != -EDOM)
		return r;
	snprintf(estimate->reason, sizeof(estimate->reason), "%s", rarog_error_message());
	rarog_error_clear();
	return 0;
}

int rarog_estimate(const struct rarog_costing *cost, const struct rarog_costs *of,
		   const struct rarog_estimate_options *options,
		   struct rarog_modelled *ret_estimate)
{
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled estimate = { .cost = cost };
	int r = 0;

	if (are_enough(cost, of, &estimate)) {
		r = prepare(cost, of, options, &estimate);
		if (r == 0)
			r = fit(of, options, &estimate);
		doubt_all(of, options, &estimate);
	} else if (cost->points.n > 0) {
		r = copy_points(cost, &estimate.points);
	}
	if (r == 0)
		*ret_estimate = rarog_take_struct(estimate);
	return r;
}
