/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/trace/function-match.h"

#include <string.h>

#include "base/str.h"

/* Functions that look at their own return address: a call-through would show them the stub. */
static const char *const sees_return_address[] = {
	"dlopen",       "dlmopen", "dlsym",  "dlvsym",     "__libc_dlopen_mode",
	"__libc_dlsym", "_mcount", "mcount", "__fentry__",
};

/* Beginnings of names: unwinders' own functions; V8's, with a calling convention of its own. */
static const char *const unseen[] = {
	"_Unwind_", "uw_", "_ULx86_64_", "_Ux86_64_", "unw_", "__unw_", "Builtins_",
};

bool rarog_function_is_special(const struct rarog_function *f)
{
	for (size_t i = 0; i < RAROG_COUNT(unseen); i++)
		if (rarog_starts_with(f->name, unseen[i]))
			return true;
	for (size_t i = 0; i < RAROG_COUNT(sees_return_address); i++)
		if (strcmp(f->name, sees_return_address[i]) == 0)
			return true;
	return false;
}

bool rarog_function_matches(struct rarog_match *match, const struct rarog_function *f)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(f->name);
	const char *names[10] = { f->name, demangled };
	size_t n = 2;

	for (uint32_t i = 0; i < f->n_aliases && n < RAROG_COUNT(names); i++)
		names[n++] = f->aliases[i];
	return rarog_match_test(match, n, names);
}

bool rarog_function_is_wanted(struct rarog_plan *plan, const struct rarog_function *function)
{
	const struct rarog_match *match = &plan->functions;

	if (plan->no_functions)
		return false;
	return (match->include.n == 0 && match->exclude.n == 0) ||
	       rarog_function_matches(&plan->functions, function);
}
