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

#define NAMES 10

/* @demangled: NULL: it is not. Returns how many. */
static size_t names_of(const struct rarog_function *f, const char *demangled,
		       const char *ret_names[NAMES])
{
	size_t n = 0;

	ret_names[n++] = f->name;
	ret_names[n++] = demangled;
	for (uint32_t i = 0; i < f->n_aliases && n < NAMES; i++)
		ret_names[n++] = f->aliases[i];
	return n;
}

bool rarog_function_matches(struct rarog_match *match, const struct rarog_function *f)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(f->name);
	const char *names[NAMES];
	size_t n = names_of(f, demangled, names);

	return rarog_match_test(match, n, names);
}

/* --- globs that are names --- */

void rarog_functions_settle(struct rarog_match *match, size_t n,
			    const struct rarog_function functions[n])
{
	if (!rarog_match_may_settle(match))
		return;
	rarog_match_unsettle(match);
	for (size_t i = 0; i < n; i++) {
		rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(functions[i].name);
		const char *names[NAMES];
		size_t n_names = names_of(&functions[i], demangled, names);

		if (!(functions[i].flags & RAROG_FUNCTION_COLD))
			rarog_match_settle(match, n_names, names);
	}
}

void rarog_plan_settle(struct rarog_plan *plan, const struct rarog_binary *binary)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);

	rarog_functions_settle(&plan->functions, n, functions);
	for (size_t i = 0; i < plan->every.rules.n; i++)
		rarog_functions_settle(&plan->every.rules.v[i].function, n, functions);
	for (size_t i = 0; i < plan->values.all.n; i++)
		rarog_functions_settle(&plan->values.all.v[i].functions, n, functions);
}

/* --- plans --- */

bool rarog_function_is_wanted(struct rarog_plan *plan, const struct rarog_function *function)
{
	const struct rarog_match *match = &plan->functions;

	if (plan->no_functions)
		return false;
	return (match->include.n == 0 && match->exclude.n == 0) ||
	       rarog_function_matches(&plan->functions, function);
}
