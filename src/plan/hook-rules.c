/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules of a file become rules of the plan for that file: the first that fits a function holds,
 * so those that exclude come first.
 */
#include "plan/hook-rules.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/hooks.h"
#include "plan/options.h"

static int add_function(struct rarog_plan *plan, const char *path, const char *text)
{
	return rarog_call_sampling_add_in(&plan->every, path, text);
}

static int exclude(struct rarog_plan *plan, const char *path, const char *text)
{
	return rarog_call_sampling_exclude_in(&plan->every, path, text);
}

/* Every file of a program may have the same one. */
static int add_size(struct rarog_plan *plan, const char *path, const char *text)
{
	(void)path;
	for (size_t i = 0; i < plan->values.all.n; i++)
		if (strcmp(plan->values.all.v[i].text, text) == 0)
			return 0;
	return plan->detail == RAROG_DETAIL_COUNT ? 0
						  : rarog_value_requests_arg(&plan->values, text);
}

/* In the order in which they are followed. */
static const struct kind {
	const char *begins;
	int (*add)(struct rarog_plan *plan, const char *path, const char *text);
} kinds[] = {
	{ RAROG_HOOK_EXCLUDE, exclude },
	{ RAROG_HOOK_FUNCTION, add_function },
	{ RAROG_HOOK_SIZE, add_size },
};

static int add_rule(struct rarog_plan *plan, const char *path, const struct kind *kind,
		    const char *rule)
{
	return kind->add(plan, path, rule + strlen(kind->begins));
}

int rarog_hook_rule_check(const char *rule)
{
	struct rarog_plan plan = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(kinds); i++)
		if (rarog_starts_with(rule, kinds[i].begins))
			r = add_rule(&plan, "", &kinds[i], rule);
	rarog_plan_release(&plan);
	return r;
}

/* Return: how many there were. */
static int add_kind(struct rarog_plan *plan, const struct rarog_binary *binary, const char *path,
		    const struct kind *kind)
{
	const char *note = NULL;
	int n = 0, r = 0;

	while (r == 0 && (note = rarog_hooks_note(binary, note)) != NULL)
		if (rarog_starts_with(note, kind->begins)) {
			r = add_rule(plan, path, kind, note);
			n++;
		}
	return r < 0 ? rarog_fail_prefix(r, "%s", path) : n;
}

int rarog_hook_rules_add(struct rarog_plan *plan, const struct rarog_binary *binary,
			 const char *path)
{
	bool is_chosen = plan->functions.include.n > 0;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < RAROG_COUNT(kinds); i++) {
		bool is_size = kinds[i].add == add_size;

		if (is_chosen && !is_size)
			continue;
		r = add_kind(plan, binary, path, &kinds[i]);
		if (r == 0 && kinds[i].add == add_function)
			r = add_function(plan, path, "*");
	}
	return r < 0 ? r : 0;
}
