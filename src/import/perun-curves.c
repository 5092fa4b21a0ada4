/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/perun-curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "import/perun-own.h"

#define VALUES_MAX 1000000

/* uid: a name, or a function with its place. */
static const char *function_of(const json_t *uid)
{
	const char *name = json_string_value(uid);

	if (!name)
		name = rarog_perun_text(uid, "function");
	return name ? name : rarog_perun_text(uid, "func");
}

static double scale_of(const struct rarog_perun *perun, const struct rarog_perun_kind *kind,
		       bool *ret_is_time)
{
	const char *unit;
	double scale = rarog_perun_scale(perun, kind, &unit);

	*ret_is_time = scale > 0;
	return scale > 0 ? scale : 1;
}

static bool number_of(const json_t *object, const char *key, double *ret_value)
{
	const json_t *value = json_object_get(object, key);

	*ret_value = json_number_value(value);
	return json_is_number(value) && isfinite(*ret_value);
}

/* --- points --- */

/* A generated workload is a number of its own; all resources of the kind share it. */
static bool workload_number(const struct rarog_perun_kind *kind, double *ret_x)
{
	const char *text = rarog_perun_text(kind->facts, "workload");
	char *end = NULL;

	if (!text || *text == '\0')
		return number_of(kind->facts, "workload", ret_x);
	*ret_x = strtod(text, &end);
	return *end == '\0';
}

/* What is there and is no finite number is NAN: code that takes points counts such ones. */
static double number_or_nan(const struct rarog_perun_kind *kind, const char *column, size_t i)
{
	double value;

	return rarog_perun_number(kind, column, i, &value) && isfinite(value) ? value : NAN;
}

/* false: the resource has no x at all. */
static bool x_of(const struct rarog_perun_kind *kind, size_t i, double *ret_x)
{
	static const char *const columns[] = { "structure-unit-size", "call-order" };

	for (size_t k = 0; k < RAROG_COUNT(columns); k++)
		if (rarog_perun_has(kind, columns[k], i)) {
			*ret_x = number_or_nan(kind, columns[k], i);
			return true;
		}
	return workload_number(kind, ret_x);
}

static int points_of(const struct rarog_perun *perun, const struct rarog_perun_kind *kind,
		     rarog_perun_point_fn each, void *arg)
{
	struct rarog_perun_point point = { .function = function_of(
						   json_object_get(kind->facts, "uid")) };
	double scale = scale_of(perun, kind, &point.is_time);
	int r = 0;

	for (size_t i = 0; r == 0 && point.function && i < kind->n; i++) {
		if (!rarog_perun_has(kind, "amount", i) || !x_of(kind, i, &point.x))
			continue;
		point.y = scale * number_or_nan(kind, "amount", i);
		r = each(arg, &point);
	}
	return r;
}

int rarog_perun_points(const struct rarog_perun *perun, rarog_perun_point_fn each, void *arg)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < perun->kinds.n; i++)
		if (!rarog_perun_is_marker(&perun->kinds.v[i]))
			r = points_of(perun, &perun->kinds.v[i], each, arg);
	return r;
}

/* --- models --- */

/* [{"name": "b0", "value": 1.5}, …] in any order */
static bool read_coefficients(const json_t *list, struct rarog_perun_curve *curve)
{
	size_t n = json_array_size(list);

	if (n == 0 || n > RAROG_COUNT(curve->coefficients))
		return false;
	for (size_t i = 0; i < n; i++) {
		const json_t *entry = json_array_get(list, i);
		const char *name = rarog_perun_text(entry, "name");

		if (!name || name[0] != 'b' || name[1] < '0' || (size_t)(name[1] - '0') >= n ||
		    !number_of(entry, "value", &curve->coefficients[name[1] - '0']))
			return false;
	}
	curve->n_coefficients = n;
	return true;
}

/* 1 whole, 0 not, -ENOMEM */
static int read_values(const json_t *list, struct rarog_perun_curve *curve)
{
	size_t n = json_array_size(list);

	if (n == 0 || n > VALUES_MAX)
		return 0;
	curve->values = calloc(n, sizeof(double));
	if (!curve->values)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		const json_t *value = json_array_get(list, i);

		if (!json_is_number(value))
			return 0;
		curve->values[i] = json_number_value(value);
	}
	curve->n_values = n;
	return 1;
}

static int read_curve(const json_t *model, struct rarog_perun_curve *curve)
{
	curve->function = function_of(json_object_get(model, "uid"));
	curve->family = rarog_perun_text(model, "model");
	if (!curve->function || !curve->family || !number_of(model, "r_square", &curve->r2) ||
	    !number_of(model, "x_start", &curve->x_start) ||
	    !number_of(model, "x_end", &curve->x_end))
		return 0;
	if (read_coefficients(json_object_get(model, "coeffs"), curve))
		return 1;
	return read_values(json_object_get(model, "bucket_stats"), curve);
}

int rarog_perun_curves(const struct rarog_perun *perun, rarog_perun_curve_fn each, void *arg)
{
	const json_t *models = json_object_get(perun->root, "models");
	bool is_time;
	double scale = perun->kinds.n > 0 ? scale_of(perun, &perun->kinds.v[0], &is_time) : 1;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < json_array_size(models); i++) {
		struct rarog_perun_curve curve = { .scale = scale };

		r = read_curve(json_array_get(models, i), &curve);
		if (r > 0)
			r = each(arg, &curve);
		free(curve.values);
		if (r > 0)
			return r;
	}
	return r < 0 ? r : 0;
}
