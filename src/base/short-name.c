/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One pass. Brackets are skipped as a whole; the last space outside of them ends the return type,
 * except after "operator", whose symbols and types belong to the name.
 */
#include "base/short-name.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

#define ANONYMOUS "(anonymous namespace)"

/* Length of the bracket at @text up to its partner, 0: it has none. "->" closes nothing. */
static size_t bracket(const char *text)
{
	int depth = 0;

	for (const char *c = text; *c; c++) {
		bool is_arrow = *c == '>' && c > text && c[-1] == '-';

		depth += strchr("<({[", *c) != NULL;
		depth -= strchr(">)}]", *c) != NULL && !is_arrow;
		if (depth == 0)
			return (size_t)(c - text) + 1;
	}
	return 0;
}

/* Length of "operator" with its symbols, 0: none begins here. */
static size_t operator_at(const char *text, const char *begin)
{
	size_t n = strlen("operator");
	bool is_inside = text > begin && (isalnum((unsigned char)text[-1]) || text[-1] == '_');

	if (is_inside || strncmp(text, "operator", n) != 0 || isalnum((unsigned char)text[n]) ||
	    text[n] == '_')
		return 0;
	if (strncmp(text + n, "()", 2) == 0)
		return n + 2;
	return n + strspn(text + n, "<>=!+-*/%^&|~,[]");
}

struct shortening {
	struct rarog_str text;
	size_t name; /* where it begins in text */
	bool has_operator;
};

/* Length taken from @at; 0: not understood. */
static size_t take(struct shortening *s, const char *at, const char *begin, const char *mark)
{
	size_t n = operator_at(at, begin);

	s->has_operator = s->has_operator || n > 0;
	if (s->has_operator && strncmp(at, " <", 2) == 0)
		return 1; /* "operator< <int>" */
	if (n == 0 && strncmp(at, ANONYMOUS, strlen(ANONYMOUS)) == 0)
		n = strlen(ANONYMOUS);
	if (n == 0 && *at == '{')
		n = bracket(at);
	if (n == 0 && *at == '<') {
		n = bracket(at);
		return n && rarog_str_add(&s->text, mark) == 0 ? n : 0;
	}
	if (n == 0 && strchr(">)}(", *at))
		return 0;
	n = n ? n : 1;
	if (rarog_str_addf(&s->text, "%.*s", (int)n, at) < 0)
		return 0;
	if (*at == ' ' && !s->has_operator)
		s->name = s->text.length;
	return n;
}

/* Where the parameters begin and nothing of the name follows them: "f(int)::{lambda()}" goes on. */
static size_t parameters(const char *at)
{
	return *at == '(' && strncmp(at, ANONYMOUS, strlen(ANONYMOUS)) != 0 ? bracket(at) : 0;
}

static int add_one(struct rarog_str *to, const char *name, const char *mark)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct shortening s = { 0 };
	const char *at = name;

	while (*at) {
		size_t n = parameters(at);

		if (n > 0 && strncmp(at + n, "::", 2) != 0)
			break;
		n = n ? n : take(&s, at, name, mark);
		if (n == 0)
			s.name = s.text.length = 0;
		if (n == 0)
			break;
		at += n;
	}
	text = s.text;
	if (text.length <= s.name)
		return rarog_str_add(to, name);
	return rarog_str_add(to, text.text + s.name);
}

int rarog_short_name_add(struct rarog_str *to, const char *name, const char *mark)
{
	const char *caller = strchr(name, '@'); /* "FUNC@CALLER" */
	rarog_cleanup(rarog_freep) char *function =
		caller ? strndup(name, (size_t)(caller - name)) : NULL;

	if (!caller)
		return add_one(to, name, mark);
	if (!function || add_one(to, function, mark) < 0 || rarog_str_add(to, "@") < 0)
		return -ENOMEM;
	return add_one(to, caller + 1, mark);
}

char *rarog_name_without_tags(const char *name)
{
	static const char tag[] = "[abi:";
	char *copy = strdup(name), *to = copy;

	for (const char *at = name; copy && *at; at++) {
		const char *end = rarog_starts_with(at, tag) ? strchr(at, ']') : NULL;

		if (end)
			at = end;
		else
			*to++ = *at;
	}
	if (copy)
		*to = '\0';
	return copy;
}
