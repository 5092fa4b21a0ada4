/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For people: of one function its class, formula, rivals and a drawing; of several a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "view/model/model-view.h"
#include "view/term/scatter.h"
#include "view/term/sheet.h"
#include "view/text.h"

#define CANDIDATES 3

/* --- amounts --- */

static struct rarog_amount y_ns(double value)
{
	return rarog_model_amount(RAROG_UNIT_NS, value);
}

static struct rarog_amount y_count(double value)
{
	return rarog_model_amount(RAROG_UNIT_COUNT, value);
}

static struct rarog_amount y_bytes(double value)
{
	return rarog_model_amount(RAROG_UNIT_BYTES, value);
}

static struct rarog_amount (*const y_labels[])(double) = { [RAROG_UNIT_NS] = y_ns,
							   [RAROG_UNIT_COUNT] = y_count,
							   [RAROG_UNIT_BYTES] = y_bytes,
							   [RAROG_UNIT_PART] = y_count };

static const char *dash(const struct rarog_model_view *view)
{
	return view->is_ascii ? " ... " : " … ";
}

/* --- one --- */

static int print_name(const struct rarog_model_view *view, const char *name, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	if (rarog_text_add_clean(&text, name, view->is_ascii) < 0)
		return rarog_oom();
	fprintf(out, "%s%s%s", view->colour ? rarog_style_on(RAROG_STYLE_BOLD) : "",
		rarog_str_text(&text), view->colour ? rarog_style_off(RAROG_STYLE_BOLD) : "");
	return 0;
}

/* Counts have no noise to be told; of calls by their order none comes twice. */
static bool is_once(const struct rarog_model_view *view, const struct rarog_modelled *e)
{
	return view->costs->unit == RAROG_UNIT_NS && e->pieces.n > 0 &&
	       !rarog_cost_is_repeated(e->cost) && strcmp(e->cost->x, RAROG_POINTS_ORDER) != 0;
}

static int print_heading(const struct rarog_model_view *view, const struct rarog_modelled *e,
			 FILE *out)
{
	const struct rarog_points *points = &e->cost->points;
	int r = print_name(view, e->cost->name, out);

	fprintf(out, ": %s%s by %s, %s %s", view->costs->y,
		view->costs->is_per_call ? " per call" : "", e->cost->x,
		rarog_format_count(points->seen).text,
		view->costs->is_over_runs ? points->seen == 1 ? "run" : "runs"
		: points->seen == 1       ? "call"
					  : "calls");
	if (points->seen > 0)
		fprintf(out, ", %s = %.6g%s%.6g", rarog_model_variable(e->cost), points->least,
			dash(view), points->most);
	fputc('\n', out);
	if (points->left_out > 0)
		fprintf(out, "  %zu more are no finite numbers and left out\n", points->left_out);
	rarog_model_print_doubts(e->cost, out);
	if (is_once(view, e))
		fprintf(out,
			"  each %s was measured once; repeats would tell noise from what the model "
			"misses\n",
			rarog_model_variable(e->cost));
	return r;
}

/* "certainty 98 %", or why nothing can be stated */
static void print_class(const struct rarog_model_view *view, const struct rarog_modelled *e,
			size_t piece, FILE *out)
{
	const struct rarog_choice *choice = &e->pieces.v[piece].choice;
	const struct rarog_model *model = rarog_estimate_model(e, piece);
	enum rarog_style style = !view->colour                      ? RAROG_STYLE_PLAIN
				 : !choice->best || choice->is_told ? RAROG_STYLE_GREEN
								    : RAROG_STYLE_YELLOW;

	fprintf(out, "  %s%s%s", rarog_style_on(style), rarog_model_class(e, piece),
		rarog_style_off(style));
	if (choice->best && !choice->is_told)
		fprintf(out, ": %s", choice->reason);
	else if (choice->best)
		fprintf(out, ", %.0f %% sure", floor(100 * fmax(0, choice->certainty)));
	if (e->pieces.n > 1)
		fprintf(out, "  for %.6g%s%.6g", e->pieces.v[piece].from, dash(view),
			e->pieces.v[piece].to);
	fprintf(out, "  (R%s %.4f", view->is_ascii ? "2" : "²", model->r2);
	if (isfinite(model->rmse))
		fprintf(out, ", error %s",
			rarog_model_amount(rarog_model_unit(view->costs), model->rmse).text);
	fputs(")\n", out);
}

