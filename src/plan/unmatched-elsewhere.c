/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/unmatched-elsewhere.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/usdt.h"
#include "plan/function-match.h"

#define NO_FILE   "no file that is measured is called so"
#define NEED      NO_FILE "; libraries need --libs"
#define NOT_THERE "there is nothing of that name in that file"

typedef bool has_name(const struct rarog_binary *binary, const struct rarog_pattern *pattern);

static bool means(const struct rarog_pattern *pattern, const char *name)
{
	rarog_cleanup(rarog_spellings_release) struct rarog_spellings spellings;

	rarog_spellings_make(name, &spellings);
	return rarog_pattern_means(pattern, &spellings);
}

static bool has_function(const struct rarog_binary *binary, const struct rarog_pattern *pattern)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);

	for (size_t i = 0; i < n; i++)
		if (rarog_function_is_meant(pattern, &functions[i]))
			return true;
	return false;
}

static bool has_usdt(const struct rarog_binary *binary, const struct rarog_pattern *pattern)
{
	struct rarog_usdts usdts;
	bool has = rarog_usdts_read(binary, &usdts) < 0;

	for (size_t i = 0; !has && i < usdts.n; i++) {
		rarog_cleanup(rarog_freep) char *whole =
			rarog_asprintf("%s:%s", usdts.v[i].provider, usdts.v[i].name);

		has = !whole || means(pattern, whole) || means(pattern, usdts.v[i].name);
	}
	rarog_usdts_release(&usdts);
	return has;
}

/* NULL: nothing. */
static const char *wrong_with(const struct rarog_searched *searched,
			      const struct rarog_call_sampling_rule *rule, has_name *has)
{
	const struct rarog_pattern *file = rule->library.include.v;
	const char *wrong = searched->plan->libraries ? NO_FILE : NEED;

	for (size_t i = 0; i < searched->binaries.n; i++) {
		const char *path = searched->binaries.v[i].path, *slash = strrchr(path, '/');

		if (!means(file, path) && !(slash && means(file, slash + 1)))
			continue;
		if (has(searched->binaries.v[i].binary, rule->function.include.v))
			return NULL;
		wrong = NOT_THERE;
	}
	return wrong;
}

static bool is_found(const struct rarog_match *match, const char *pattern)
{
	for (size_t i = 0; i < match->include.n; i++)
		if (match->include.v[i].hits > 0 && strcmp(match->include.v[i].text, pattern) == 0)
			return true;
	return false;
}

static int say(const struct rarog_searched *searched, const struct rarog_match *match,
	       const struct rarog_call_sampling *every, has_name *has, struct rarog_str *text)
{
	for (size_t i = 0; i < every->rules.n; i++) {
		const struct rarog_call_sampling_rule *rule = &every->rules.v[i];
		const struct rarog_pattern *name = rule->function.include.v;
		const char *wrong = NULL;

		/* a rule may be unused because one before it fits, too */
		if (rule->library.include.n > 0 && !rule->is_never && name->hits == 0 &&
		    is_found(match, name->text))
			wrong = wrong_with(searched, rule, has);
		if (wrong && rarog_str_addf(text, "%s#%s: %s", rule->library.include.v->text,
					    name->text, wrong) < 0)
			return rarog_oom();
		if (wrong)
			return 1;
	}
	return 0;
}

int rarog_unmatched_elsewhere(const struct rarog_searched *searched, struct rarog_str *ret_text)
{
	const struct rarog_plan *plan = searched->plan;

	return plan->hooked ? 0
			    : say(searched, &plan->functions, &plan->every, has_function, ret_text);
}

int rarog_unmatched_usdt_elsewhere(const struct rarog_searched *searched,
				   struct rarog_str *ret_text)
{
	const struct rarog_plan *plan = searched->plan;

	return say(searched, &plan->usdt, &plan->usdt_every, has_usdt, ret_text);
}
