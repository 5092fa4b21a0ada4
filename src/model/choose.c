/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which family, and whether that is certain. Families are compared by the criterion of the weighted
 * residuals; a class is stated when all models of other classes are excluded.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/family.h"

#define NO_BETTER    2.0     /* a larger model that comes no nearer adds nothing */
#define MISFIT       1e-3    /* probability of leaving so much more than repeats differ by */
#define EXPONENT     0.05    /* so near to a whole one is that */
#define NEAR_WHOLE   0.15    /* … and, of few points, may well be */
#define SMALL_POWER  1.2     /* no algorithm of textbooks has a smaller one above 1 */
#define FARTHER      1.25    /* what two models of counts leave: one is as good as the other */
#define SURE         0.99865 /* that an exponent is not whole: three standard errors of many points */
#define EXPLAINED    0.5 /* R² that a class has; of others above it a cost is not called constant */
#define LEAST        5   /* points: of fewer a cubic goes through all */
#define FEW          16  /* points that were measured once: others are excluded … */
#define FEWER        2.0 /* … so much farther away, and none if points may be off by more than … */
#define NOISY        0.12 /* … this part of them */
#define NOISY_POWER  0.05 /* … or, of a power, this */
#define REPEATS      5.0  /* medians of so many are not measured once */
#define FREEDOM      4.0  /* of few: degrees that a class needs … */
#define FREEDOM_BENT 6.0  /* … and a power, or a curve of more than two terms … */
#define NO_NOISE     5e-4 /* … unless points are off by less than this */
#define LUCK         0.05 /* probability that they are so near by chance */
#define EXACT        50.0 /* a coefficient more, where none leaves anything */
#define ROUNDING     0.5  /* of counts: nothing is left … */
#define IN_ALL       1e-6 /* … if it is this part of the least, too */
#define NOT_EXACT    1e6  /* so many, to leave something where another leaves nothing */

/* What is counted is whole, so a half is nothing, if it is of many. */
static bool leaves_nothing(const struct rarog_model *model)
{
	double least = fmin(fabs(rarog_model_value(model, model->x_start)),
			    fabs(rarog_model_value(model, model->x_end)));

	return model->residual_ss == 0 || model->rmse <= fmin(ROUNDING, IN_ALL * least);
}

/* Squares that are left, or those of what is foretold. */
static double squares_of(const struct rarog_model *model, enum rarog_model_rule rule)
{
	if (leaves_nothing(model))
		return 0;
	return rule == RAROG_MODEL_CV ? (double)model->n * model->cv * model->cv
				      : model->deviation * model->deviation * model->freedom;
}

/* Of few points a ratio of squares is large by chance, as Student's t is: so it counts as often as
 * there are degrees of freedom, nearly (Wallace 1959), not as there are points. */
static double worth(const struct rarog_model *model)
{
	double f = model->freedom, part = (8 * f + 1) / (8 * f + 3);

	return f * part * part;
}

/* n ln(σ²) + k ln n: the criterion of Schwarz, which does not prefer more terms as n grows. How
 * much worse is @a than @b? Below 0: it is better. */
static double behind(const struct rarog_model *a, const struct rarog_model *b,
		     enum rarog_model_rule rule)
{
	double more = squares_of(a, rule), less = squares_of(b, rule),
	       terms = a->parameters - b->parameters,
	       penalty = rule == RAROG_MODEL_CV ? 0 : terms * log((double)a->n);

	/* of those that leave nothing at all, as counts do, the smallest is the true one */
	if (more == 0 || less == 0)
		return EXACT * (terms + (more > 0 ? NOT_EXACT : 0) - (less > 0 ? NOT_EXACT : 0));
	return penalty + (more > less ? worth(b) * log(more / less) : -worth(a) * log(less / more));
}

/* Growth by an exponent that is known to @error. */
static enum rarog_growth class_of_exponent(double exponent, double error)
{
	static const enum rarog_growth whole[] = { RAROG_GROWTH_CONSTANT, RAROG_GROWTH_LINEAR,
						   RAROG_GROWTH_QUADRATIC, RAROG_GROWTH_CUBIC };
	double near = round(exponent);

	if (exponent < EXPONENT)
		return RAROG_GROWTH_CONSTANT;
	if (near >= 0 && near <= 3 && fabs(exponent - near) < fmax(EXPONENT, 3 * error))
		return whole[(int)near];
	return RAROG_GROWTH_POWER;
}

