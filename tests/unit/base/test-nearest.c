/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/nearest.h"

/* Oracle: the recursive definition, exponential but obviously right. */
static size_t by_definition(const char *a, size_t n, const char *b, size_t m)
{
	size_t best, other;

	if (n == 0 || m == 0)
		return n + m;
	best = by_definition(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
	other = by_definition(a, n - 1, b, m) + 1;
	best = other < best ? other : best;
	other = by_definition(a, n, b, m - 1) + 1;
	best = other < best ? other : best;
	if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
		other = by_definition(a, n - 2, b, m - 2) + 1;
		best = other < best ? other : best;
	}
	return best;
}

static void random_word(char *word, size_t max)
{
	size_t n = (size_t)rand() % max;

	for (size_t i = 0; i < n; i++)
		word[i] = (char)('a' + rand() % 3);
	word[n] = '\0';
}

TEST(distance_equals_its_definition)
{
	char a[8], b[8];

	srand(1);
	for (int i = 0; i < 2000; i++) {
		random_word(a, sizeof(a));
		random_word(b, sizeof(b));
		assert_int_equal(rarog_edit_distance(a, b),
				 by_definition(a, strlen(a), b, strlen(b)));
	}
}

static void suggestion(const char *wanted, const char *expected)
{
	static const char *const names[] = { "collect", "show",   "report", "export", "",
					     "show",    "output", "outer",  "outer2", "outer3" };
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_nearest nearest = { .wanted = wanted };

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		rarog_nearest_offer(&nearest, names[i]);
	assert_int_equal(rarog_nearest_add(&nearest, "--", &text), 0);
	assert_string_equal(rarog_str_text(&text), expected);
}

TEST(near_names_are_suggested_best_first)
{
	suggestion("shwo", "; did you mean --show?");
	suggestion("eport", "; did you mean --report or --export?");
	suggestion("colect", "; did you mean --collect?");
	suggestion("out", "; did you mean --output, --outer or --outer2?");
	suggestion("xyzzy", "");
	suggestion("", "");
}
