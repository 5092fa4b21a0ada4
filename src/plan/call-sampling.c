/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/call-sampling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

/* The number after the last '#'; 0: there is none. */
static long number_behind(const char *text, const char **ret_end)
{
	const char *hash = strrchr(text, '#');
	char *end;
	long n;

	if (!hash || hash[1] < '0' || hash[1] > '9')
		return 0;
	n = strtol(hash + 1, &end, 10);
	if (*end != '\0')
		return 0;
	*ret_end = hash;
	return n > 0 && n <= RAROG_CALL_SAMPLING_MAX ? n : -1;
}

static int add(struct rarog_call_sampling_rule *rule, const char *library, const char *function)
{
	int r = *library ? rarog_match_include(&rule->library, library) : 0;

	return r < 0 ? r : rarog_match_include(&rule->function, function);
}

static void rule_release(struct rarog_call_sampling_rule *rule)
{
	rarog_match_release(&rule->function);
	rarog_match_release(&rule->library);
}

int rarog_call_sampling_add(struct rarog_call_sampling *every, const char *option, const char *text,
			    char **ret_function)
{
	struct rarog_call_sampling_rule rule = { 0 };
	const char *end = text + strlen(text), *last = strrchr(text, '/'), *hash;
	rarog_cleanup(rarog_freep) char *function = NULL;
	rarog_cleanup(rarog_freep) char *library = NULL;
	/* In a regular expression a '#' is one. */
	long n =
		*text == '/' && last > text ? number_behind(last, &end) : number_behind(text, &end);
	int r;

	if (n < 0)
		return rarog_fail(-EINVAL, "--%s=%s: after '#' stands a number from 1 to %d",
				  option, text, RAROG_CALL_SAMPLING_MAX);
	hash = *text == '/' ? NULL : memchr(text, '#', (size_t)(end - text));
	if (hash && memchr(text, '{', (size_t)(hash - text)))
		hash = NULL; /* Rust: f::{closure#0} */
	library = strndup(text, hash ? (size_t)(hash - text) : 0);
	function = strndup(hash ? hash + 1 : text, (size_t)(end - (hash ? hash + 1 : text)));
	if (!library || !function)
		return rarog_oom();
	if (!*function)
		return rarog_fail(-EINVAL, "--%s=%s: nothing is named", option, text);
	rule.n = (uint32_t)n;
	r = add(&rule, library, function);
	if (r == 0 && rarog_vec_push(&every->rules, rule) < 0)
		r = rarog_oom();
	if (r < 0) {
		rule_release(&rule);
		return r;
	}
	*ret_function = rarog_take(function);
	return 0;
}

/* By its name, which is no pattern; the folder says nothing of the program. */
static int only_in(struct rarog_call_sampling_rule *rule, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct rarog_pattern pattern = { .kind = RAROG_PATTERN_NAME,
					 .text = strdup(slash ? slash + 1 : path) };

	if (pattern.text && rarog_vec_push(&rule->library.include, pattern) == 0)
		return 0;
	free(pattern.text);
	return rarog_oom();
}

int rarog_call_sampling_add_in(struct rarog_call_sampling *every, const char *path,
			       const char *text)
{
	rarog_cleanup(rarog_freep) char *function = NULL;
	int r = rarog_call_sampling_add(every, "func", text, &function);
	struct rarog_call_sampling_rule *rule = r < 0 ? NULL : &every->rules.v[every->rules.n - 1];

	return rule && rule->library.include.n == 0 ? only_in(rule, path) : r;
}

int rarog_call_sampling_exclude_in(struct rarog_call_sampling *every, const char *path,
				   const char *pattern)
{
	struct rarog_call_sampling_rule rule = { .is_never = true };
	int r = rarog_match_include(&rule.function, pattern);

	if (r == 0)
		r = only_in(&rule, path);
	if (r == 0 && rarog_vec_push(&every->rules, rule) < 0)
		r = rarog_oom();
	if (r < 0)
		rule_release(&rule);
	return r;
}

static const struct rarog_pattern *pattern_of(const struct rarog_call_sampling *every, size_t rule)
{
	return &every->rules.v[rule].function.include.v[0];
}

static bool is_used(const struct rarog_call_sampling *every, const char *text)
{
	for (size_t i = 0; i < every->rules.n; i++)
		if (pattern_of(every, i)->hits > 0 && strcmp(pattern_of(every, i)->text, text) == 0)
			return true;
	return false;
}

const char *rarog_call_sampling_unused(const struct rarog_call_sampling *every)
{
	for (size_t i = 0; i < every->rules.n; i++) {
		const char *text = pattern_of(every, i)->text;

		if (strcmp(text, "*") != 0 && !is_used(every, text))
			return text;
	}
	return NULL;
}

bool rarog_call_sampling_is_any(const struct rarog_call_sampling *every)
{
	for (size_t i = 0; i < every->rules.n; i++)
		if (every->rules.v[i].n > 1)
			return true;
	return every->all > 1;
}

bool rarog_call_sampling_is_in(struct rarog_call_sampling_rule *rule, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *const names[] = { path, slash ? slash + 1 : path };

	return rule->library.include.n == 0 ||
	       rarog_match_test(&rule->library, RAROG_COUNT(names), names);
}

uint32_t rarog_call_sampling_of(struct rarog_call_sampling *every, const char *path, size_t n,
				const char *const names[n])
{
	uint32_t all = every->all > 1 ? every->all : 1;

	for (size_t i = 0; i < every->rules.n; i++) {
		struct rarog_call_sampling_rule *rule = &every->rules.v[i];

		if (rarog_call_sampling_is_in(rule, path) &&
		    rarog_match_test(&rule->function, n, names))
			return rule->is_never ? 0 : rule->n ? rule->n : all;
	}
	return every->rules.n ? 0 : all;
}

void rarog_call_sampling_release(struct rarog_call_sampling *every)
{
	for (size_t i = 0; i < every->rules.n; i++)
		rule_release(&every->rules.v[i]);
	rarog_vec_release(&every->rules);
}
