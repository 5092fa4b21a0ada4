/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "view/model/model-view.h"

/* A name of the program's stays what it is; those of ours are words, and no good variables. */
const char *rarog_model_variable(const struct rarog_costing *cost)
{
	static const char *const ours[] = { "workload", "size", "order" };
	const char *option = rarog_cost_option(cost->x);
	uint32_t line;

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (strcmp(cost->x, ours[i]) == 0)
			return "n";
	if (rarog_cost_is_iterations(cost->x, &line))
		return "n";
	return option ? option : cost->x;
}

static bool is_x_of(const struct rarog_costing *cost, const char *name)
{
	return cost->x && strcmp(cost->x, name) == 0;
}

/* What formulas call n is meant where no function was given an n. */
bool rarog_model_is_at(const struct rarog_model_view *view, const struct rarog_costing *cost)
{
	const struct rarog_costs *costs = view->costs;
	bool is_exact = false;

	if (!view->has_at || !view->at_name || is_x_of(cost, view->at_name))
		return view->has_at;
	for (size_t i = 0; !is_exact && i < costs->list.n; i++)
		is_exact = is_x_of(&costs->list.v[i], view->at_name);
	return !is_exact && cost->x && strcmp(rarog_model_variable(cost), view->at_name) == 0;
}

const char *rarog_model_ones(const struct rarog_costs *costs, bool are_typical)
{
	return costs->is_over_runs ? "runs" : are_typical ? "typical calls" : "calls";
}

enum rarog_cost_unit rarog_model_unit(const struct rarog_costs *costs)
{
	return costs->is_normalized ? RAROG_UNIT_PART : costs->unit;
}

const char *rarog_model_class(const struct rarog_modelled *estimate, size_t piece)
{
	const struct rarog_choice *choice = &estimate->pieces.v[piece].choice;
	const struct rarog_model *model = rarog_estimate_model(estimate, piece);

	if (!model)
		return "none";
	if (!choice->best)
		return model->family->name;
	return choice->is_told ? rarog_growth_names[choice->growth] : "cannot tell";
}
