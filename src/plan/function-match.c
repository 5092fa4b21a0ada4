/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/function-match.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "process/process.h"

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

bool rarog_program_is_meant(struct rarog_plan *plan, bool is_first, const char *path,
			    const char *file)
{
	struct rarog_match *programs = &plan->programs;
	const char *name = strrchr(path, '/');
	const char *names[] = { path, name ? name + 1 : path };

	if (programs->include.n > 0 || programs->exclude.n > 0)
		return rarog_match_test(programs, RAROG_COUNT(names), names);
	return is_first || rarog_process_has_symbols(file);
}

size_t rarog_function_names(const struct rarog_function *f, char **ret_demangled,
			    const char *ret_names[RAROG_FUNCTION_NAMES])
{
	size_t n = 0;

	*ret_demangled = rarog_demangle(f->name);
	ret_names[n++] = f->name;
	if (*ret_demangled)
		ret_names[n++] = *ret_demangled;
	for (uint32_t i = 0; i < f->n_aliases && n < RAROG_FUNCTION_NAMES; i++)
		ret_names[n++] = f->aliases[i];
	return n;
}

size_t rarog_function_symbols(const struct rarog_function *f,
			      const char *ret_names[RAROG_FUNCTION_NAMES])
{
	size_t n = 0;

	ret_names[n++] = f->name;
	for (uint32_t i = 0; i < f->n_aliases && n < RAROG_FUNCTION_NAMES; i++)
		ret_names[n++] = f->aliases[i];
	return n;
}

bool rarog_function_matches(struct rarog_match *match, const struct rarog_function *f)
{
	rarog_cleanup(rarog_freep) char *demangled = NULL;
	const char *names[RAROG_FUNCTION_NAMES];
	size_t n = rarog_function_names(f, &demangled, names);

	return rarog_match_test(match, n, names);
}

/* --- globs that are names --- */

static void settle_by_functions(struct rarog_match *match, const struct rarog_binary *binary)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);

	for (size_t i = 0; i < n; i++) {
		rarog_cleanup(rarog_freep) char *demangled = NULL;
		const char *names[RAROG_FUNCTION_NAMES];
		size_t n_names = rarog_function_names(&functions[i], &demangled, names);

		if (!(functions[i].flags & RAROG_FUNCTION_COLD))
			rarog_match_settle(match, n_names, names);
	}
}

/* What exists only inlined has its name, too: the others of the glob are not meant. */
static void settle_by_inlined(struct rarog_match *match, struct rarog_binary *binary)
{
	const struct rarog_inlined *inlined;
	long n = rarog_binary_inlined(binary, &inlined);

	if (n < 0)
		rarog_error_clear(); /* unknown: globs stay globs */
	for (long i = 0; i < n; i++) {
		rarog_cleanup(rarog_freep) char *demangled = NULL;
		const char *names[] = { inlined[i].name, NULL };

		if (i > 0 && strcmp(inlined[i].name, inlined[i - 1].name) == 0)
			continue;
		demangled = rarog_demangle(inlined[i].name);
		names[1] = demangled;
		rarog_match_settle(match, RAROG_COUNT(names), names);
	}
}

void rarog_functions_settle(struct rarog_match *match, struct rarog_binary *binary)
{
	rarog_match_unsettle(match);
	if (rarog_match_may_settle(match))
		settle_by_functions(match, binary);
	if (rarog_match_may_settle(match))
		settle_by_inlined(match, binary);
}

void rarog_plan_settle(struct rarog_plan *plan, struct rarog_binary *binary)
{
	rarog_functions_settle(&plan->functions, binary);
	rarog_functions_settle(&plan->roots, binary);
	for (size_t i = 0; i < plan->every.rules.n; i++)
		rarog_functions_settle(&plan->every.rules.v[i].function, binary);
	for (size_t i = 0; i < plan->values.all.n; i++)
		rarog_functions_settle(&plan->values.all.v[i].functions, binary);
}

bool rarog_plan_thins(const struct rarog_plan *plan)
{
	bool has = plan->judge.decide || rarog_call_sampling_is_any(&plan->every) ||
		   rarog_call_sampling_is_any(&plan->usdt_every);

	for (size_t i = 0; i < plan->places.list.n; i++)
		has |= plan->places.list.v[i].every > 1;
	return has;
}

bool rarog_function_is_meant(const struct rarog_pattern *pattern,
			     const struct rarog_function *function)
{
	rarog_cleanup(rarog_freep) char *demangled = NULL;
	const char *names[RAROG_FUNCTION_NAMES];
	size_t n = rarog_function_names(function, &demangled, names);
	bool is_meant = false;

	for (size_t i = 0; !is_meant && i < n; i++) {
		rarog_cleanup(rarog_spellings_release) struct rarog_spellings spellings;

		rarog_spellings_make(names[i], &spellings);
		is_meant = rarog_pattern_means(pattern, &spellings);
	}
	return is_meant;
}
