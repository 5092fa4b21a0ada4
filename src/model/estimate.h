/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the points of a function to the model that is believed, or the reason why there is none. */
#ifndef RAROG_MODEL_ESTIMATE_H
#define RAROG_MODEL_ESTIMATE_H

#include "model/costs.h"
#include "model/pieces.h"

#define RAROG_ESTIMATE_LEVEL 0.95

struct rarog_estimate_options {
	struct rarog_pieces_options fit;
	const char *const *families; /* only these, NULL at the end; NULL: all */
	bool is_of_means; /* of calls of like x their mean counts; else what a typical one took */
};

struct rarog_modelled {
	const struct rarog_costing *cost; /* borrowed */
	struct rarog_points points;       /* as they were fitted: n, x, y, w */
	size_t n_calls;                   /* or runs, that they stand for */
	bool are_typical;                 /* points are medians of several calls … */
	double repeats;                   /* … of so many at least */
	struct rarog_pieces pieces;       /* one, but for some methods; none: .reason */
	char reason[200];                 /* what is missing for a model, "": nothing */
};

/** rarog_estimate() - 0, also if there is no model; -EINVAL options that do not go together,
 * -ENOMEM. */
int rarog_estimate(const struct rarog_costing *cost, const struct rarog_costs *of,
		   const struct rarog_estimate_options *options,
		   struct rarog_modelled *ret_estimate);
void rarog_estimate_release(struct rarog_modelled *estimate);

/** rarog_cost_is_repeated() - is any x there twice? Else nothing tells noise from what a model
 * misses. */
bool rarog_cost_is_repeated(const struct rarog_costing *cost);

/** rarog_estimate_model() - of piece @i: what was chosen, or the curve that was asked for; NULL:
 * none. */
const struct rarog_model *rarog_estimate_model(const struct rarog_modelled *estimate, size_t i);

/** rarog_estimate_at() - the model that is valid at @x, or nearest to it. NULL: none. */
const struct rarog_model *rarog_estimate_at(const struct rarog_modelled *estimate, double x);

/** rarog_estimate_band() - rarog_model_band() there. Amounts are not negative, and neither are
 * their intervals. NAN: there is no model. */
void rarog_estimate_band(const struct rarog_modelled *estimate, double x, double level,
			 struct rarog_band *ret_band);

#endif
