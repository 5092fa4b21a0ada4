/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/match.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

static int compile_regex(struct rarog_pattern *pattern, size_t n)
{
	rarog_cleanup(rarog_freep) char *body = strndup(pattern->text + 1, n - 2);
	char reason[128];
	int r;

	if (!body)
		return rarog_oom();
	r = regcomp(&pattern->regex, body, REG_EXTENDED | REG_NOSUB);
	if (r == 0)
		return 0;
	regerror(r, &pattern->regex, reason, sizeof(reason));
	return rarog_fail(-EINVAL, "%s: not a regular expression: %s", pattern->text, reason);
}

#define TAG "[abi:"

/* Is there a wildcard besides tags? */
static bool is_glob(const char *text)
{
	const char *wild = text;

	while ((wild = strpbrk(wild, "*?[")) && rarog_starts_with(wild, TAG))
		wild += strlen(TAG);
	return wild;
}

/* "f[abi:cxx11]*" with the tag's bracket taken literally. NULL: no memory */
static char *compile_glob(const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str glob = { 0 };
	const char *tag;

	while ((tag = strstr(text, TAG))) {
		if (rarog_str_addf(&glob, "%.*s[[]", (int)(tag - text), text) < 0)
			return NULL;
		text = tag + 1;
	}
	return rarog_str_add(&glob, text) < 0 ? NULL : rarog_str_take(&glob);
}

static void release_pattern(struct rarog_pattern *pattern)
{
	if (pattern->kind == RAROG_PATTERN_REGEX)
		regfree(&pattern->regex);
	free(pattern->text);
	free(pattern->glob);
}

static int compile(const char *text, struct rarog_pattern *ret_pattern)
{
	struct rarog_pattern pattern = { .text = strdup(text) };
	size_t n = strlen(text);
	int r = 0;

	if (!pattern.text)
		return rarog_oom();
	if (n > 2 && text[0] == '/' && text[n - 1] == '/') {
		pattern.kind = RAROG_PATTERN_REGEX;
		r = compile_regex(&pattern, n);
	} else if (is_glob(text)) {
		pattern.kind = RAROG_PATTERN_GLOB;
		pattern.glob = compile_glob(text);
		r = pattern.glob ? 0 : rarog_oom();
	}
	if (r < 0) {
		free(pattern.text);
		return r;
	}
	*ret_pattern = pattern;
	return 0;
}

/* Room first, so that a compiled pattern always finds its place. */
int rarog_match_include(struct rarog_match *match, const char *pattern)
{
	int r = rarog_vec_reserve(&match->include, match->include.n + 1);

	if (r == 0)
		r = compile(pattern, &match->include.v[match->include.n]);
	match->include.n += r == 0;
	return r;
}

int rarog_match_exclude(struct rarog_match *match, const char *pattern)
{
	int r = rarog_vec_reserve(&match->exclude, match->exclude.n + 1);

	if (r == 0)
		r = compile(pattern, &match->exclude.v[match->exclude.n]);
	match->exclude.n += r == 0;
	return r;
}

void rarog_match_release(struct rarog_match *match)
{
	for (size_t i = 0; i < match->include.n; i++)
		release_pattern(&match->include.v[i]);
	for (size_t i = 0; i < match->exclude.n; i++)
		release_pattern(&match->exclude.v[i]);
	rarog_vec_release(&match->include);
	rarog_vec_release(&match->exclude);
}

bool rarog_pattern_is_name(const struct rarog_pattern *pattern)
{
	return pattern->kind == RAROG_PATTERN_NAME ||
	       (pattern->kind == RAROG_PATTERN_GLOB && pattern->is_name);
}

static bool pattern_matches(const struct rarog_pattern *pattern, const char *name)
{
	if (rarog_pattern_is_name(pattern))
		return strcmp(pattern->text, name) == 0;
	if (pattern->kind == RAROG_PATTERN_GLOB)
		return fnmatch(pattern->glob, name, FNM_NOESCAPE) == 0;
	return regexec(&pattern->regex, name, 0, NULL, 0) == 0;
}

bool rarog_pattern_means(const struct rarog_pattern *pattern,
			 const struct rarog_spellings *spellings)
{
	size_t n = pattern->kind == RAROG_PATTERN_REGEX ? 1 : spellings->n;

	for (size_t i = 0; i < n; i++)
		if (pattern_matches(pattern, spellings->v[i]))
			return true;
	return false;
}

static bool pattern_means(const struct rarog_pattern *pattern, const char *name)
{
	rarog_cleanup(rarog_spellings_release) struct rarog_spellings spellings;

	rarog_spellings_make(name, &spellings);
	return rarog_pattern_means(pattern, &spellings);
}

/* Whether any pattern means any name; counts hits of all. */
static bool any_means(size_t n_patterns, struct rarog_pattern patterns[], size_t n,
		      const char *const names[])
{
	bool any = false;

	for (size_t i = 0; i < n_patterns; i++) {
		bool hit = false;

		for (size_t k = 0; k < n && !hit; k++)
			hit = names[k] && pattern_means(&patterns[i], names[k]);
		patterns[i].hits += hit;
		any |= hit;
	}
	return any;
}

bool rarog_match_test(struct rarog_match *match, size_t n, const char *const names[])
{
	bool is_included = any_means(match->include.n, match->include.v, n, names);
	bool is_excluded = any_means(match->exclude.n, match->exclude.v, n, names);

	return (is_included || match->include.n == 0) && !is_excluded;
}

/* --- globs that are names --- */

/* Only names of C++ have these characters: operators, types of parameters. */
static bool may_be_name(const struct rarog_pattern *pattern)
{
	return pattern->kind == RAROG_PATTERN_GLOB && !pattern->is_name &&
	       (strpbrk(pattern->text, "(<") || strstr(pattern->text, "operator"));
}

bool rarog_match_may_settle(const struct rarog_match *match)
{
	bool may = false;

	for (size_t i = 0; i < match->include.n; i++)
		may |= may_be_name(&match->include.v[i]);
	for (size_t i = 0; i < match->exclude.n; i++)
		may |= may_be_name(&match->exclude.v[i]);
	return may;
}

void rarog_match_unsettle(struct rarog_match *match)
{
	for (size_t i = 0; i < match->include.n; i++)
		match->include.v[i].is_name = false;
	for (size_t i = 0; i < match->exclude.n; i++)
		match->exclude.v[i].is_name = false;
}

static void settle(struct rarog_pattern *pattern, size_t n, const char *const names[])
{
	const struct rarog_pattern literal = { .text = pattern->text };

	if (!may_be_name(pattern))
		return;
	for (size_t i = 0; i < n && !pattern->is_name; i++)
		pattern->is_name = names[i] && pattern_means(&literal, names[i]);
}

void rarog_match_settle(struct rarog_match *match, size_t n, const char *const names[])
{
	for (size_t i = 0; i < match->include.n; i++)
		settle(&match->include.v[i], n, names);
	for (size_t i = 0; i < match->exclude.n; i++)
		settle(&match->exclude.v[i], n, names);
}

const char *rarog_match_unused(const struct rarog_match *match)
{
	for (size_t i = 0; i < match->include.n; i++)
		if (match->include.v[i].hits == 0)
			return match->include.v[i].text;
	return NULL;
}
