/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"
#include "collect/blocks/blocks.h"
#include "run/measurer.h"

/* Everything that was compiled with counters counts; there is nothing to choose. */
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

static int measure(const struct rarog_measurement *measurement, struct rarog_measured *ret_measured)
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

const struct rarog_measurer rarog_measurer_blocks = {
	.name = "blocks",
	.engine = "compiled",
	.options = options,
	.size = sizeof(struct parameters),
	.standard = standard,
	.check = check,
	.identity = identity,
	.measure = measure,
};
