/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors of the engine inline: trace, and complexity, which measures what has hooks; and
 * trace with the engines that a job may fall back on ('engine: any'). */
#include <string.h>

#include "base/error.h"
#include "engine/ebpf/ebpf.h"
#include "engine/engine.h"
#include "engine/inline/measure.h"
#include "engine/vex/vex.h"
#include "plan/options.h"
#include "run/measurer.h"

struct parameters {
	struct rarog_plan_options plan;
};

static const struct rarog_option options[] = {
	RAROG_PLAN_RESULT_OPTIONS(struct parameters, plan),
	RAROG_PLAN_WHAT_OPTIONS(struct parameters, plan),
	RAROG_PLAN_DROP_OPTION(struct parameters, plan),
	RAROG_OPT_END,
};

static void standard(void *parameters)
{
	static const struct parameters defaults = { .plan = RAROG_PLAN_OPTIONS_DEFAULT };

	memcpy(parameters, &defaults, sizeof(defaults));
}

static int check(const void *parameters)
{
	const struct parameters *p = parameters;
	struct rarog_plan plan;
	int r = rarog_plan_make(&p->plan, &plan);

	rarog_plan_release(&plan);
	return r;
}

/* --- identity --- */

static int put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

static int put_list(json_t *object, const char *key, const struct rarog_strings *list)
{
	json_t *array = list->n > 0 ? json_array() : NULL;
	int r = 0;

	for (size_t i = 0; array && r == 0 && i < list->n; i++)
		r = json_array_append_new(array, json_string(list->v[i]));
	return list->n > 0 ? r | put(object, key, array) : 0;
}

static json_t *identity(const void *parameters)
{
	const struct rarog_plan_options standard_plan = RAROG_PLAN_OPTIONS_DEFAULT;
	const struct rarog_plan_options *p = &((const struct parameters *)parameters)->plan;
	json_t *object = json_pack("{s:s}", "detail", rarog_detail_names[rarog_plan_detail(p)]);
	int r = object ? 0 : -1;

	if (r == 0 && p->strategy)
		r = put(object, "strategy", json_string(rarog_strategy_names[p->strategy]));
	r = r ? r : put_list(object, "func", &p->functions);
	r = r ? r : put_list(object, "exclude", &p->excluded);
	r = r ? r : put_list(object, "binary", &p->binaries);
	r = r ? r : put_list(object, "args", &p->args);
	r = r ? r : put_list(object, "arg", &p->arg);
	r = r ? r : put_list(object, "ret", &p->ret);
	r = r ? r : put_list(object, "usdt", &p->usdt);
	r = r ? r : put_list(object, "at", &p->at);
	if (r == 0 && p->no_usdt)
		r = put(object, "no_usdt", json_true());
	if (r == 0 && p->libraries)
		r = put(object, "libs", json_true());
	if (r == 0 && p->drop)
		r = put(object, "drop", json_true());
	if (r == 0 && p->every > 1)
		r = put(object, "sample_calls", json_integer(p->every));
	if (r == 0 && !p->follow)
		r = put(object, "follow", json_false());
	if (r == 0 && p->compensate)
		r = put(object, "compensate", json_true());
	if (r == 0 && p->within)
		r = put(object, "within", json_string(p->within));
	if (r == 0 && p->not_below)
		r = put(object, "not_below", json_string(p->not_below));
	if (r == 0 && p->max_size != standard_plan.max_size)
		r = put(object, "max_size_bytes", json_integer((json_int_t)p->max_size));
	if (r == 0)
		return object;
	json_decref(object);
	return NULL;
}

/* --- measuring --- */

/* What was measured before was by this engine: another one makes another job. */
static int check_engine(void)
{
	rarog_cleanup(rarog_freep) char *message = NULL;
	int r = rarog_engine_check(&rarog_engine_inline);

	if (r == 0)
		return 0;
	message = strdup(rarog_error_message());
	return rarog_fail(r, "inline: %s; 'engine: any' in the job takes another engine",
			  message ? message : strerror(-r));
}

