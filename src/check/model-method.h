/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame of methods that compare models: which are compared, and what is said of it. */
#ifndef RAROG_CHECK_MODEL_METHOD_H
#define RAROG_CHECK_MODEL_METHOD_H

#include "check/contrast.h"
#include "check/curves.h"
#include "check/method.h"

/* Which models of a function are compared. */
enum rarog_model_choice {
	RAROG_CHOICE_PARAMETRIC,     /* the best parametric one of each side */
	RAROG_CHOICE_NON_PARAMETRIC, /* the best other one */
	RAROG_CHOICE_BOTH,           /* these two pairs */
	RAROG_CHOICE_ALL,            /* every family with itself */
};

struct rarog_model_pair {
	const struct rarog_models *all[2]; /* of the function, by side */
	const struct rarog_model *model[2];
};

/* What one pair says. RAROG_CLASS_UNKNOWN: nothing, .reason has why. */
struct rarog_model_word {
	enum rarog_class class;
	double baseline, target, relative; /* NAN: not known */
	char reason[300];
	size_t n_parts; /* where along x */
	struct rarog_change_part parts[RAROG_LOCAL_PARTS_MAX];
};

struct rarog_model_method {
	const struct rarog_check_method *method;
	size_t stored; /* index of the threshold: models that came along go first */
	enum rarog_model_choice choice;
	enum rarog_model_rule rule;
	/* Judge a pair; 0, -ENOMEM. -EDOM with message: it cannot be judged. */
	int (*judge)(const struct rarog_model_pair *pair, const double thresholds[],
		     struct rarog_model_word *word);
};

/** rarog_model_method_run() - every function that has models: append what @how says of it */
int rarog_model_method_run(const struct rarog_model_method *how,
			   const struct rarog_comparison *comparison, const double thresholds[],
			   struct rarog_verdict *verdict);

/** rarog_model_pair_trust() - the smaller one of both models' trust. */
double rarog_model_pair_trust(const struct rarog_model_pair *pair);

/** rarog_model_word_set() - amounts and class by @contrast, UNKNOWN below the @least trust. Return:
 * the pair's trust. */
double rarog_model_word_set(struct rarog_model_word *word, const struct rarog_model_pair *pair,
			    const struct rarog_contrast *contrast, double maybe, double sure,
			    double least);

/* The last threshold of every method of this kind. */
#define RAROG_THRESHOLD_STORED                                                                     \
	{                                                                                          \
		"stored-models", 0, 0, 1,                                                          \
			"1: models that came with an imported profile go before own ones"          \
	}

/* The one before it. */
#define RAROG_THRESHOLD_RULE                                                                       \
	{                                                                                          \
		"rule", 0, 0, 1, "the best model: 0 by AICc, simple ones first; 1 by R2 alone"     \
	}

/** rarog_model_method_rule() - what that threshold means. */
static inline enum rarog_model_rule rarog_model_method_rule(double threshold)
{
	return threshold > 0 ? RAROG_MODEL_R2 : RAROG_MODEL_AICC;
}

/* rarog_check_ID, and its run(). In @choice_ thresholds are t[]. */
#define RAROG_MODEL_METHOD(id, judge_, choice_, name_, short_, summary_)                           \
	static int run_##id(const struct rarog_comparison *comparison, const double t[],           \
			    struct rarog_verdict *verdict)                                         \
	{                                                                                          \
		const struct rarog_model_method how = { .method = &rarog_check_##id,               \
							.stored = STORED,                          \
							.choice = (choice_),                       \
							.rule = rarog_model_method_rule(t[RULE]),  \
							.judge = judge_ };                         \
                                                                                                   \
		return rarog_model_method_run(&how, comparison, t, verdict);                       \
	}                                                                                          \
	const struct rarog_check_method rarog_check_##id = { .name = name_,                        \
							     .short_name = short_,                 \
							     .summary = summary_,                  \
							     .needs_times = true,                  \
							     .needs_models = true,                 \
							     .thresholds = thresholds,             \
							     .run = run_##id }

#endif
