/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One workload with a name, and a number if one is given. */
#include <errno.h>

#include "base/error.h"
#include "run/generator.h"

static int check(const struct rarog_generator *generator)
{
	if (!generator->value)
		return rarog_yaml_fail(generator->where,
				       "'value' is missing: what the program is given");
	return 0;
}

static int generate(const struct rarog_generator *generator,
		    const struct rarog_generator_place *place, struct rarog_workloads *workloads)
{
	struct rarog_workload *workload =
		rarog_workload_add(workloads, generator->id, generator->value);

	(void)place;
	if (!workload)
		return -ENOMEM;
	if (generator->has_number)
		rarog_workload_number(workload, generator->number);
	return 0;
}

static void describe(struct rarog_json *json, const struct rarog_generator *generator)
{
	rarog_json_string(json, "value", generator->value);
}

static const char *const keys[] = { "value", "number", NULL };

const struct rarog_generator_kind rarog_generator_singleton = {
	.name = "singleton",
	.keys = keys,
	.check = check,
	.generate = generate,
	.describe = describe,
};