static enum rarog_growth class_of(const struct rarog_model *model)
{
	if (model->family == &rarog_family_power)
		return class_of_exponent(model->b[1], model->error[1]);
	if (model->family == &rarog_family_shifted_power && model->b[1] > 0)
		return class_of_exponent(model->b[2], model->error[2]);
	return rarog_model_growth(model);
}

static bool is_small_power(const struct rarog_candidate *one)
{
	const struct rarog_model *model = one->model;
	double exponent = model->b[model->family == &rarog_family_power ? 1 : 2];

	return one->growth == RAROG_GROWTH_POWER && exponent > 1 && exponent < SMALL_POWER;
}

static const struct rarog_candidate *first_of(const struct rarog_choice *choice,
					      enum rarog_growth growth)
{
	for (size_t i = 0; i < choice->n; i++)
		if (choice->candidates[i].growth == growth)
			return &choice->candidates[i];
	return NULL;
}

/* Criteria take what no model knows of counts for evidence. */
static bool is_as_near(const struct rarog_models *models, const struct rarog_candidate *one,
		       const struct rarog_candidate *other)
{
	return one->behind < other->behind + RAROG_CHOICE_EXCLUDED ||
	       (models->are_counts && one->model->deviation < FARTHER * other->model->deviation);
}

/* n log n beside a linear term looks like a power just above 1, which no textbook has: where both
 * come near, it is n log n. */
static void name_small_powers(const struct rarog_models *models, struct rarog_choice *choice)
{
	const struct rarog_candidate *linearithmic = first_of(choice, RAROG_GROWTH_LINEARITHMIC);

	for (size_t i = 0; linearithmic && i < choice->n; i++) {
		struct rarog_candidate *one = &choice->candidates[i];

		if (is_small_power(one) && is_as_near(models, linearithmic, one))
			one->growth = RAROG_GROWTH_LINEARITHMIC;
	}
}

static int compare(const void *a, const void *b)
{
	double x = ((const struct rarog_candidate *)a)->behind,
	       y = ((const struct rarog_candidate *)b)->behind;

	return (x > y) - (x < y);
}

/* A curve with a coefficient for each point goes through them all, and says nothing. */
static bool is_candidate(const struct rarog_model *model)
{
	return model->family->n_coefficients > 0 && model->n > 0 && model->freedom > 0;
}

/* The one that none is better than. */
static const struct rarog_model *best_of(const struct rarog_choice *choice,
					 enum rarog_model_rule rule)
{
	const struct rarog_model *best = choice->candidates[0].model;

	for (size_t round = 0; round < choice->n; round++)
		for (size_t i = 0; i < choice->n; i++)
			if (behind(choice->candidates[i].model, best, rule) < 0)
				best = choice->candidates[i].model;
	return best;
}

static void rank(struct rarog_choice *choice, enum rarog_model_rule rule)
{
	const struct rarog_model *best = best_of(choice, rule);
	double sum = 0;

	for (size_t i = 0; i < choice->n; i++) {
		struct rarog_candidate *one = &choice->candidates[i];

		one->behind = one->model == best ? 0 : behind(one->model, best, rule);
		sum += one->weight = exp(-one->behind / 2);
	}
	for (size_t i = 0; i < choice->n; i++)
		choice->candidates[i].weight /= sum;
	qsort(choice->candidates, choice->n, sizeof(choice->candidates[0]), compare);
}

static void list(const struct rarog_models *models, enum rarog_model_rule rule,
		 struct rarog_choice *choice)
{
	for (size_t i = 0; i < models->n; i++)
		if (is_candidate(&models->v[i]))
			choice->candidates[choice->n++] =
				(struct rarog_candidate){ .model = &models->v[i],
							  .growth = class_of(&models->v[i]) };
	if (choice->n > 0)
		rank(choice, rule);
	if (rule != RAROG_MODEL_R2) /* which looks at each function as it is */
		name_small_powers(models, choice);
}

static bool misfits(const struct rarog_models *models, const struct rarog_model *best)
{
	double left = best->deviation * best->deviation * best->freedom - models->pure_ss,
	       freedom = best->freedom - models->pure_freedom;

	if (models->pure_freedom < 5 || freedom < 1 || !(models->pure_ss > 0) || left <= 0)
		return false;
	return gsl_cdf_fdist_Q(left / freedom / (models->pure_ss / models->pure_freedom), freedom,
			       models->pure_freedom) < MISFIT;
}

/* Few points of which nothing says how far they are off by themselves. */
static bool are_few(const struct rarog_models *models, const struct rarog_choice *choice)
{
	return choice->best->n < FEW && models->pure_freedom == 0;
}

