/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "binary/binary.h"

static bool is_of_unit(const struct rarog_function *f, const char *unit)
{
	return !unit || !f->unit || strcmp(f->unit, unit) == 0;
}

long rarog_binary_host(const struct rarog_binary *binary, long function)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	const char *name, *end;
	long only = function; /* a hidden function may be said to be of a wrong file */
	size_t n_named = 0;

	if (function < 0 || !(functions[function].flags & RAROG_FUNCTION_COLD))
		return function;
	name = functions[function].name;
	end = strstr(name, ".cold");
	for (size_t i = 0; end && i < n; i++) {
		if (strncmp(functions[i].name, name, (size_t)(end - name)) != 0 ||
		    functions[i].name[end - name] != '\0')
			continue;
		if (is_of_unit(&functions[i], functions[function].unit))
			return (long)i;
		only = n_named++ == 0 ? (long)i : function;
	}
	return only;
}
