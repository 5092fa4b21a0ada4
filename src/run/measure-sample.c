/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/error.h"
#include "engine/sample/sample.h"
#include "run/measurer.h"

struct parameters {
	struct rarog_sample_options sample;
};

static const struct rarog_option options[] = {
	RAROG_SAMPLE_OPTIONS(struct parameters, sample),
	RAROG_OPT_FLAG(0, "follow", struct parameters, sample.follow,
		       "measure child processes, too (default; --no-follow)"),
	RAROG_OPT_END,
};

static void standard(void *parameters)
{
	static const struct parameters defaults = { .sample = RAROG_SAMPLE_OPTIONS_DEFAULT };

	memcpy(parameters, &defaults, sizeof(defaults));
}

static int check(const void *parameters)
{
	(void)parameters;
	return 0;
}

static int put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

static json_t *identity(const void *parameters)
{
	const struct rarog_sample_options *s = &((const struct parameters *)parameters)->sample;
	json_t *object = json_pack("{s:I, s:s}", "rate", (json_int_t)s->rate, "call_graph",
				   rarog_stacks_names[s->stacks]);
	int r = object ? 0 : -1;

	if (r == 0 && s->stacks == RAROG_STACKS_DWARF && s->stack_size != RAROG_SAMPLE_STACK)
		r = put(object, "stack_size", json_integer((json_int_t)s->stack_size));
	if (r == 0 && s->kernel)
		r = put(object, "kernel", json_true());
	if (r == 0 && s->off_cpu)
		r = put(object, "off_cpu", json_true());
	if (r == 0 && !s->follow)
		r = put(object, "follow", json_false());
	if (r == 0)
		return object;
	json_decref(object);
	return NULL;
}

static int measure(const struct rarog_measurement *measurement, struct rarog_measured *ret_measured)
{
	const struct parameters *p = measurement->collector->parameters;
	const struct rarog_sample_run_options run = {
		.sample = &p->sample,
		.command = measurement->command,
		.output = measurement->output,
		.describe = measurement->describe,
		.user = measurement->user,
	};
	struct rarog_sample_result result = { 0 };
	int r = rarog_sample_run(&run, &result);

	*ret_measured = (struct rarog_measured){
		.run = result.run,
		.lost = result.lost,
		.profile_bytes = result.profile_bytes,
	};
	return r;
}

const struct rarog_measurer rarog_measurer_sample = {
	.name = "sample",
	.engine = "perf",
	.options = options,
	.size = sizeof(struct parameters),
	.standard = standard,
	.check = check,
	.identity = identity,
	.measure = measure,
};
