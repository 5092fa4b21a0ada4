/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/curves.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void release_side(size_t n, struct rarog_curves *curves)
{
	for (size_t i = 0; curves && i < n; i++) {
		rarog_points_release(&curves[i].points);
		rarog_models_release(&curves[i].fitted);
		rarog_models_release(&curves[i].stored);
	}
	free(curves);
}

void rarog_curve_table_release(struct rarog_curve_table *table)
{
	for (int side = 0; side < 2; side++)
		release_side(table->n, table->of[side]);
	*table = (struct rarog_curve_table){ 0 };
}

/* --- reading --- */

struct reading {
	struct rarog_curves *curves;
	const uint32_t *row_of; /* by location */
	size_t n_rows;
	const char **x; /* by row: what x is in this run; NULL: as usual */
};

static struct rarog_curves *curves_of(const struct reading *reading, uint32_t location)
{
	uint32_t row = reading->row_of[location];

	return row < reading->n_rows ? &reading->curves[row] : NULL;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Texts of one run are one text, so most points need no comparison of texts. */
static void note_x(struct rarog_curves *curves, const char *x)
{
	if (curves->points.seen > 0 && !is_same(curves->x, x))
		curves->is_mixed = true;
	curves->x = x;
}

static int take_point(void *arg, uint32_t location, double x, double y)
{
	const struct reading *reading = arg;
	struct rarog_curves *curves = curves_of(reading, location);

	if (!curves)
		return 0;
	note_x(curves, reading->x[curves - reading->curves]);
	return rarog_points_add(&curves->points, x, y);
}

static int take_points(void *arg, uint32_t location, const struct rarog_points *points)
{
	const struct reading *reading = arg;
	struct rarog_curves *curves = curves_of(reading, location);

	if (!curves)
		return 0;
	note_x(curves, reading->x[curves - reading->curves]);
	return rarog_points_merge(&curves->points, points);
}

static int take_name(void *arg, uint32_t location, const char *x)
{
	const struct reading *reading = arg;
	const struct rarog_curves *curves = curves_of(reading, location);

	if (curves)
		reading->x[curves - reading->curves] = x;
	return 0;
}

/* Of several intervals of a function (or several runs) the first model of a family is taken. */
static int take_model(void *arg, uint32_t location, struct rarog_model *take_model)
{
	struct rarog_curves *curves = curves_of(arg, location);
	struct rarog_models *stored = curves ? &curves->stored : NULL;

	if (!stored || stored->n == RAROG_MODEL_FAMILIES_MAX ||
	    rarog_models_find(stored, take_model->family->name))
		rarog_model_release(take_model);
	else
		stored->v[stored->n++] = *take_model;
	return 0;
}

static int read_side(const struct rarog_comparison *comparison, int side,
		     struct rarog_curves *curves)
{
	const struct rarog_side *of = &comparison->sides[side];
	rarog_cleanup(rarog_freep) const char **x = calloc(comparison->n + 1, sizeof(*x));
	struct reading reading = { .curves = curves, .n_rows = comparison->n, .x = x };
	const struct rarog_points_sink sink = { .point = take_point,
						.points = take_points,
						.model = take_model,
						.named = take_name,
						.arg = &reading };
	int r = x ? 0 : rarog_oom();

	for (size_t run = 0; r == 0 && run < of->runs.n; run++) {
		reading.row_of = comparison->row_of[side][run];
		memset(x, 0, comparison->n * sizeof(*x));
		r = rarog_points_read(of->runs.v[run].profile, &sink);
	}
	for (size_t i = 0; r == 0 && i < comparison->n; i++)
		r = rarog_points_sort(&curves[i].points);
	return r;
}

bool rarog_curves_any(const struct rarog_curve_table *table, size_t row, int side)
{
	const struct rarog_curves *curves = &table->of[side][row];

	return curves->points.seen > 0 || curves->stored.n > 0;
}

static const char *x_name(const struct rarog_curves *curves)
{
	return curves->x ? curves->x : "no captured value";
}

bool rarog_curves_differ(const struct rarog_curve_table *table, size_t row, size_t n,
			 char ret_reason[n])
{
	const struct rarog_curves *baseline = &table->of[RAROG_BASELINE][row];
	const struct rarog_curves *target = &table->of[RAROG_TARGET][row];
	bool are_there = baseline->points.seen > 0 && target->points.seen > 0;
	bool are_mixed = baseline->is_mixed || target->is_mixed;

	if (!are_there || (!are_mixed && is_same(baseline->x, target->x)))
		return false;
	if (are_mixed)
		snprintf(ret_reason, n, "its runs captured different values");
	else
		snprintf(ret_reason, n, "x is %s in the baseline and %s in the target",
			 x_name(baseline), x_name(target));
	return true;
}

static int check_any(const struct rarog_curve_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		if (rarog_curves_any(table, i, RAROG_BASELINE) &&
		    rarog_curves_any(table, i, RAROG_TARGET))
			return 0;
	return rarog_fail(-ENODATA,
			  "no function has points for a model on both sides; profiles of "
			  "--detail=calls have, and imported ones with sizes of structures");
}

int rarog_curve_table_fill(const struct rarog_comparison *comparison,
			   struct rarog_curve_table *ret_table)
{
	rarog_cleanup(
		rarog_curve_table_release) struct rarog_curve_table table = { .n = comparison->n };
	int r = 0;

	for (int side = 0; r == 0 && side < 2; side++) {
		table.of[side] = calloc(table.n + 1, sizeof(*table.of[side]));
		r = table.of[side] ? read_side(comparison, side, table.of[side]) : rarog_oom();
	}
	if (r == 0)
		r = check_any(&table);
	if (r == 0)
		*ret_table = rarog_take_struct(table);
	return r;
}

/* --- models --- */

static int fit(struct rarog_curves *curves)
{
	const struct rarog_points *points = &curves->points;

	if (curves->is_fitted)
		return 0;
	curves->is_fitted = true;
	return rarog_models_fit(points->n, points->x, points->y, NULL, &curves->fitted);
}

/* More than a constant can be fitted only to points at three places. */
static bool is_enough(const struct rarog_models *models)
{
	return models->n > 1;
}

int rarog_curve_models(struct rarog_curve_table *table, size_t row, bool prefer_stored,
		       const struct rarog_models *ret[2])
{
	struct rarog_curves *baseline = &table->of[RAROG_BASELINE][row];
	struct rarog_curves *target = &table->of[RAROG_TARGET][row];
	bool are_stored = baseline->stored.n > 0 && target->stored.n > 0, are_fitted;
	int r = fit(baseline);

	if (r == 0)
		r = fit(target);
	if (r < 0)
		return r;
	are_fitted = is_enough(&baseline->fitted) && is_enough(&target->fitted);
	ret[0] = ret[1] = NULL;
	if (are_stored && (prefer_stored || !are_fitted)) {
		ret[0] = &baseline->stored;
		ret[1] = &target->stored;
	} else if (baseline->fitted.n > 0 && target->fitted.n > 0) {
		ret[0] = &baseline->fitted;
		ret[1] = &target->fitted;
	}
	return 0;
}
