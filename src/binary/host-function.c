/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "binary/binary.h"
#include "binary/symbol-name.h"

static bool is_of_unit(const struct rarog_function *f, const char *unit)
{
	return !unit || !f->unit || strcmp(f->unit, unit) == 0;
}

long rarog_binary_host(const struct rarog_binary *binary, long function)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	const char *name;
	long only = function; /* a hidden function may be said to be of a wrong file */
	size_t n_named = 0, length;

	if (function < 0 || !(functions[function].flags & RAROG_FUNCTION_COLD))
		return function;
	name = functions[function].name;
	length = rarog_symbol_name_host(name);
	for (size_t i = 0; name[length] && i < n; i++) {
		if (strncmp(functions[i].name, name, length) != 0 ||
		    functions[i].name[length] != '\0')
			continue;
		if (is_of_unit(&functions[i], functions[function].unit))
			return (long)i;
		only = n_named++ == 0 ? (long)i : function;
	}
	return only;
}
