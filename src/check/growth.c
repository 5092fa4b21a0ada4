/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/growth.h"

#include <math.h>
#include <stdio.h>

#define GRID  33
#define LEVEL 0.999 /* of intervals: at so many x one of 95 % would miss one often enough */
#define TWICE 2     /* so much more at one end than at the other is no matter of the machine */

struct grid {
	double x[GRID];
	struct rarog_band of[2][GRID];
	double step[GRID]; /* ln target / baseline, where both models say that it is none of chance;
			      else 0 */
};

static double start_of(const struct rarog_modelled *e)
{
	return e->points.x[0];
}

static double end_of(const struct rarog_modelled *e)
{
	return e->points.x[e->points.n - 1];
}

/* By even factors where x allows it: small x are as many as large ones. */
static double place(double from, double to, size_t i)
{
	double part = (double)i / (GRID - 1);

	if (i + 1 == GRID)
		return to;
	return from > 0 ? from * pow(to / from, part) : from + (to - from) * part;
}

static bool is_outside(double value, const struct rarog_band *band)
{
	return value < band->low_one || value > band->high_one;
}

static double ratio_at(const struct grid *grid, size_t i)
{
	double baseline = grid->of[0][i].value, target = grid->of[1][i].value;

	return rarog_ratio(baseline, target, fmax(fabs(baseline), fabs(target)));
}

static double step_at(const struct rarog_growth_pair *pair, const struct grid *grid, size_t i)
{
	const struct rarog_band *baseline = &grid->of[0][i], *target = &grid->of[1][i];
	double step = log(ratio_at(grid, i));

	if (fabs(step) <= log1p(pair->effect.smallest))
		return 0;
	return is_outside(target->value, baseline) && is_outside(baseline->value, target) ? step
											  : 0;
}

static void fill(const struct rarog_growth_pair *pair, double from, double to, struct grid *grid)
{
	for (size_t i = 0; i < GRID; i++) {
		double x = grid->x[i] = place(from, to, i);

		for (int side = 0; side < 2; side++)
			rarog_estimate_band(pair->of[side], x, LEVEL, &grid->of[side][i]);
		grid->step[i] = step_at(pair, grid, i);
	}
}

static const struct rarog_choice *choice_of(const struct rarog_modelled *e)
{
	return &e->pieces.v[0].choice;
}

static enum rarog_class class_of(const struct rarog_growth_pair *pair, double step, bool is_sure)
{
	double relative = expm1(step);
	enum rarog_class class =
		rarog_effect_class(&pair->effect, relative, relative, relative, true);

	return is_sure ? class : rarog_class_at_most_maybe(class);
}

/* --- where --- */

static int sign(double step)
{
	return (step > 0) - (step < 0);
}

static void add_parts(const struct rarog_growth_pair *pair, const struct grid *grid,
		      struct rarog_model_word *word)
{
	for (size_t i = 0, k; i < GRID; i = k) {
		double worst = grid->step[i];

		for (k = i + 1; k < GRID && sign(grid->step[k]) == sign(grid->step[i]); k++)
			worst = fabs(grid->step[k]) > fabs(worst) ? grid->step[k] : worst;
		if (worst != 0)
			word->parts[word->n_parts++] = (struct rarog_change_part){
				.class = class_of(pair, worst, pair->is_exact),
				.from = grid->x[i],
				.to = grid->x[k - 1],
				.relative = expm1(worst),
			};
	}
}

/* Where the difference is largest: that is what it costs. */
static size_t find_largest(const struct grid *grid)
{
	double most = 0;
	size_t at = GRID - 1;

	for (size_t i = GRID; i-- > 0;) {
		double difference = fabs(grid->of[1][i].value - grid->of[0][i].value);

		if (grid->step[i] == 0 || difference <= most)
			continue;
		most = difference;
		at = i;
	}
	return at;
}

/* --- in words --- */

static const char *class_name(const struct rarog_modelled *e)
{
	const struct rarog_choice *choice = choice_of(e);

	return choice->is_told ? rarog_growth_names[choice->growth] : "of no certain class";
}

static void say(const struct rarog_growth_pair *pair, const struct grid *grid, size_t at,
		struct rarog_model_word *word)
{
	char text[2][100];

