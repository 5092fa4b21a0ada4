/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectors that measure all there is: nothing can be chosen. */
#include "base/error.h"
#include "engine/blocks/blocks.h"
#include "engine/time/time.h"
#include "run/measurer.h"

struct parameters {
	bool is_empty;
};

static const struct rarog_option options[] = { RAROG_OPT_END };

static void standard(void *parameters)
{
	*(struct parameters *)parameters = (struct parameters){ .is_empty = true };
}

static int check(const void *parameters)
{
	(void)parameters;
	return 0;
}

static json_t *identity(const void *parameters)
{
	(void)parameters;
	return json_object();
}

static int measure_blocks(const struct rarog_measurement *measurement,
			  struct rarog_measured *ret_measured)
{
	const struct rarog_blocks_options blocks = {
		.command = measurement->command,
		.output = measurement->output,
		.describe = measurement->describe,
		.user = measurement->user,
	};
	struct rarog_blocks_result result = { 0 };
	int r = rarog_blocks(&blocks, &result);

	*ret_measured = (struct rarog_measured){
		.run = result.run,
		.calls = result.totals.calls,
		.lost = !result.is_exact,
		.profile_bytes = result.profile_bytes,
	};
	return r;
}

static int measure_time(const struct rarog_measurement *measurement,
			struct rarog_measured *ret_measured)
{
	const struct rarog_time_options time = {
		.command = measurement->command,
		.output = measurement->output,
		.describe = measurement->describe,
		.user = measurement->user,
	};
	struct rarog_time_result result = { 0 };
	int r = rarog_time(&time, &result);

	*ret_measured = (struct rarog_measured){
		.run = result.run,
		.profile_bytes = result.profile_bytes,
	};
	return r;
}

#define PLAIN                                                                                      \
	.options = options, .size = sizeof(struct parameters), .standard = standard,               \
	.check = check, .identity = identity

const struct rarog_measurer rarog_measurer_blocks = {
	.name = "blocks",
	.engine = "compiled",
	PLAIN,
	.measure = measure_blocks,
};

const struct rarog_measurer rarog_measurer_time = {
	.name = "time",
	.engine = "kernel",
	PLAIN,
	.measure = measure_time,
};
