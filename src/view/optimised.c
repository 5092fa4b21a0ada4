/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/optimised.h"

#include <string.h>

#include "base/log.h"

/* The last counts, as for compilers. */
static const char *last_level(const char *flags)
{
	const char *last = NULL;

	for (const char *at = flags; (at = strstr(at, "-O")); at++)
		last = at;
	return last;
}

static const char *text_at(const json_t *flags, size_t i)
{
	const char *text = json_string_value(json_array_get(flags, i));

	return text ? text : "";
}

const char *rarog_optimisation_of(const json_t *flags, size_t *ret_n)
{
	const char *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(flags); i++) {
		const char *last = last_level(text_at(flags, i));

		if (!last || (found && (n != strcspn(last, " ") || strncmp(found, last, n) != 0)))
			return NULL;
		found = last;
		n = strcspn(last, " ");
	}
	*ret_n = n;
	return found;
}

/* Of one compiler; NULL: nothing that it compiled is. */
static const char *optimised_level(const json_t *flags, size_t *ret_n)
{
	for (size_t i = 0; i < json_array_size(flags); i++) {
		const char *last = last_level(text_at(flags, i));
		size_t n = last ? strcspn(last, " ") : 0;

		if (n > 0 && !(n == 3 && last[2] == '0')) {
			*ret_n = n;
			return last;
		}
	}
	return NULL;
}

void rarog_optimised_warn(const struct rarog_profile *profile)
{
	json_t *header = json_loads(rarog_profile_header(profile), 0, NULL), *flags;
	json_t *compilers = json_object_get(json_object_get(header, "software"), "compilers");
	const char *compiler, *level = NULL;
	size_t n = 0;

	json_object_foreach (compilers, compiler, flags) {
		level = optimised_level(flags, &n);
		if (level)
			break;
	}
	if (level)
		rarog_warn("%s: of optimised code (%.*s) lines are what the compiler left of them: "
			   "counts may be too low, and lines missing; -O0 has all of them",
			   rarog_profile_path(profile), (int)n, level);
	json_decref(header);
}
