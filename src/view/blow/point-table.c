/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/blow/point-table.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "binary/binary.h"
#include "blow/other-times.h"
#include "blow/points-json.h"

#define TEXT 64

enum column { EFFECT, INTERVAL, STEPS, FUNCTION, COLUMNS };

static int add_step(struct rarog_str *text, const char *between, const struct rarog_blow_step *step)
{
	if (isnan(step->gain))
		return rarog_str_addf(text, "%s%.0f %%: unknown", between, 100 * step->part);
	return rarog_str_addf(text, "%s%.0f %%: %.1f %%", between, 100 * step->part,
			      100 * step->gain);
}

/* "25 %: 8.1 %, 50 %: 15.9 %" */
static char *draw_curve(const struct rarog_blow_view *view, const struct rarog_blow_function *f,
			size_t point)
{
	struct rarog_blow_curve curve = { 0 };
	struct rarog_str text = { 0 };
	int r = view->options->mode->is_virtual
			? rarog_blow_curve_of(view->result, f, point, &curve)
			: 0;

	for (size_t i = 0; r == 0 && i < curve.v.n; i++)
		r = add_step(&text, i > 0 ? ", " : "", &curve.v.v[i]);
	rarog_vec_release(&curve.v);
	if (r == 0 && !text.text)
		r = rarog_str_addf(&text, "-");
	if (r == 0)
		return text.text;
	rarog_str_release(&text);
	return NULL;
}

static int add_row(const struct rarog_blow_view *view, struct rarog_table *table, size_t point,
		   const struct rarog_blow_function *f)
{
	const struct rarog_blow_estimate *e =
		view->result->points.v.n > 0 ? rarog_blow_point_effect(view->result, f, point)
		: f->has_estimate            ? &f->answer
					     : NULL;
	rarog_cleanup(rarog_freep) char *demangled =
		view->is_mangled ? NULL : rarog_demangle(f->name);
	rarog_cleanup(rarog_freep) char *curve = draw_curve(view, f, point);
	bool is_gain = view->options->mode->is_gain;
	char effect[TEXT] = "-", interval[TEXT] = "-";

	if (!curve)
		return rarog_oom();
	if (e && is_gain) {
		snprintf(effect, TEXT, "%.1f %%", 100 * e->value);
		snprintf(interval, TEXT, "%.1f … %.1f %%", 100 * e->low, 100 * e->high);
	} else if (e) {
		snprintf(effect, TEXT, "%.2f", e->value);
		snprintf(interval, TEXT, "%.2f … %.2f", e->low, e->high);
	}
	return rarog_table_add(table,
			       (const struct rarog_cell[]){
				       [EFFECT] = { .text = effect },
				       [INTERVAL] = { .text = interval },
				       [STEPS] = { .text = curve },
				       [FUNCTION] = { .text = demangled ? demangled : f->name },
			       });
}

static void print_title(const struct rarog_blow_view *view, size_t point, FILE *out)
{
	const struct rarog_blow_points *points = &view->result->points;
	const char *what = view->options->mode->is_virtual
				   ? "profile of speed-up: by how much faster the function, and the"
			   : view->options->mode->is_gain ? "gain in the"
							  : "part of a delay that reaches the";

	if (points->v.n > 0)
		fprintf(out, "\n%s time for a passage of %s (%s passages)\n", what,
			points->v.v[point].name,
			rarog_format_count(points->v.v[point].passes).text);
	else
		fprintf(out, "\n%s run\n", what);
}

static int print_point(const struct rarog_blow_view *view, size_t point,
		       const struct rarog_blow_function *const v[], FILE *out)
{
	const struct rarog_column columns[COLUMNS] = {
		[EFFECT] = { .title = view->options->mode->is_gain ? "gain" : "reaches the end",
			     .is_right = true },
		[INTERVAL] = { .title = "95 % interval", .is_right = true },
		[STEPS] = { .title = view->options->mode->is_virtual ? "faster by: shorter by"
								     : "" },
		[FUNCTION] = { .title = "function", .is_elastic = true },
	};
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(COLUMNS, columns);
	int r = table ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < view->result->corpus.v.n; i++)
		r = add_row(view, table, point, v[i]);
	if (r < 0)
		return r;
	print_title(view, point, out);
	rarog_table_print(table, out, view->width, view->colour);
	return 0;
}

int rarog_blow_print_points(const struct rarog_blow_view *view,
			    const struct rarog_blow_function *const v[], FILE *out)
{
	size_t n = view->result->points.v.n;
	int r = 0;

	if (!view->options->mode->is_virtual && n < 2)
		return 0;
	for (size_t i = 0; r == 0 && i < (n > 0 ? n : 1); i++)
		r = print_point(view, i, v, out);
	return r;
}