static bool is_of_textbooks(const struct rarog_model *model, enum rarog_growth growth)
{
	if (model->family == &rarog_family_linear_linearithmic)
		return growth == RAROG_GROWTH_LINEARITHMIC;
	return strcmp(model->family->name, rarog_growth_names[growth]) == 0;
}

/* A power that looks like n log n. */
static bool stands_for_another(const struct rarog_choice *choice)
{
	return choice->growth == RAROG_GROWTH_LINEARITHMIC &&
	       !is_of_textbooks(choice->best, choice->growth);
}

static double terms_of(const struct rarog_choice *choice)
{
	return stands_for_another(choice) ? (double)rarog_family_linear_linearithmic.n_coefficients
					  : choice->best->parameters;
}

/* How far behind the best an addition of terms to it adds nothing: few points charge less for a
 * coefficient than chance gives it. */
static double adds_nothing(const struct rarog_model *larger, double terms)
{
	return NO_BETTER - terms * fmax(0, log(FEW / (double)larger->n));
}

/* Powers between whole ones are what sums of whole ones look like, whatever the number of these. */
static void mark_rivals(const struct rarog_models *models, struct rarog_choice *choice)
{
	double excluded = RAROG_CHOICE_EXCLUDED * (are_few(models, choice) ? FEWER : 1);

	for (size_t i = 0; i < choice->n; i++) {
		struct rarog_candidate *one = &choice->candidates[i];
		double more = one->model->parameters - terms_of(choice);
		bool is_larger = choice->growth != RAROG_GROWTH_POWER && more > 0;

		one->is_rival =
			one->growth != choice->growth &&
			one->behind < (is_larger ? adds_nothing(one->model, more) : excluded);
	}
}

static const struct rarog_candidate *first_rival(const struct rarog_choice *choice)
{
	for (size_t i = 0; i < choice->n; i++)
		if (choice->candidates[i].is_rival)
			return &choice->candidates[i];
	return NULL;
}

/* What is near to many small y, whose errors are small, and to few of the large ones: a steep curve
 * that goes up for a single large y, above all. A constant explains nothing by itself, so it is
 * compared with what others do. */
static bool explains_nothing(const struct rarog_choice *choice)
{
	double most = 0;

	for (size_t i = 0; i < choice->n; i++)
		if (choice->candidates[i].growth != choice->growth &&
		    choice->candidates[i].model->parameters <= 2)
			most = fmax(most, choice->candidates[i].model->r2);
	if (leaves_nothing(choice->best))
		return false;
	return choice->growth == RAROG_GROWTH_CONSTANT ? most > EXPLAINED
						       : choice->best->r2 < EXPLAINED;
}

/* How far points are off the curve in the midst of them, as a part of the amount there: at most,
 * for few are near it by luck. */
static double noise_of(const struct rarog_model *model)
{
	double from = model->x_start, to = model->x_end, f = model->freedom,
	       value = fabs(rarog_model_value(model, from > 0 ? sqrt(from * to) : (from + to) / 2));
	double most = model->deviation * sqrt(f / gsl_cdf_chisq_Pinv(LUCK, f));

	return value > 0 ? most * pow(value, model->error_power - 1) : 0;
}

static bool are_repeated(const struct rarog_models *models)
{
	return models->repeats >= REPEATS;
}

/* Degrees of freedom that few points have to have: more if the curve bends to single ones. */
static double freedom_for(const struct rarog_models *models, const struct rarog_choice *choice)
{
	bool bends = choice->best->parameters > 2 || choice->growth == RAROG_GROWTH_POWER;

	return bends && !are_repeated(models) ? FREEDOM_BENT : FREEDOM;
}

/* Whatever goes through so few points is not excluded. Counts that leave nothing are none of it,
 * and those that leave hardly anything only of very few. */
static bool are_too_few(const struct rarog_models *models, const struct rarog_choice *choice)
{
	const struct rarog_model *best = choice->best;

	if (leaves_nothing(best) || best->n < LEAST)
		return !leaves_nothing(best);
	return are_few(models, choice) && best->freedom < freedom_for(models, choice) &&
	       noise_of(best) > NO_NOISE;
}

/* By how much points may be off: what has more terms bends to it, and so does an exponent. */
static double most_noise(const struct rarog_models *models, const struct rarog_model *model)
{
	if (model->parameters > 2)
		return are_repeated(models) ? NOISY_POWER : NOISY / 5;
	return model->family == &rarog_family_power ? NOISY_POWER : NOISY;
}

