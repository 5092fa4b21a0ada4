/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/spellings.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/short-name.h"

/* Length of "ns::f" in "ns::f(int) const", 0 when there is no parameter list. */
static size_t length_without_parameters(const char *name)
{
	const char *close = strrchr(name, ')');
	int depth = 0;

	if (!close || (close[1] && close[1] != ' '))
		return 0;
	for (const char *c = close; c > name; c--) {
		depth += (*c == ')') - (*c == '(');
		if (depth == 0)
			return (size_t)(c - name);
	}
	return 0;
}

static void add(struct rarog_spellings *s, char *take_text)
{
	if (!take_text)
		return;
	s->own[s->n] = take_text;
	s->v[s->n++] = take_text;
}

/* "ns::f" of "void ns::f<int>(int)". */
static char *short_name(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	return strchr(name, '<') && rarog_short_name_add(&text, name, "") == 0
		       ? rarog_str_take(&text)
		       : NULL;
}

static void add_shorter(struct rarog_spellings *s, const char *name)
{
	size_t n = length_without_parameters(name);

	if (n == 0)
		return;
	add(s, strndup(name, n));
	add(s, short_name(name));
}

void rarog_spellings_make(const char *name, struct rarog_spellings *ret_spellings)
{
	struct rarog_spellings *s = ret_spellings;
	char *untagged = strstr(name, "[abi:") ? rarog_name_without_tags(name) : NULL;

	*s = (struct rarog_spellings){ .n = 1, .v = { name } };
	add_shorter(s, name);
	add(s, untagged);
	if (untagged)
		add_shorter(s, untagged);
}

void rarog_spellings_release(struct rarog_spellings *spellings)
{
	for (size_t i = 0; i < spellings->n; i++)
		free(spellings->own[i]);
	*spellings = (struct rarog_spellings){ 0 };
}
