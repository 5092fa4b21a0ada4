/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of several variables: text, JSON, CSV. */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/str.h"
#include "base/table.h"
#include "view/model/model-view.h"
#include "view/text.h"

#define TEXT 400 /* of a formula */

struct names {
	const char *of[RAROG_NORMAL_VARIABLES];
};

/* "threads" of option:threads. */
static struct names names_of(const struct rarog_costs *costs)
{
	struct names names = { { NULL } };

	for (size_t v = 0; v < costs->n_variables; v++) {
		const char *option = rarog_cost_option(costs->variables[v]);

		names.of[v] = option ? option : costs->variables[v];
	}
	return names;
}

static const char *formula(const struct rarog_costs *costs, const struct rarog_surface *surface,
			   char text[TEXT])
{
	struct names names = names_of(costs);

	return rarog_normal_form_text(&surface->form, names.of, TEXT, text);
}

/* --- text --- */

static void print_terms(const struct rarog_model_view *view, const struct rarog_surface *surface,
			FILE *out)
{
	const struct rarog_normal_form *form = &surface->form;

	for (size_t k = 0; k <= form->n_terms; k++) {
		double low, high;

		rarog_normal_form_interval(form, k, RAROG_ESTIMATE_LEVEL, &low, &high);
		fprintf(out, "    b%zu = %.5g", k, form->b[k]);
		if (isfinite(low) && isfinite(high))
			fprintf(out, "  (95 %%: %.5g%s%.5g)", low, view->is_ascii ? " ... " : " … ",
				high);
		fputc('\n', out);
	}
}

static void print_at(const struct rarog_model_view *view, const struct rarog_surface *surface,
		     FILE *out)
{
	enum rarog_cost_unit unit = rarog_model_unit(view->costs);
	struct names names = names_of(view->costs);
	struct rarog_band band;

	rarog_surface_band(surface, view->at_all, RAROG_ESTIMATE_LEVEL, &band);
	fputs("  at ", out);
	for (size_t v = 0; v < view->costs->n_variables; v++)
		fprintf(out, "%s%s = %.6g", v ? ", " : "", names.of[v], view->at_all[v]);
	fprintf(out, ": %s", rarog_model_amount(unit, band.value).text);
	if (isfinite(band.low_one) && isfinite(band.high_one))
		fprintf(out, ", 95 %% of %s: %s%s%s",
			rarog_model_ones(view->costs, surface->are_typical),
			rarog_model_amount(unit, band.low_one).text,
			view->is_ascii ? " ... " : " … ",
			rarog_model_amount(unit, band.high_one).text);
	fputc('\n', out);
	if (band.beyond > 1)
		fprintf(out, "    %.3g times beyond what was measured%s\n", band.beyond,
			band.beyond > 2 ? ": the interval holds only if the terms stay the same"
					: "");
}

static int print_name(const struct rarog_model_view *view, const char *name, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	if (rarog_text_add_clean(&text, name, view->is_ascii) < 0)
		return rarog_oom();
	fprintf(out, "%s%s%s", view->colour ? rarog_style_on(RAROG_STYLE_BOLD) : "",
		rarog_str_text(&text), view->colour ? rarog_style_off(RAROG_STYLE_BOLD) : "");
	return 0;
}

static int print_one(const struct rarog_model_view *view, const struct rarog_surface *surface,
		     FILE *out)
{
	const struct rarog_costs *costs = view->costs;
	enum rarog_cost_unit unit = rarog_model_unit(costs);
	char text[TEXT];
	int r = print_name(view, surface->cost->name, out);

	fprintf(out, ": %s by %s, %zu %s, %zu points\n", costs->y, surface->cost->x,
		surface->cost->rows.n, costs->is_over_runs ? "runs" : "calls", surface->n);
	if (surface->cost->rows.left_out > 0)
		fprintf(out, "  %zu more are no finite numbers and left out\n",
			surface->cost->rows.left_out);
	rarog_model_print_doubts(surface->cost, out);
	if (surface->form.n == 0) {
		fprintf(out, "  no model: %s\n", surface->reason);
		return r;
	}
	fprintf(out, "  %s = %s%s  (R%s %.4f, error %s)\n", costs->y, formula(costs, surface, text),
		rarog_model_unit_name(unit), view->is_ascii ? "2" : "²", surface->form.r2,
		rarog_model_amount(unit, surface->form.rmse).text);
	if (view->n == 1)
		print_terms(view, surface, out);
	if (view->has_at)
		print_at(view, surface, out);
	return r;
}

int rarog_surface_print(const struct rarog_model_view *view, FILE *out)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < view->n; i++)
		r = print_one(view, &view->surfaces[i], out);
	if (r == 0 && view->n < view->costs->list.n)
		fprintf(out, "and %zu more\n", view->costs->list.n - view->n);
	return r;
}

/* --- JSON --- */

