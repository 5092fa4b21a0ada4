/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers themselves. */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "run/generator.h"

static int check(const struct rarog_generator *generator)
{
	return rarog_generator_check_range(generator, -INT64_MAX);
}

static int add(const struct rarog_generator *generator, int64_t n,
	       struct rarog_workloads *workloads)
{
	rarog_cleanup(rarog_freep) char *text = rarog_asprintf("%lld", (long long)n);

	return text ? rarog_generator_add(generator, n, text, workloads) : rarog_oom();
}

static int generate(const struct rarog_generator *generator,
		    const struct rarog_generator_place *place, struct rarog_workloads *workloads)
{
	uint64_t last = ((uint64_t)generator->maximum - (uint64_t)generator->minimum) /
			(uint64_t)generator->step;
	int r = 0;

	(void)place;
	for (uint64_t i = 0; r == 0 && i <= last; i++)
		r = add(generator,
			(int64_t)((uint64_t)generator->minimum + i * (uint64_t)generator->step),
			workloads);
	return r;
}

static const char *const keys[] = { "min", "max", "step", NULL };

const struct rarog_generator_kind rarog_generator_integer = {
	.name = "integer",
	.keys = keys,
	.check = check,
	.generate = generate,
};
