/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/trace/every.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "collect/trace/function-match.h"

/* The number behind the last '#'; 0: there is none. */
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
	return n > 0 && n <= RAROG_EVERY_MAX ? n : -1;
}

static int add(struct rarog_every_rule *rule, const char *library, const char *function)
{
	int r = *library ? rarog_match_include(&rule->library, library) : 0;

	return r < 0 ? r : rarog_match_include(&rule->function, function);
}

static void rule_release(struct rarog_every_rule *rule)
{
	rarog_match_release(&rule->function);
	rarog_match_release(&rule->library);
}

int rarog_every_add(struct rarog_every *every, const char *text, char **ret_function)
{
	struct rarog_every_rule rule = { 0 };
	const char *end = text + strlen(text), *last = strrchr(text, '/'), *hash;
	rarog_cleanup(rarog_freep) char *function = NULL;
	rarog_cleanup(rarog_freep) char *library = NULL;
	/* In a regular expression a '#' is one. */
	long n =
		*text == '/' && last > text ? number_behind(last, &end) : number_behind(text, &end);
	int r;

	if (n < 0)
		return rarog_fail(-EINVAL, "--func=%s: behind '#' stands a number from 1 to %d",
				  text, RAROG_EVERY_MAX);
	hash = *text == '/' ? NULL : memchr(text, '#', (size_t)(end - text));
	if (hash && memchr(text, '{', (size_t)(hash - text)))
		hash = NULL; /* Rust: f::{closure#0} */
	library = strndup(text, hash ? (size_t)(hash - text) : 0);
	function = strndup(hash ? hash + 1 : text, (size_t)(end - (hash ? hash + 1 : text)));
	if (!library || !function)
		return rarog_oom();
	if (!*function)
		return rarog_fail(-EINVAL, "--func=%s: no function is named", text);
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

bool rarog_every_is_any(const struct rarog_every *every)
{
	for (size_t i = 0; i < every->rules.n; i++)
		if (every->rules.v[i].n > 1)
			return true;
	return every->all > 1;
}

static bool is_in(struct rarog_every_rule *rule, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *const names[] = { path, slash ? slash + 1 : path };

	return rule->library.include.n == 0 ||
	       rarog_match_test(&rule->library, RAROG_COUNT(names), names);
}

uint32_t rarog_every_of(struct rarog_every *every, const char *path,
			const struct rarog_function *function)
{
	uint32_t all = every->all > 1 ? every->all : 1;

	for (size_t i = 0; i < every->rules.n; i++) {
		struct rarog_every_rule *rule = &every->rules.v[i];

		if (is_in(rule, path) && rarog_function_matches(&rule->function, function))
			return rule->n ? rule->n : all;
	}
	return every->rules.n ? 0 : all;
}

void rarog_every_release(struct rarog_every *every)
{
	for (size_t i = 0; i < every->rules.n; i++)
		rule_release(&every->rules.v[i]);
	rarog_vec_release(&every->rules);
}