static void write_factors(struct rarog_json *json, const struct rarog_costs *costs,
			  const struct rarog_normal_term *term)
{
	rarog_json_array(json, "factors");
	for (size_t v = 0; term && v < costs->n_variables; v++) {
		if (term->of[v].power == 0 && term->of[v].logs == 0)
			continue;
		rarog_json_object(json, NULL);
		rarog_json_string(json, "variable", costs->variables[v]);
		rarog_json_double(json, "power", term->of[v].power);
		rarog_json_uint(json, "logs", term->of[v].logs);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static void write_terms(struct rarog_json *json, const struct rarog_costs *costs,
			const struct rarog_normal_form *form)
{
	rarog_json_array(json, "terms");
	for (size_t k = 0; k <= form->n_terms; k++) {
		double low, high;

		rarog_normal_form_interval(form, k, RAROG_ESTIMATE_LEVEL, &low, &high);
		rarog_json_object(json, NULL);
		rarog_json_double(json, "value", form->b[k]);
		rarog_json_double(json, "error", form->error[k]);
		rarog_json_double(json, "low", low);
		rarog_json_double(json, "high", high);
		write_factors(json, costs, k > 0 ? &form->terms[k - 1] : NULL);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static void write_piece(struct rarog_json *json, const struct rarog_costs *costs,
			const struct rarog_surface *surface)
{
	char text[TEXT];

	rarog_json_object(json, NULL);
	rarog_json_string(json, "family", "normal-form");
	rarog_json_string(json, "formula", formula(costs, surface, text));
	write_terms(json, costs, &surface->form);
	rarog_json_double(json, "r2", surface->form.r2);
	rarog_json_double(json, "rmse", surface->form.rmse);
	rarog_json_double(json, "aicc", surface->form.aicc);
	rarog_json_end_object(json);
}

static void write_at(const struct rarog_model_view *view, struct rarog_json *json,
		     const struct rarog_surface *surface)
{
	struct rarog_band band;

	rarog_surface_band(surface, view->at_all, RAROG_ESTIMATE_LEVEL, &band);
	rarog_json_object(json, "at");
	rarog_json_array(json, "x");
	for (size_t v = 0; v < view->costs->n_variables; v++)
		rarog_json_double(json, NULL, view->at_all[v]);
	rarog_json_end_array(json);
	rarog_json_double(json, "value", band.value);
	rarog_json_double(json, "low", band.low);
	rarog_json_double(json, "high", band.high);
	rarog_json_double(json, "low_one", band.low_one);
	rarog_json_double(json, "high_one", band.high_one);
	rarog_json_double(json, "beyond", band.beyond);
	rarog_json_end_object(json);
}

void rarog_surface_json(const struct rarog_model_view *view, struct rarog_json *json)
{
	for (size_t i = 0; i < view->n; i++) {
		const struct rarog_surface *surface = &view->surfaces[i];
		const struct rarog_costing *cost = surface->cost;

		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", cost->name);
		rarog_json_string(json, "mangled", cost->mangled);
		rarog_json_string(json, "x", cost->x);
		rarog_json_uint(json, "count", cost->rows.n);
		rarog_json_uint(json, "not_finite", cost->rows.left_out);
		rarog_model_json_doubts(cost, json);
		rarog_json_uint(json, "points", surface->n);
		rarog_json_bool(json, "are_typical", surface->are_typical);
		rarog_json_string(json, "missing", *surface->reason ? surface->reason : NULL);
		rarog_json_array(json, "pieces");
		if (surface->form.n > 0)
			write_piece(json, view->costs, surface);
		rarog_json_end_array(json);
		if (view->has_at && surface->form.n > 0)
			write_at(view, json, surface);
		rarog_json_end_object(json);
	}
}

/* --- CSV --- */

static void write_rows(const struct rarog_model_view *view, const struct rarog_surface *surface,
		       FILE *out)
{
	size_t width = view->costs->n_variables;

	for (size_t i = 0; i < surface->n; i++) {
		const double *x = surface->x + i * width;

		rarog_csv_field(out, surface->cost->name);
		for (size_t v = 0; v < width; v++)
			fprintf(out, ",%.15g", x[v]);
		fprintf(out, ",%.15g,", surface->y[i]);
		if (surface->form.n > 0)
			fprintf(out, "%.15g", rarog_normal_form_value(&surface->form, x));
		fputc('\n', out);
	}
}

int rarog_surface_csv(const struct rarog_model_view *view, FILE *out)
{
	fputs("name", out);
	for (size_t v = 0; v < view->costs->n_variables; v++) {
		fputc(',', out);
		rarog_csv_field(out, view->costs->variables[v]);
	}
	fputs(",y,fitted\n", out);
	for (size_t i = 0; i < view->n; i++)
		write_rows(view, &view->surfaces[i], out);
	return ferror(out) ? rarog_fail(-EIO, "write error") : 0;
}
