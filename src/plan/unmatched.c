/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/unmatched.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/short-name.h"
#include "binary/hooks.h"
#include "plan/unmatched-elsewhere.h"
#include "plan/unmatched-left.h"
#include "plan/unmatched-others.h"
#include "plan/unmatched-places.h"
#include "plan/unmatched-usdt.h"

typedef RAROG_VEC(char *) name_list;

static void release_names(name_list *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	rarog_vec_release(names);
}

/* "ns::f[abi:cxx11](int)" as people name it: "ns::f"; owned by the caller. NULL: no memory, or no
 * name of C++. */
static char *name_for_people(const char *symbol)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(symbol);
	char *name = demangled ? rarog_name_without_tags(demangled) : NULL;

	if (name)
		name[strcspn(name, "(")] = '\0';
	return name;
}

static int offer(const char *symbol, struct rarog_nearest *nearest, name_list *kept)
{
	char *demangled = name_for_people(symbol);

	rarog_nearest_offer(nearest, symbol);
	if (!demangled)
		return 0;
	if (rarog_vec_push(kept, demangled) < 0) {
		free(demangled);
		return rarog_oom();
	}
	rarog_nearest_offer(nearest, demangled);
	return 0;
}

static int offer_functions(struct rarog_binary *binary, struct rarog_nearest *nearest,
			   name_list *kept)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		if (!(functions[i].flags & RAROG_FUNCTION_COLD))
			r = offer(functions[i].name, nearest, kept);
	return r;
}

static bool is_called(const char *symbol, const char *wanted)
{
	rarog_cleanup(rarog_freep) char *name = name_for_people(symbol);
	rarog_cleanup(rarog_freep) char *untagged = rarog_name_without_tags(wanted);

	return strcmp(symbol, wanted) == 0 || (name && untagged && strcmp(name, untagged) == 0);
}

static char *title_of(const char *symbol)
{
	char *demangled = rarog_demangle(symbol);

	return demangled ? demangled : strdup(symbol);
}

/* Into which function @wanted was inlined, owned by the caller. NULL: nowhere, or no memory. */
static char *inlined_into(struct rarog_binary *binary, const char *wanted)
{
	const struct rarog_function *functions;
	const struct rarog_inlined *inlined;
	long n = rarog_binary_inlined(binary, &inlined);

	rarog_binary_functions(binary, &functions);
	for (long i = 0; i < n; i++)
		if (is_called(inlined[i].name, wanted))
			return title_of(functions[inlined[i].host].name);
	return NULL;
}

static int describe(const struct rarog_searched *searched, const char *wanted,
		    struct rarog_str *text)
{
	rarog_cleanup(release_names) name_list kept = { 0 };
	struct rarog_nearest nearest = { .wanted = wanted };
	int r = 0;

	for (size_t i = 0; i < searched->binaries.n; i++) {
		rarog_cleanup(rarog_freep) char *host =
			inlined_into(searched->binaries.v[i].binary, wanted);

		if (host)
			return rarog_str_addf(text,
					      "%s exists only inlined into others, %s for one; "
					      "measure that",
					      wanted, host);
	}
	for (size_t i = 0; r == 0 && i < searched->binaries.n; i++)
		r = offer_functions(searched->binaries.v[i].binary, &nearest, &kept);
	if (r == 0)
		r = rarog_str_addf(text, "no function is called %s", wanted);
	if (r == 0 && nearest.n == 0)
		r = rarog_str_add(text, "; rarog probes lists those that there are");
	return r < 0 ? r : rarog_nearest_add(&nearest, "", text);
}

/* A function of that name, probed or not. */
static bool is_there(const struct rarog_searched *searched, const char *wanted)
{
	for (size_t i = 0; i < searched->binaries.n; i++) {
		const struct rarog_function *functions;
		size_t n = rarog_binary_functions(searched->binaries.v[i].binary, &functions);

		for (size_t k = 0; k < n; k++)
			if (is_called(functions[k].name, wanted))
				return true;
	}
	return false;
}

static bool has_hooks(const struct rarog_searched *searched)
{
	for (size_t i = 0; i < searched->binaries.n; i++)
		if (rarog_hooks_any(searched->binaries.v[i].binary))
			return true;
	return false;
}

void rarog_searched_release(struct rarog_searched *searched)
{
	rarog_vec_release(&searched->binaries);
	rarog_vec_release(&searched->left);
}

/* --- a line each --- */

static int begin_line(struct rarog_str *text)
{
	return text->length > 0 ? rarog_str_add(text, "\n") : 0;
}

