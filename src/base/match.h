/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which names are meant: lists of patterns to include and to exclude, compiled once. A pattern is
 *   /…/   a POSIX extended regular expression, found anywhere in the name,
 *   a glob with * ? [ ], which matches the whole name,
 *   else the name itself.
 * A name with a parameter list (C++) also matches without it: `ns::f` means `ns::f(int)` too, and
 * every `void ns::f<…>(…)`. So does one with ABI tags: `f` means `f[abi:cxx11](int)`. In a pattern
 * a tag is no set of characters. A glob that is a name itself, as `V::operator*` may be, means only
 * that where rarog_match_settle() was told of it.
 */
#ifndef RAROG_BASE_MATCH_H
#define RAROG_BASE_MATCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spellings.h"
#include "base/vec.h"

enum rarog_pattern_kind { RAROG_PATTERN_NAME, RAROG_PATTERN_GLOB, RAROG_PATTERN_REGEX };

struct rarog_pattern {
	enum rarog_pattern_kind kind;
	char *text;   /* as given */
	char *glob;   /* as fnmatch() has to have it; NULL: it is none */
	bool is_name; /* a glob that is also exactly a name */
	regex_t regex;
	uint64_t hits; /* tests that it matched */
};

/* Zeroed: everything is meant. */
struct rarog_match {
	RAROG_VEC(struct rarog_pattern) include;
	RAROG_VEC(struct rarog_pattern) exclude;
};

/* Return: 0; -EINVAL a regular expression that is not one (message quotes it); -ENOMEM. */
int rarog_match_include(struct rarog_match *match, const char *pattern);
int rarog_match_exclude(struct rarog_match *match, const char *pattern);

void rarog_match_release(struct rarog_match *match);

/** rarog_match_test() - is the thing called names[0 … n-1] (symbol, demangled, aliases; NULLs are
 * skipped) meant: some name is included (or there are no includes) and none is excluded. Counts the
 * hits of every pattern. */
bool rarog_match_test(struct rarog_match *match, size_t n, const char *const names[]);

/** rarog_pattern_is_name() - does it mean what is spelled letter by letter as its text, and nothing
 * else? */
bool rarog_pattern_is_name(const struct rarog_pattern *pattern);

/** rarog_pattern_means() - does it mean a name with these spellings? Counts no hit. */
bool rarog_pattern_means(const struct rarog_pattern *pattern,
			 const struct rarog_spellings *spellings);

/** rarog_match_may_settle() - are there globs that may be whole names (of C++), and none is known
 * to be one? */
bool rarog_match_may_settle(const struct rarog_match *match);

/** rarog_match_unsettle() - globs are globs again: other names follow. */
void rarog_match_unsettle(struct rarog_match *match);

/** rarog_match_settle() - there is something called names[0 … n-1] (NULLs are skipped): a glob that
 * is one of these names letter by letter means only that name from now on. */
void rarog_match_settle(struct rarog_match *match, size_t n, const char *const names[]);

/** rarog_match_unused() - the first include pattern that never matched, NULL if all did. */
const char *rarog_match_unused(const struct rarog_match *match);

#endif
