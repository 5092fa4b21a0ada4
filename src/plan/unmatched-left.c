/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/unmatched-left.h"

#include <string.h>

#include "base/cleanup.h"
#include "plan/function-match.h"

static bool is_left(const struct rarog_searched *searched, const struct rarog_function *function)
{
	for (size_t i = 0; i < searched->left.n; i++)
		if (searched->left.v[i].function == function)
			return true;
	return false;
}

static bool takes_any(const struct rarog_searched *searched,
		      const struct rarog_searched_binary *binary,
		      const struct rarog_pattern *pattern)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary->binary, &functions);

	for (size_t i = 0; binary->places && i < n; i++) {
		const struct rarog_plan_place *place =
			rarog_place_set_function(binary->places, functions[i].address);

		if (place && rarog_place_is_measured(place) &&
		    rarog_function_is_meant(pattern, &functions[i]) &&
		    !is_left(searched, &functions[i]))
			return true;
	}
	return false;
}

int rarog_unmatched_left(const struct rarog_searched *searched, const struct rarog_pattern *pattern,
			 struct rarog_str *ret_text)
{
	const struct rarog_searched_left *left = NULL;
	const char *name;
	int r;

	for (size_t i = 0; !left && i < searched->left.n; i++)
		if (rarog_function_is_meant(pattern, searched->left.v[i].function))
			left = &searched->left.v[i];
	for (size_t i = 0; left && i < searched->binaries.n; i++)
		if (takes_any(searched, &searched->binaries.v[i], pattern))
			return 0;
	if (!left)
		return 0;
	name = left->function->name;
	r = rarog_str_addf(ret_text, "%s is not measured: %s %s", pattern->text,
			   pattern->kind == RAROG_PATTERN_NAME ? "it" : name, left->reason);
	return r < 0 ? r : 1;
}