/* One that nothing is called as, or that only means what cannot be measured. Return: as
 * rarog_unmatched(). */
static int say_pattern(const struct rarog_searched *searched, const struct rarog_pattern *pattern,
		       struct rarog_str *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };
	int r = rarog_unmatched_left(searched, pattern, &line);

	if (r == 0 && pattern->hits == 0) {
		r = describe(searched, pattern->text, &line);
		r = r < 0 ? r : 1;
	}
	if (r > 0 && (begin_line(text) < 0 || rarog_str_add(text, rarog_str_text(&line)) < 0))
		return rarog_oom();
	return r;
}

static int say_functions(const struct rarog_searched *searched, struct rarog_str *text)
{
	const struct rarog_match *match = &searched->plan->functions;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < match->include.n; i++)
		r = say_pattern(searched, &match->include.v[i], text);
	return r < 0 ? r : 0;
}

/* --within or --not-below: its functions have probes of their own kind. */
static int say_roots(const struct rarog_searched *searched, struct rarog_str *text)
{
	const struct rarog_match *match = &searched->plan->roots;
	int r = 0;

	for (size_t i = 0; !searched->has_root && r >= 0 && i < match->include.n; i++)
		r = say_pattern(searched, &match->include.v[i], text);
	if (r > 0 && searched->plan->within && match->include.v[0].hits > 0)
		r = rarog_str_add(text, "; so nothing is recorded within it");
	return r < 0 ? r : 0;
}

static int say_name(const struct rarog_searched *searched, const char *wanted,
		    struct rarog_str *text)
{
	int r = wanted ? begin_line(text) : 0;

	return r < 0 || !wanted ? r : describe(searched, wanted, text);
}

static int say_value(const struct rarog_searched *searched, const char *wanted,
		     struct rarog_str *text)
{
	int r;

	if (!is_there(searched, wanted))
		return say_name(searched, wanted, text);
	r = begin_line(text);
	return r < 0 ? r
		     : rarog_str_addf(text,
				      "%s is not measured, so nothing of it is captured; "
				      "rarog probes says which functions can be",
				      wanted);
}

/* Several requests may be for one function. */
static int say_values(const struct rarog_searched *searched, struct rarog_str *text)
{
	const struct rarog_value_requests *requests = &searched->plan->values;
	const char *wanted = rarog_value_requests_unmatched(requests), *last = wanted;
	int r = wanted ? say_value(searched, wanted, text) : 0;
	size_t n = 0;

	for (size_t i = 0; wanted && r == 0 && i < requests->all.n; i++) {
		const struct rarog_value_request *request = &requests->all.v[i];

		if (request->is_matched || strcmp(request->pattern, wanted) == 0 ||
		    strcmp(request->pattern, last) == 0)
			continue;
		last = request->pattern;
		r = rarog_unmatched_other(text, &n, last);
	}
	return r;
}

typedef int say_function(const struct rarog_searched *searched, struct rarog_str *ret_text);

static int say_line(const struct rarog_searched *searched, say_function *say,
		    struct rarog_str *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };
	int r = say(searched, &line);

	if (r > 0)
		r = begin_line(text);
	return r < 0 || line.length == 0 ? r : rarog_str_add(text, rarog_str_text(&line));
}

/* What marks and places lack comes after the functions, which they may be the cause of. */
static int say_places(const struct rarog_searched *searched, struct rarog_str *text)
{
	int r = say_line(searched, rarog_unmatched_usdt, text);

	if (r == 0)
		r = say_line(searched, rarog_unmatched_usdt_elsewhere, text);
	return r < 0 ? r : say_line(searched, rarog_unmatched_place, text);
}

int rarog_unmatched(const struct rarog_searched *searched, struct rarog_str *ret_text)
{
	const struct rarog_plan *plan = searched->plan;
	int r;

	if (plan->hooked && !has_hooks(searched)) {
		r = rarog_str_add(ret_text, "nothing that ran was built with hooks; build it with "
					    "CC=\"rarog cc --hooks\", or rarog collect trace");
		return r < 0 ? r : 1;
	}
	r = say_functions(searched, ret_text);
	if (r == 0)
		r = say_line(searched, rarog_unmatched_elsewhere, ret_text);
	if (r == 0 && plan->hooked)
		r = say_name(searched, rarog_call_sampling_unused(&plan->every), ret_text);
	if (r == 0)
		r = say_roots(searched, ret_text);
	if (r == 0)
		r = say_values(searched, ret_text);
	if (r == 0)
		r = say_places(searched, ret_text);
	return r < 0 ? r : ret_text->length > 0;
}