static void print_formula(const struct rarog_model_view *view, const struct rarog_modelled *e,
			  const struct rarog_model *model, FILE *out)
{
	char text[160];

	fprintf(out, "  %s = %s%s\n", view->costs->y,
		rarog_model_text(model, rarog_model_variable(e->cost), sizeof(text), text),
		model->family->n_coefficients ? rarog_model_unit_name(rarog_model_unit(view->costs))
					      : "");
	for (size_t i = 0; i < model->family->n_coefficients; i++) {
		double low, high;

		rarog_model_interval(model, i, RAROG_ESTIMATE_LEVEL, &low, &high);
		fprintf(out, "    b%zu = %.5g", i, model->b[i]);
		if (isfinite(low) && isfinite(high))
			fprintf(out, "  (95 %%: %.5g%s%.5g)", low, dash(view), high);
		fputc('\n', out);
	}
	if (model->left_out > 0)
		fprintf(out,
			"    %zu of %zu points have no logarithm (not above 0) and are left out\n",
			model->left_out, model->n);
}

static void print_candidates(const struct rarog_choice *choice, FILE *out)
{
	bool is_first = true;

	for (size_t i = 0; i < choice->n && i <= CANDIDATES; i++) {
		const struct rarog_candidate *candidate = &choice->candidates[i];

		if (candidate->model == choice->best)
			continue;
		fprintf(out, "%s%s (R2 %.4f, %.1f %%)", is_first ? "  next: " : ", ",
			candidate->model->family->name, candidate->model->r2,
			100 * candidate->weight);
		is_first = false;
	}
	if (!is_first)
		fputc('\n', out);
}

/* Why the model has no value so far out. */
static void print_no_value(const struct rarog_model_view *view, const struct rarog_modelled *e,
			   FILE *out)
{
	bool has_formula = rarog_estimate_at(e, view->at)->family->n_coefficients > 0;

	fprintf(out, "  at %s = %.6g: no value; ", rarog_model_variable(e->cost), view->at);
	if (has_formula)
		fprintf(out,
			"the curve falls below 0 there, so it does not hold so far beyond %.6g\n",
			e->points.x[e->points.n - 1]);
	else
		fprintf(out, "a curve without a formula says nothing beyond %.6g%s%.6g\n",
			e->points.x[0], dash(view), e->points.x[e->points.n - 1]);
}

/* Beyond twice the range a curve is a guess, whatever its interval says. */
static void print_at(const struct rarog_model_view *view, const struct rarog_modelled *e, FILE *out)
{
	enum rarog_cost_unit unit = rarog_model_unit(view->costs);
	struct rarog_band band;

	rarog_estimate_band(e, view->at, RAROG_ESTIMATE_LEVEL, &band);
	if (isnan(band.value) && band.beyond > 1) {
		print_no_value(view, e, out);
		return;
	}
	fprintf(out, "  at %s = %.6g: %s", rarog_model_variable(e->cost), view->at,
		rarog_model_amount(unit, band.value).text);
	if (isfinite(band.low_one) && isfinite(band.high_one))
		fprintf(out, ", 95 %% of %s: %s%s%s", rarog_model_ones(view->costs, e->are_typical),
			rarog_model_amount(unit, band.low_one).text, dash(view),
			rarog_model_amount(unit, band.high_one).text);
	fputc('\n', out);
	if (band.beyond > 1)
		fprintf(out, "    %.3g times beyond what was measured (%.6g%s%.6g)%s\n",
			band.beyond, e->points.x[0], dash(view), e->points.x[e->points.n - 1],
			band.beyond > 2 ? ": the interval holds only if the class stays the same"
					: "");
}

static struct rarog_amount label_x(double x)
{
	struct rarog_amount text;

	snprintf(text.text, sizeof(text.text), "%.4g", x);
	return text;
}

static double curve(const void *estimate, double x)
{
	const struct rarog_model *model = rarog_estimate_at(estimate, x);

	return model ? rarog_model_value(model, x) : NAN;
}

static int draw(const struct rarog_model_view *view, const struct rarog_modelled *e, FILE *out)
{
	const struct rarog_scatter scatter = {
		.n = e->points.n,
		.x = e->points.x,
		.y = e->points.y,
		.curve = e->pieces.n > 0 ? curve : NULL,
		.model = e,
		.at = view->has_at ? view->at : NAN,
		.x_label = label_x,
		.y_label = y_labels[rarog_model_unit(view->costs)],
		.width = view->width < 40    ? 40
			 : view->width > 100 ? 100
					     : view->width,
		.height = 14,
		.is_ascii = view->is_ascii,
		.colour = view->colour,
	};

	if (view->no_chart || e->points.n == 0)
		return 0;
	fputc('\n', out);
	return rarog_scatter_print(&scatter, out);
}

