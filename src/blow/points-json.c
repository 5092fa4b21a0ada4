/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/points-json.h"

#include "base/cleanup.h"
#include "blow/other-times.h"

const struct rarog_blow_estimate *rarog_blow_point_effect(const struct rarog_blow_result *result,
							  const struct rarog_blow_function *f,
							  size_t point)
{
	size_t at = (size_t)(f - result->corpus.v.v) * result->points.v.n + point;

	return at < result->point_effects.n && result->point_effects.v[at].is_known
		       ? &result->point_effects.v[at].answer
		       : NULL;
}

int rarog_blow_json_curve(struct rarog_json *json, const struct rarog_blow_result *result,
			  const struct rarog_blow_function *f, size_t point)
{
	struct rarog_blow_curve curve;
	int r = rarog_blow_curve_of(result, f, point, &curve);

	rarog_json_array(json, "profile");
	for (size_t i = 0; r == 0 && i < curve.v.n; i++) {
		rarog_json_object(json, NULL);
		rarog_json_double(json, "part", curve.v.v[i].part);
		rarog_json_double(json, "gain", curve.v.v[i].gain);
		rarog_json_uint(json, "runs", curve.v.v[i].runs);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	rarog_vec_release(&curve.v);
	return r;
}

int rarog_blow_json_points(struct rarog_json *json, const struct rarog_blow_options *options,
			   const struct rarog_blow_result *result,
			   const struct rarog_blow_function *f)
{
	int r = 0;

	rarog_json_array(json, "points");
	for (size_t i = 0; r == 0 && i < result->points.v.n; i++) {
		const struct rarog_blow_estimate *e = rarog_blow_point_effect(result, f, i);

		rarog_json_object(json, NULL);
		rarog_json_string(json, "point", result->points.v.v[i].name);
		if (e) {
			rarog_json_double(json, "estimate", e->value);
			rarog_json_double(json, "low", e->low);
			rarog_json_double(json, "high", e->high);
		}
		if (options->mode->is_virtual)
			r = rarog_blow_json_curve(json, result, f, i);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	return r;
}
