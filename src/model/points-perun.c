/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An imported profile keeps its document (note "perun"): its points by structure size, and the
 * models that Perun had fitted. Functions are found again by their names.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <uthash.h>

#include "base/error.h"
#include "import/perun-curves.h"
#include "model/knots.h"
#include "model/points-own.h"

struct name {
	const char *text;
	uint32_t location;
	UT_hash_handle hh;
};

struct walk {
	const struct rarog_points_sink *sink;
	struct name *all, *table;
};

static void walk_release(struct walk *walk)
{
	HASH_CLEAR(hh, walk->table);
	free(walk->all);
}

static int index_names(struct rarog_profile *profile, struct walk *walk)
{
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);

	if (n < 0)
		return (int)n;
	walk->all = calloc((size_t)n + 1, sizeof(*walk->all));
	if (!walk->all)
		return rarog_oom();
	for (long i = 0; i < n; i++) {
		struct name *entry = &walk->all[i], *known = NULL;

		entry->text = locations[i].name;
		entry->location = (uint32_t)i;
		HASH_FIND_STR(walk->table, entry->text, known);
		if (!known)
			HASH_ADD_KEYPTR(hh, walk->table, entry->text, strlen(entry->text), entry);
	}
	return 0;
}

static uint32_t location_of(const struct walk *walk, const char *function)
{
	struct name *entry = NULL;

	HASH_FIND_STR(walk->table, function, entry);
	return entry ? entry->location : RAROG_NONE;
}

static int take_point(void *arg, const struct rarog_perun_point *point)
{
	const struct walk *walk = arg;
	uint32_t location = location_of(walk, point->function);

	if (location == RAROG_NONE)
		return 0;
	return walk->sink->point(walk->sink->arg, location, point->x, point->y);
}

/* --- models --- */

/* Perun's name of a family; coefficients that carry the unit of y. */
static const struct {
	const char *perun;
	const struct rarog_model_family *family;
	size_t in_unit;
} families[] = {
	{ "constant", &rarog_family_constant, 2 },
	{ "linear", &rarog_family_linear, 2 },
	{ "logarithmic", &rarog_family_logarithmic, 2 },
	{ "quadratic", &rarog_family_quadratic, 3 },
	{ "power", &rarog_family_power, 1 },
	{ "exponential", &rarog_family_exponential, 1 },
	{ "regressogram", &rarog_family_regressogram, 0 },
	{ "moving_average", &rarog_family_moving_average, 0 },
};

static void set_coefficients(const struct rarog_perun_curve *curve, size_t in_unit,
			     struct rarog_model *model)
{
	for (size_t i = 0; i < curve->n_coefficients; i++)
		model->b[i] = curve->coefficients[i] * (i < in_unit ? curve->scale : 1);
}

/* Buckets between the ends, or values at equal distances from end to end. */
static int set_knots(const struct rarog_perun_curve *curve, bool is_buckets,
		     struct rarog_model *model)
{
	size_t n = curve->n_values, knots = is_buckets ? n + 1 : n;
	double width = (curve->x_end - curve->x_start) / (double)(knots - 1);
	int r = rarog_knots_make(model, knots);

	for (size_t i = 0; r == 0 && i < knots; i++) {
		model->knots_x[i] = curve->x_start + width * (double)i;
		model->knots_y[i] = curve->values[i < n ? i : n - 1] * curve->scale;
	}
	return r;
}

static int build(const struct rarog_perun_curve *curve, size_t in_unit, struct rarog_model *model)
{
	bool is_parametric = model->family->n_coefficients > 0;

	/* what Perun says of a constant is how little a line would explain */
	model->r2 = model->family == &rarog_family_constant ? 0 : curve->r2;
	model->x_start = curve->x_start;
	model->x_end = curve->x_end;
	model->x_floor = curve->x_start > 0 ? -INFINITY : 1; /* Perun left 0 out: no logarithm */
	model->residual_ss = model->aicc = NAN;
	if (is_parametric && curve->n_coefficients >= model->family->n_coefficients) {
		set_coefficients(curve, in_unit, model);
		return 1;
	}
	if (is_parametric || curve->n_values < 2)
		return 0;
	int r = set_knots(curve, model->family == &rarog_family_regressogram, model);

	return r < 0 ? r : 1;
}

static int take_curve(void *arg, const struct rarog_perun_curve *curve)
{
	const struct walk *walk = arg;
	uint32_t location = location_of(walk, curve->function);
	int r = 0;

	for (size_t i = 0; location != RAROG_NONE && i < RAROG_COUNT(families); i++) {
		struct rarog_model model = { .family = families[i].family };

		if (strcmp(curve->family, families[i].perun) != 0 || curve->x_end <= curve->x_start)
			continue;
		r = build(curve, families[i].in_unit, &model);
		if (r > 0)
			return walk->sink->model(walk->sink->arg, location, &model);
		rarog_model_release(&model);
		return r;
	}
	return 0;
}

int rarog_points_of_perun(struct rarog_profile *profile, const char *text, size_t n,
			  const struct rarog_points_sink *sink)
{
	rarog_cleanup(rarog_perun_freep) struct rarog_perun *perun = NULL;
	rarog_cleanup(walk_release) struct walk walk = { .sink = sink };
	int r = rarog_perun_parse(rarog_profile_path(profile), n, text, &perun);

	if (r == 0)
		r = index_names(profile, &walk);
	if (r == 0 && sink->point)
		r = rarog_perun_points(perun, take_point, &walk);
	if (r == 0 && sink->model)
		r = rarog_perun_curves(perun, take_curve, &walk);
	return r;
}