static int print_one(const struct rarog_model_view *view, const struct rarog_modelled *e, FILE *out)
{
	int r = print_heading(view, e, out);

	if (*e->reason)
		fprintf(out, "  no model: %s\n", e->reason);
	for (size_t i = 0; i < e->pieces.n; i++) {
		const struct rarog_model *model = rarog_estimate_model(e, i);

		if (!model)
			continue;
		print_class(view, e, i, out);
		print_formula(view, e, model, out);
		print_candidates(&e->pieces.v[i].choice, out);
	}
	if (rarog_model_is_at(view, e->cost) && rarog_estimate_at(e, view->at))
		print_at(view, e, out);
	return r < 0 ? r : draw(view, e, out);
}

/* --- several --- */

enum column { NAME, X, COUNT, CLASS, SURE, FORMULA, R2, AT, N_COLUMNS };

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[NAME] = { RAROG_FACT_TEXT, "function", "name", true },
	[X] = { RAROG_FACT_TEXT, "x", "x", false },
	[COUNT] = { RAROG_FACT_COUNT, "points", "points", false },
	[CLASS] = { RAROG_FACT_TEXT, "class", "class", false },
	[SURE] = { RAROG_FACT_TEXT, "sure", "sure", false },
	[FORMULA] = { RAROG_FACT_TEXT, "formula", "formula", false },
	[R2] = { RAROG_FACT_TEXT, "R²", "r2", false },
	[AT] = { RAROG_FACT_TEXT, "at --at", "at", false },
};

/* "1.2 ms"; "1.2 ms, 10 times beyond" */
static void write_at(const struct rarog_model_view *view, const struct rarog_modelled *e,
		     size_t size, char text[size])
{
	struct rarog_band band;
	int n;

	rarog_estimate_band(e, view->at, RAROG_ESTIMATE_LEVEL, &band);
	n = snprintf(text, size, "%s",
		     rarog_model_amount(rarog_model_unit(view->costs), band.value).text);
	if (band.beyond > 1 && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, ", %.3g times beyond", band.beyond);
}

static int add_row(const struct rarog_model_view *view, const struct rarog_modelled *e,
		   struct rarog_sheet *sheet)
{
	const struct rarog_model *model = e->pieces.n ? rarog_estimate_model(e, 0) : NULL;
	struct rarog_value values[N_COLUMNS] = {
		[NAME] = { .text = e->cost->name },
		[X] = { .text = e->cost->x },
		[COUNT] = { .number = e->cost->points.seen },
		[CLASS] = { .text = model ? rarog_model_class(e, 0) : "-" },
		[SURE] = { .text = "" },
		[FORMULA] = { .text = e->reason },
		[R2] = { .text = "" },
		[AT] = { .text = "" },
	};
	char formula[160], sure[16], r2[16], at[64] = "";

	if (!model)
		return rarog_sheet_add(sheet, values);
	snprintf(sure, sizeof(sure), "%.0f %%",
		 floor(100 * fmax(0, e->pieces.v[0].choice.certainty)));
	snprintf(r2, sizeof(r2), "%.3f", model->r2);
	values[FORMULA].text =
		rarog_model_text(model, rarog_model_variable(e->cost), sizeof(formula), formula);
	values[SURE].text = e->pieces.v[0].choice.is_told ? sure : "";
	values[R2].text = r2;
	if (rarog_model_is_at(view, e->cost))
		write_at(view, e, sizeof(at), at);
	values[AT].text = at;
	return rarog_sheet_add(sheet, values);
}

static int print_list(const struct rarog_model_view *view, FILE *out)
{
	struct rarog_sheet sheet = { 0 };
	int r = rarog_sheet_begin(&sheet, RAROG_SHEET_TABLE,
				  view->has_at ? N_COLUMNS : N_COLUMNS - 1, columns, out, NULL,
				  NULL);

	sheet.ascii = view->is_ascii;
	for (size_t i = 0; r == 0 && i < view->n; i++)
		r = add_row(view, &view->estimates[i], &sheet);
	if (r == 0)
		r = rarog_sheet_end(&sheet, view->width, view->colour);
	rarog_sheet_release(&sheet);
	if (r == 0 && view->n < view->costs->list.n)
		fprintf(out, "and %zu more\n", view->costs->list.n - view->n);
	if (r == 0)
		r = rarog_model_print_notes(view, out);
	return r;
}

int rarog_model_print(const struct rarog_model_view *view, FILE *out)
{
	if (view->surfaces)
		return rarog_surface_print(view, out);
	if (view->n == 1)
		return print_one(view, &view->estimates[0], out);
	fprintf(out, "%s%s by function, of %zu %s\n", view->costs->y,
		*rarog_model_unit_name(rarog_model_unit(view->costs)) ? "," : "",
		view->costs->n_runs, view->costs->n_runs == 1 ? "run" : "runs");
	return print_list(view, out);
}