/* Nothing is repeated, so noise and what a model misses look alike. */
static bool are_few_and_noisy(const struct rarog_models *models, const struct rarog_choice *choice)
{
	return are_few(models, choice) && noise_of(choice->best) > most_noise(models, choice->best);
}

/* Of few points the error of an exponent is small by luck, as Student's t says, and far too small
 * of some of many functions. */
static bool may_be_whole(const struct rarog_models *models, const struct rarog_choice *choice)
{
	const struct rarog_model *best = choice->best;
	size_t at = best->family == &rarog_family_power ? 1 : 2;
	double near = are_few(models, choice) ? NEAR_WHOLE : EXPONENT;

	if (choice->growth != RAROG_GROWTH_POWER ||
	    (at == 2 && best->family != &rarog_family_shifted_power))
		return false;
	return fabs(best->b[at] - round(best->b[at])) <
	       fmax(near, best->error[at] * gsl_cdf_tdist_Pinv(SURE, best->freedom));
}

static void decide(const struct rarog_models *models, struct rarog_choice *choice)
{
	const struct rarog_candidate *rival;
	const char *name = rarog_growth_names[choice->growth];
	size_t size = sizeof(choice->reason);

	mark_rivals(models, choice);
	rival = first_rival(choice);
	if (rival)
		snprintf(choice->reason, size, "%s is as likely as %s",
			 rarog_growth_names[rival->growth], name);
	else if (are_too_few(models, choice))
		snprintf(choice->reason, size,
			 "%s is the nearest, but %zu points are too few to exclude others", name,
			 choice->best->n);
	else if (may_be_whole(models, choice))
		snprintf(choice->reason, size,
			 "%s is the nearest, but a whole exponent is as likely as what %zu points "
			 "have",
			 name, choice->best->n);
	else if (are_few_and_noisy(models, choice))
		snprintf(choice->reason, size,
			 "%s is the nearest, but %s%zu inputs%s may be off by %.0f %%; %smore "
			 "inputs tell",
			 name, are_repeated(models) ? "" : "each of ", choice->best->n,
			 are_repeated(models) ? "" : " was measured once, and they",
			 100 * noise_of(choice->best), are_repeated(models) ? "" : "repeats, or ");
	else if (misfits(models, choice->best))
		snprintf(choice->reason, size,
			 "%s is the nearest, but repeated inputs differ by less than the points "
			 "from it",
			 name);
	else if (explains_nothing(choice))
		snprintf(choice->reason, size,
			 "%s is the nearest to the small amounts, but explains less than half of "
			 "what the large ones differ by",
			 name);
	choice->is_told = *choice->reason == '\0';
}

/* A class of textbooks in their words, if the points allow it: n, not n^0.986; n^2, and no cubic
 * whose last term is negative, so that it turns down where inputs are larger. */
static const struct rarog_model *in_plain_words(const struct rarog_choice *choice)
{
	if (choice->growth == RAROG_GROWTH_POWER || is_of_textbooks(choice->best, choice->growth))
		return choice->best;
	for (size_t i = 0; i < choice->n; i++) {
		const struct rarog_candidate *one = &choice->candidates[i];

		if ((one->behind < RAROG_CHOICE_EXCLUDED || stands_for_another(choice)) &&
		    is_of_textbooks(one->model, choice->growth) &&
		    one->model->parameters <= terms_of(choice))
			return one->model;
	}
	return choice->best;
}

void rarog_models_choose(const struct rarog_models *models, enum rarog_model_rule rule,
			 struct rarog_choice *ret_choice)
{
	struct rarog_choice choice = { .best = NULL };

	list(models, rule, &choice);
	/* Those fitted elsewhere have no criterion. */
	choice.best = rule != RAROG_MODEL_R2 && choice.n > 0
			      ? choice.candidates[0].model
			      : rarog_models_best(models, rule, true);
	if (choice.best) {
		choice.growth = rule != RAROG_MODEL_R2 && choice.n > 0 ? choice.candidates[0].growth
								       : class_of(choice.best);
		choice.is_told = rule == RAROG_MODEL_R2;
		for (size_t i = 0; i < choice.n; i++)
			if (choice.candidates[i].growth == choice.growth)
				choice.certainty += choice.candidates[i].weight;
	}
	if (choice.best && rule != RAROG_MODEL_R2)
		decide(models, &choice);
	if (choice.is_told && rule != RAROG_MODEL_R2)
		choice.best = in_plain_words(&choice);
	*ret_choice = choice;
}
