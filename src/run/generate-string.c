/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings of letters and digits; the number is the length. */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "run/generator.h"
#include "run/splitmix.h"

#define LONGEST 100000 /* below the 128 KiB that Linux allows one argument */

static void standard(struct rarog_generator *generator)
{
	generator->minimum = 1;
}

static int check(const struct rarog_generator *generator)
{
	int r = rarog_generator_check_range(generator, 0);

	if (r == 0 && generator->maximum > LONGEST)
		r = rarog_yaml_fail(rarog_yaml_get(generator->where, "max"),
				    "an argument has at most %d characters", LONGEST);
	return r;
}

static char *letters(struct rarog_splitmix random, size_t n)
{
	static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	char *text = malloc(n + 1);

	for (size_t i = 0; text && i < n; i++)
		text[i] = all[rarog_splitmix_below(&random, sizeof(all) - 1)];
	if (text)
		text[n] = '\0';
	return text;
}

static int generate(const struct rarog_generator *generator,
		    const struct rarog_generator_place *place, struct rarog_workloads *workloads)
{
	int r = 0;

	(void)place;
	for (int64_t n = generator->minimum; r == 0 && n <= generator->maximum;
	     n += generator->step) {
		rarog_cleanup(rarog_freep) char *text =
			letters(rarog_splitmix_stream(generator->seed, (uint64_t)n), (size_t)n);

		r = text ? rarog_generator_add(generator, n, text, workloads) : rarog_oom();
	}
	return r;
}

static void describe(struct rarog_json *json, const struct rarog_generator *generator)
{
	rarog_json_uint(json, "seed", generator->seed);
}

static const char *const keys[] = { "min", "max", "step", "seed", NULL };

const struct rarog_generator_kind rarog_generator_string = {
	.name = "string",
	.keys = keys,
	.standard = standard,
	.check = check,
	.generate = generate,
	.describe = describe,
};
