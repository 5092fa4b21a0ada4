/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/family.h"

static int compare(const void *a, const void *b)
{
	double x = ((const struct rarog_candidate *)a)->behind,
	       y = ((const struct rarog_candidate *)b)->behind;

	return (x > y) - (x < y);
}

void rarog_models_choose(const struct rarog_models *models, enum rarog_model_rule rule,
			 struct rarog_choice *ret_choice)
{
	struct rarog_choice choice = { .best = rarog_models_best(models, rule, true) };
	double sum = 0;

	for (size_t i = 0; choice.best && i < models->n; i++) {
		const struct rarog_model *model = &models->v[i];

		if (model->family->n_coefficients > 0)
			choice.candidates[choice.n++] = (struct rarog_candidate){
				.model = model,
				.growth = rarog_model_growth(model),
				.behind = model->aicc - choice.best->aicc,
			};
	}
	qsort(choice.candidates, choice.n, sizeof(choice.candidates[0]), compare);
	for (size_t i = 0; i < choice.n; i++)
		sum += exp(-choice.candidates[i].behind / 2);
	for (size_t i = 0; i < choice.n; i++)
		choice.candidates[i].weight = exp(-choice.candidates[i].behind / 2) / sum;
	*ret_choice = choice;
}
