/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/parameters.h"

#include "plan/feature-options.h"

/* For all of its kind, and by rules. */
static void write_every(struct rarog_json *json, const char *key, const char *what,
			const struct rarog_call_sampling *every)
{
	rarog_json_object(json, key);
	rarog_json_uint(json, "every", every->all > 1 ? every->all : 1);
	rarog_json_array(json, "rules");
	for (size_t i = 0; i < every->rules.n; i++) {
		const struct rarog_call_sampling_rule *rule = &every->rules.v[i];

		if (rule->n == 0)
			continue;
		rarog_json_object(json, NULL);
		if (rule->library.include.n > 0)
			rarog_json_string(json, "file", rule->library.include.v[0].text);
		rarog_json_string(json, what, rule->function.include.v[0].text);
		rarog_json_uint(json, "every", rule->n);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

void rarog_plan_write_values(struct rarog_json *json, const struct rarog_value_requests *requests)
{
	rarog_json_array(json, "values");
	for (size_t i = 0; i < requests->all.n; i++)
		rarog_json_string(json, NULL, requests->all.v[i].text);
	rarog_json_end_array(json);
}

void rarog_plan_write_collector(struct rarog_json *json, const char *engine,
				const struct rarog_plan *plan)
{
	rarog_json_string(json, "collector", plan->collector);
	rarog_json_string(json, "engine", engine);
}

/* What is the usual way is left out. */
static void write_features(struct rarog_json *json, const struct rarog_feature_options *features)
{
	rarog_json_array(json, "feature");
	for (size_t i = 0; i < features->features.n; i++)
		rarog_json_string(json, NULL, features->features.v[i]);
	rarog_json_end_array(json);
	if (features->model)
		rarog_json_string(json, "model", features->model);
	if (features->least > 1)
		rarog_json_uint(json, "least", (uint64_t)features->least);
	if (features->nested)
		rarog_json_bool(json, "nested", true);
	if (features->is_explicit)
		rarog_json_bool(json, "explicit", true);
}

void rarog_plan_write(struct rarog_json *json, const char *engine, const struct rarog_plan *plan)
{
	static const char *const details[] = { "calls", "summary", "count" };

	rarog_plan_write_collector(json, engine, plan);
	rarog_json_string(json, "detail", details[plan->detail]);
	rarog_json_bool(json, "tells_measured", true);
	rarog_json_object(json, "parameters");
	rarog_json_array(json, "func");
	for (size_t i = 0; i < plan->functions.include.n; i++)
		rarog_json_string(json, NULL, plan->functions.include.v[i].text);
	rarog_json_end_array(json);
	rarog_json_array(json, "exclude");
	for (size_t i = 0; i < plan->functions.exclude.n; i++)
		rarog_json_string(json, NULL, plan->functions.exclude.v[i].text);
	rarog_json_end_array(json);
	if (plan->values.all.n > 0) /* those without are the jobs that they were */
		rarog_plan_write_values(json, &plan->values);
	rarog_json_array(json, "usdt");
	for (size_t i = 0; i < plan->usdt.include.n; i++)
		rarog_json_string(json, NULL, plan->usdt.include.v[i].text);
	rarog_json_end_array(json);
	rarog_json_bool(json, "no_usdt", plan->no_usdt);
	rarog_json_array(json, "at");
	for (size_t i = 0; i < plan->places.list.n; i++)
		rarog_json_string(json, NULL, plan->places.list.v[i].given);
	rarog_json_end_array(json);
	if (plan->features)
		write_features(json, plan->features);
	rarog_json_bool(json, "libs", plan->libraries);
	rarog_json_bool(json, "drop", plan->drop);
	rarog_json_bool(json, "follow", plan->follow);
	rarog_json_uint(json, "max_size_bytes", plan->max_size);
	if (rarog_call_sampling_is_any(&plan->every))
		write_every(json, "sample_calls", "function", &plan->every);
	if (rarog_call_sampling_is_any(&plan->usdt_every))
		write_every(json, "sample_usdt", "usdt", &plan->usdt_every);
	if (plan->windows.period_ns > 0) {
		rarog_json_uint(json, "windows_on_ns", plan->windows.on_ns);
		rarog_json_uint(json, "windows_period_ns", plan->windows.period_ns);
	}
	if (plan->overhead > 0)
		rarog_json_double(json, "overhead", plan->overhead);
	if (plan->techniques)
		rarog_json_raw(json, "techniques", plan->techniques);
	if (plan->within)
		rarog_json_string(json, "within", plan->within);
	if (plan->not_below)
		rarog_json_string(json, "not_below", plan->not_below);
	rarog_json_end_object(json);
}
