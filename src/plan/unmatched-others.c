/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/unmatched-others.h"

int rarog_unmatched_other(struct rarog_str *text, size_t *n, const char *name)
{
	const char *so_far = rarog_str_text(text);
	bool has_asked = text->length > 0 && so_far[text->length - 1] == '?';
	const char *before = has_asked ? " Not found either: " : "; not found either: ";

	return rarog_str_addf(text, "%s%s", (*n)++ == 0 ? before : ", ", name);
}

int rarog_unmatched_other_patterns(struct rarog_str *text, const struct rarog_match *match)
{
	const char *first = rarog_match_unused(match);
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < match->include.n; i++)
		if (match->include.v[i].hits == 0 && match->include.v[i].text != first)
			r = rarog_unmatched_other(text, &n, match->include.v[i].text);
	return r;
}
