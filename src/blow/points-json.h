/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What noise did to the time for passages of each progress point, for programs and for pages. */
#ifndef RAROG_BLOW_POINTS_JSON_H
#define RAROG_BLOW_POINTS_JSON_H

#include "base/json-writer.h"
#include "blow/blow.h"

/** rarog_blow_json_curve() - member "profile": the profile of speed-up of @f at @point. 0; -ENOMEM.
 */
int rarog_blow_json_curve(struct rarog_json *json, const struct rarog_blow_result *result,
			  const struct rarog_blow_function *f, size_t point);

/** rarog_blow_json_points() - member "points" of a function: what is known of each. 0; -ENOMEM. */
int rarog_blow_json_points(struct rarog_json *json, const struct rarog_blow_options *options,
			   const struct rarog_blow_result *result,
			   const struct rarog_blow_function *f);

/** rarog_blow_point_effect() - NULL: not known. */
const struct rarog_blow_estimate *rarog_blow_point_effect(const struct rarog_blow_result *result,
							  const struct rarog_blow_function *f,
							  size_t point);

#endif