	for (int side = 0; side < 2; side++)
		rarog_model_text(choice_of(pair->of[side])->best, pair->x, sizeof(text[side]),
				 text[side]);
	word->baseline = grid->of[0][at].value;
	word->target = grid->of[1][at].value;
	word->relative = word->target / word->baseline - 1;
	snprintf(word->reason, sizeof(word->reason),
		 "%s (%s) before, %s (%s) now; amounts are at %s = %.6g", class_name(pair->of[0]),
		 text[0], class_name(pair->of[1]), text[1], pair->x, grid->x[at]);
}

/* --- the verdict --- */

/* Is target / baseline at @i, at its least, more than at @k at its most? */
static bool is_much_more(const struct grid *grid, const struct rarog_band *of[2], size_t i,
			 size_t k)
{
	double least = of[1][i].low_one / of[0][i].high_one;
	double most = of[1][k].high_one / of[0][k].low_one;

	return grid->step[i] != 0 && of[1][i].low_one > 0 && of[0][k].low_one > 0 &&
	       least > TWICE * most;
}

/* The smallest x at which intervals are above 0, so that ratios have some. */
static size_t find_begin(const struct grid *grid)
{
	size_t i = 0;

	while (i + 1 < GRID && !(grid->of[0][i].low_one > 0 && grid->of[1][i].low_one > 0))
		i++;
	return i;
}

/* One class and another, whose curves part; or, whatever their classes, one that grows so much
 * faster that the intervals at both ends tell. */
static bool has_changed(const struct rarog_growth_pair *pair, const struct grid *grid)
{
	const struct rarog_choice *baseline = choice_of(pair->of[0]);
	const struct rarog_choice *target = choice_of(pair->of[1]);
	const struct rarog_band *ahead[2] = { grid->of[0], grid->of[1] };
	const struct rarog_band *back[2] = { grid->of[1], grid->of[0] };
	size_t begin = find_begin(grid);

	if (baseline->is_told && target->is_told && baseline->growth != target->growth &&
	    fabs(log(ratio_at(grid, GRID - 1) / ratio_at(grid, 0))) > log1p(pair->effect.severe))
		return true;
	return is_much_more(grid, ahead, GRID - 1, begin) ||
	       is_much_more(grid, back, GRID - 1, begin);
}

/* Which one grows faster is seen at both ends, whatever the classes are called. */
static enum rarog_class class_of_growth(const struct rarog_growth_pair *pair,
					const struct grid *grid)
{
	bool is_faster_growing = ratio_at(grid, GRID - 1) > ratio_at(grid, 0);

	if (sign(grid->step[GRID - 1]) == (is_faster_growing ? 1 : -1))
		return class_of(pair, grid->step[GRID - 1], true);
	return is_faster_growing ? RAROG_CLASS_MAYBE_DEGRADATION : RAROG_CLASS_MAYBE_OPTIMIZATION;
}

static bool has_model(const struct rarog_modelled *e)
{
	return e->pieces.n > 0 && choice_of(e)->best;
}

void rarog_growth_judge(const struct rarog_growth_pair *pair, struct rarog_model_word *ret_word)
{
	struct rarog_model_word *word = ret_word;
	struct grid grid;
	double from, to;
	bool is_growth;
	size_t at;

	*word = (struct rarog_model_word){ .baseline = NAN, .target = NAN, .relative = NAN };
	for (int side = 0; side < 2; side++)
		if (!has_model(pair->of[side])) {
			snprintf(word->reason, sizeof(word->reason), "no model %s: %s",
				 side == 0 ? "before" : "now", pair->of[side]->reason);
			return;
		}
	from = fmax(start_of(pair->of[0]), start_of(pair->of[1]));
	to = fmin(end_of(pair->of[0]), end_of(pair->of[1]));
	if (from >= to) {
		snprintf(word->reason, sizeof(word->reason),
			 "%s was %.6g to %.6g before and is %.6g to %.6g now: nothing in common",
			 pair->x, start_of(pair->of[0]), end_of(pair->of[0]), start_of(pair->of[1]),
			 end_of(pair->of[1]));
		return;
	}
	fill(pair, from, to, &grid);
	is_growth = has_changed(pair, &grid);
	at = is_growth ? GRID - 1 : find_largest(&grid);
	word->class = is_growth                  ? class_of_growth(pair, &grid)
		      : pair->is_of_growth_alone ? RAROG_CLASS_NO_CHANGE
						 : class_of(pair, grid.step[at], pair->is_exact);
	add_parts(pair, &grid, word);
	say(pair, &grid, at, word);
}
