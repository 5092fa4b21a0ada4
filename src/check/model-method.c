/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/model-method.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "check/describe.h"

static const struct rarog_metric metric_curve = { "model", "ns" };

double rarog_model_pair_trust(const struct rarog_model_pair *pair)
{
	return fmin(rarog_models_trust(pair->all[0], pair->model[0]),
		    rarog_models_trust(pair->all[1], pair->model[1]));
}

double rarog_model_word_set(struct rarog_model_word *word, const struct rarog_model_pair *pair,
			    const struct rarog_contrast *contrast, double maybe, double sure,
			    double least)
{
	double trust = rarog_model_pair_trust(pair);

	word->baseline = contrast->baseline;
	word->target = contrast->target;
	word->relative = contrast->ratio - 1;
	word->class = trust < least ? RAROG_CLASS_UNKNOWN
				    : rarog_class_of_ratio(contrast->ratio, maybe, sure);
	return trust;
}

struct run {
	const struct rarog_model_method *how;
	const double *thresholds;
	const struct rarog_comparison *comparison;
	struct rarog_verdict *verdict;
	size_t judged, unknown;
	bool is_undecided; /* of the row: a pair that says nothing, the first one */
	struct rarog_model_word undecided;
};

static int add(struct run *run, size_t row, const struct rarog_model_word *word)
{
	struct rarog_change change = RAROG_CHANGE_INIT;

	rarog_describe_row(run->comparison, row, &change);
	change.class = word->class;
	change.metric = &metric_curve;
	change.baseline = word->baseline;
	change.target = word->target;
	change.relative = word->relative;
	change.method = run->how->method->name;
	change.reason = word->reason[0] ? word->reason : NULL;
	change.parts = word->parts;
	change.n_parts = word->n_parts;
	run->judged++;
	run->unknown += word->class == RAROG_CLASS_UNKNOWN;
	return rarog_verdict_add(run->verdict, &change);
}

static int judge(struct run *run, size_t row, const struct rarog_model_pair *pair)
{
	struct rarog_model_word word = { .baseline = NAN, .target = NAN, .relative = NAN };
	int r;

	if (!pair->model[0] || !pair->model[1])
		return 0;
	r = run->how->judge(pair, run->thresholds, &word);
	if (r == -EDOM) {
		word.class = RAROG_CLASS_UNKNOWN;
		snprintf(word.reason, sizeof(word.reason), "%s", rarog_error_message());
		rarog_error_clear();
	} else if (r < 0) {
		return r;
	}
	if (word.class != RAROG_CLASS_UNKNOWN)
		return add(run, row, &word);
	if (!run->is_undecided)
		run->undecided = word;
	run->is_undecided = true;
	return 0;
}

static int judge_best(struct run *run, size_t row, struct rarog_model_pair *pair,
		      bool is_parametric)
{
	for (int side = 0; side < 2; side++)
		pair->model[side] =
			rarog_models_best(pair->all[side], run->how->rule, is_parametric);
	return judge(run, row, pair);
}

static int judge_all(struct run *run, size_t row, struct rarog_model_pair *pair)
{
	int r = 0;

	for (size_t i = 0; r == 0 && rarog_model_families[i]; i++) {
		for (int side = 0; side < 2; side++)
			pair->model[side] =
				rarog_models_find(pair->all[side], rarog_model_families[i]->name);
		r = judge(run, row, pair);
	}
	return r;
}

/* Pairs that say nothing are not worth a line where others do. */
static int judge_row(struct run *run, struct rarog_curve_table *table, size_t row)
{
	struct rarog_model_pair pair = { 0 };
	enum rarog_model_choice choice = run->how->choice;
	size_t before = run->judged;
	struct rarog_model_word differ = { .baseline = NAN, .target = NAN, .relative = NAN };
	int r;

	if (rarog_curves_differ(table, row, sizeof(differ.reason), differ.reason))
		return add(run, row, &differ);
	r = rarog_curve_models(table, row, run->thresholds[run->how->stored] > 0, pair.all);
	if (r < 0 || !pair.all[0])
		return r;
	run->is_undecided = false;
	if (choice == RAROG_CHOICE_ALL)
		r = judge_all(run, row, &pair);
	if (choice == RAROG_CHOICE_PARAMETRIC || choice == RAROG_CHOICE_BOTH)
		r = judge_best(run, row, &pair, true);
	if (r == 0 && (choice == RAROG_CHOICE_NON_PARAMETRIC || choice == RAROG_CHOICE_BOTH))
		r = judge_best(run, row, &pair, false);
	if (r == 0 && run->is_undecided && run->judged == before)
		r = add(run, row, &run->undecided);
	return r;
}

/* Points on one side only. */
static int say_missing(struct run *run, const struct rarog_curve_table *table, size_t row)
{
	bool in_baseline = rarog_curves_any(table, row, RAROG_BASELINE);
	struct rarog_model_word word = { .baseline = NAN, .target = NAN, .relative = NAN };

	if (in_baseline == rarog_curves_any(table, row, RAROG_TARGET))
		return 0;
	word.class = in_baseline ? RAROG_CLASS_NOT_IN_TARGET : RAROG_CLASS_NOT_IN_BASELINE;
	return add(run, row, &word);
}

int rarog_model_method_run(const struct rarog_model_method *how,
			   const struct rarog_comparison *comparison, const double thresholds[],
			   struct rarog_verdict *verdict)
{
	rarog_cleanup(rarog_curve_table_release) struct rarog_curve_table table = { 0 };
	struct run run = {
		.how = how, .thresholds = thresholds, .comparison = comparison, .verdict = verdict
	};
	int r = rarog_curve_table_fill(comparison, &table);

	if (r == 0)
		r = rarog_note_chance(comparison, how->method->name, verdict);
	for (size_t i = 0; r == 0 && i < table.n; i++) {
		if (comparison->rows[i].is_unknown)
			continue;
		r = say_missing(&run, &table, i);
		if (r == 0)
			r = judge_row(&run, &table, i);
	}
	if (r == 0 && run.judged == 0)
		return rarog_fail(-ENODATA, "no function has points enough for a model (3)");
	if (r == 0 && run.judged == run.unknown)
		verdict->is_open = true;
	return r;
}
