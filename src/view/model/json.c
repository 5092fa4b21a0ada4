/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/design/json.md describes it. */
#include <math.h>

#include "view/model/model-view.h"
#include "view/model/plot.h"

static const char *const unit_names[] = { [RAROG_UNIT_NS] = "ns",
					  [RAROG_UNIT_COUNT] = "count",
					  [RAROG_UNIT_BYTES] = "bytes",
					  [RAROG_UNIT_PART] = "part" };

static void write_coefficients(struct rarog_json *json, const struct rarog_model *model)
{
	rarog_json_array(json, "coefficients");
	for (size_t i = 0; i < model->family->n_coefficients; i++) {
		double low, high;

		rarog_model_interval(model, i, RAROG_ESTIMATE_LEVEL, &low, &high);
		rarog_json_object(json, NULL);
		rarog_json_double(json, "value", model->b[i]);
		rarog_json_double(json, "error", model->error[i]);
		rarog_json_double(json, "low", low);
		rarog_json_double(json, "high", high);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static void write_knots(struct rarog_json *json, const struct rarog_model *model)
{
	rarog_json_double(json, "width", model->width);
	rarog_json_array(json, "counts");
	for (size_t i = 0; i < model->n_knots; i++)
		rarog_json_double(json, NULL, model->knots_count[i]);
	rarog_json_end_array(json);
	rarog_json_array(json, "knots");
	for (size_t i = 0; i < model->n_knots; i++) {
		rarog_json_array(json, NULL);
		rarog_json_double(json, NULL, model->knots_x[i]);
		rarog_json_double(json, NULL, model->knots_y[i]);
		rarog_json_end_array(json);
	}
	rarog_json_end_array(json);
}

static void write_model(struct rarog_json *json, const struct rarog_costing *cost,
			const struct rarog_model *model)
{
	char text[160];

	rarog_json_string(json, "family", model->family->name);
	rarog_json_string(json, "formula",
			  rarog_model_text(model, rarog_model_variable(cost), sizeof(text), text));
	write_coefficients(json, model);
	rarog_json_double(json, "r2", model->r2);
	rarog_json_double(json, "rmse", model->rmse);
	rarog_json_double(json, "aicc", model->family->n_coefficients ? model->aicc : NAN);
	rarog_json_uint(json, "left_out", model->left_out);
	if (model->n_knots > 0)
		write_knots(json, model);
}

/* What draws it, too. */
static void write_other_curve(struct rarog_json *json, const struct rarog_modelled *e, size_t i,
			      const struct rarog_model *model)
{
	char text[160];

	rarog_json_string(
		json, "formula",
		rarog_model_text(model, rarog_model_variable(e->cost), sizeof(text), text));
	rarog_plot_values(e, i, model, json);
}

static void write_candidates(const struct rarog_model_view *view, struct rarog_json *json,
			     const struct rarog_modelled *e, size_t piece)
{
	const struct rarog_choice *choice = &e->pieces.v[piece].choice;

	rarog_json_array(json, "candidates");
	for (size_t i = 0; i < choice->n; i++) {
		const struct rarog_candidate *candidate = &choice->candidates[i];

		rarog_json_object(json, NULL);
		rarog_json_string(json, "family", candidate->model->family->name);
		rarog_json_string(json, "class", rarog_growth_names[candidate->growth]);
		rarog_json_double(json, "behind", candidate->behind);
		rarog_json_double(json, "weight", candidate->weight);
		rarog_json_double(json, "r2", candidate->model->r2);
		if (view->is_plot)
			write_other_curve(json, e, piece, candidate->model);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static void write_piece(const struct rarog_model_view *view, struct rarog_json *json,
			const struct rarog_modelled *e, size_t i)
{
	const struct rarog_piece *piece = &e->pieces.v[i];
	const struct rarog_model *model = rarog_estimate_model(e, i);

	rarog_json_object(json, NULL);
	rarog_json_double(json, "from", piece->from);
	rarog_json_double(json, "to", piece->to);
	if (piece->choice.best) {
		rarog_json_string(json, "class", rarog_growth_names[piece->choice.growth]);
		rarog_json_bool(json, "is_told", piece->choice.is_told);
		rarog_json_double(json, "certainty", piece->choice.certainty);
		rarog_json_string(json, "reason",
				  piece->choice.is_told ? NULL : piece->choice.reason);
	}
	if (model)
		write_model(json, e->cost, model);
	if (model && view->is_plot)
		rarog_plot_curve(e, i, json);
	if (piece->choice.best)
		write_candidates(view, json, e, i);
	rarog_json_end_object(json);
}

static void write_at(struct rarog_json *json, const struct rarog_modelled *e, double at)
{
	struct rarog_band band;

	if (!rarog_estimate_at(e, at)) {
		rarog_json_null(json, "at");
		return;
	}
	rarog_estimate_band(e, at, RAROG_ESTIMATE_LEVEL, &band);
	rarog_json_object(json, "at");
	rarog_json_double(json, "x", at);
	rarog_json_double(json, "value", band.value);
	rarog_json_double(json, "low", band.low);
	rarog_json_double(json, "high", band.high);
	rarog_json_double(json, "low_one", band.low_one);
	rarog_json_double(json, "high_one", band.high_one);
	rarog_json_double(json, "beyond", band.beyond);
	rarog_json_end_object(json);
}

/* Kept models of several calls of rarog model are in one plot. */
static int write_for_plot(const struct rarog_model_view *view, struct rarog_json *json,
			  const struct rarog_modelled *e)
{
	rarog_json_string(json, "y", view->costs->y);
	rarog_json_string(json, "unit", unit_names[rarog_model_unit(view->costs)]);
	rarog_json_bool(json, "over_runs", view->costs->is_over_runs);
	rarog_json_bool(json, "per_call", view->costs->is_per_call);
	rarog_json_uint(json, "fitted", e->points.n);
	return rarog_plot_points(e, json);
}

static int write_estimate(const struct rarog_model_view *view, struct rarog_json *json,
			  const struct rarog_modelled *e)
{
	const struct rarog_points *points = &e->cost->points;
	int r = 0;

	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", e->cost->name);
	rarog_json_string(json, "mangled", e->cost->mangled);
	rarog_json_string(json, "x", e->cost->x);
	rarog_json_uint(json, "count", points->seen);
	rarog_json_uint(json, "not_finite", points->left_out);
	rarog_model_json_doubts(e->cost, json);
	rarog_json_double(json, "min_x", points->seen ? points->least : NAN);
	rarog_json_double(json, "max_x", points->seen ? points->most : NAN);
	if (view->is_plot)
		r = write_for_plot(view, json, e);
	else
		rarog_json_uint(json, "points", e->points.n);
	rarog_json_bool(json, "are_typical", e->are_typical);
	rarog_json_string(json, "missing", *e->reason ? e->reason : NULL);
	rarog_json_array(json, "pieces");
	for (size_t i = 0; i < e->pieces.n; i++)
		write_piece(view, json, e, i);
	rarog_json_end_array(json);
	if (rarog_model_is_at(view, e->cost))
		write_at(json, e, view->at);
	rarog_json_end_object(json);
	return r;
}

int rarog_model_json(const struct rarog_model_view *view, struct rarog_json *json)
{
	int r = 0;

	rarog_json_string(json, "y", view->costs->y);
	rarog_json_string(json, "unit", unit_names[rarog_model_unit(view->costs)]);
	rarog_json_bool(json, "over_runs", view->costs->is_over_runs);
	rarog_json_bool(json, "per_call", view->costs->is_per_call);
	rarog_json_uint(json, "runs", view->costs->n_runs);
	rarog_json_double(json, "level", RAROG_ESTIMATE_LEVEL);
	rarog_json_array(json, "models");
	if (view->surfaces)
		rarog_surface_json(view, json);
	for (size_t i = 0; !view->surfaces && r == 0 && i < view->n; i++)
		r = write_estimate(view, json, &view->estimates[i]);
	rarog_json_end_array(json);
	return r;
}