static int measure_what(const struct rarog_measurement *measurement, bool hooked,
			struct rarog_measured *ret_measured)
{
	const struct parameters *p = measurement->collector->parameters;
	struct rarog_plan plan;
	struct rarog_trace_options trace = {
		.plan = &plan,
		.command = measurement->command,
		.output = measurement->output,
		.compensate = p->plan.compensate,
		.describe = measurement->describe,
		.user = measurement->user,
	};
	struct rarog_trace_result result = { 0 };
	int r = rarog_plan_make(&p->plan, &plan);

	plan.hooked = hooked;
	plan.libraries = plan.libraries || hooked;
	if (r == 0)
		r = check_engine();
	if (r == 0)
		r = rarog_inline_measure(&trace, &result);
	rarog_plan_release(&plan);
	*ret_measured = (struct rarog_measured){
		.run = result.run,
		.calls = result.totals.calls,
		.lost = result.totals.lost,
		.profile_bytes = result.profile_bytes,
	};
	return r;
}

static int measure(const struct rarog_measurement *measurement, struct rarog_measured *ret_measured)
{
	return measure_what(measurement, false, ret_measured);
}

static int measure_hooked(const struct rarog_measurement *measurement,
			  struct rarog_measured *ret_measured)
{
	return measure_what(measurement, true, ret_measured);
}

static int measure_by_ebpf(const struct rarog_measurement *measurement,
			   struct rarog_measured *ret_measured)
{
	const struct parameters *p = measurement->collector->parameters;
	struct rarog_plan plan;
	const struct rarog_trace_options trace = {
		.plan = &plan,
		.command = measurement->command,
		.output = measurement->output,
		.describe = measurement->describe,
		.user = measurement->user,
	};
	struct rarog_probed_result result = { 0 };
	int r = rarog_plan_make(&p->plan, &plan);

	if (r == 0)
		r = rarog_ebpf(&trace, &result);
	rarog_plan_release(&plan);
	*ret_measured = (struct rarog_measured){
		.run = result.run,
		.calls = result.totals.calls,
		.lost = result.totals.lost,
		.profile_bytes = result.profile_bytes,
	};
	return r;
}

static int measure_by_vex(const struct rarog_measurement *measurement,
			  struct rarog_measured *ret_measured)
{
	const struct parameters *p = measurement->collector->parameters;
	struct rarog_plan plan;
	const struct rarog_vex_options vex = {
		.plan = &plan,
		.command = measurement->command,
		.output = measurement->output,
		.describe = measurement->describe,
		.user = measurement->user,
	};
	struct rarog_vex_result result = { 0 };
	int r = rarog_plan_make(&p->plan, &plan);

	if (r == 0)
		r = rarog_vex(&vex, &result);
	rarog_plan_release(&plan);
	*ret_measured = (struct rarog_measured){
		.run = result.run,
		.calls = result.totals.calls,
		.lost = result.lost,
		.profile_bytes = result.profile_bytes,
	};
	return r;
}

static const struct rarog_plan_options *plan_of(const void *parameters)
{
	return &((const struct parameters *)parameters)->plan;
}

#define OPTIONS                                                                                    \
	.options = options, .size = sizeof(struct parameters), .standard = standard,               \
	.check = check, .identity = identity

static const struct rarog_measurer by_ebpf = {
	.name = "trace",
	.engine = "ebpf",
	OPTIONS,
	.measure = measure_by_ebpf,
};

static const struct rarog_measurer by_vex = {
	.name = "trace",
	.engine = "vex",
	OPTIONS,
	.measure = measure_by_vex,
};

static const struct rarog_measurer *const others[] = { &by_ebpf, &by_vex, NULL };

const struct rarog_measurer rarog_measurer_trace = {
	.name = "trace",
	.engine = "inline",
	OPTIONS,
	.measure = measure,
	.plan = plan_of,
	.others = others,
};

const struct rarog_measurer rarog_measurer_complexity = {
	.name = "complexity",
	.engine = "inline",
	OPTIONS,
	.measure = measure_hooked,
};
