/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions share their name, and how often their places are looked at for that. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "view/term/function-rows.h"

struct places {
	const int *at; /* by location */
	size_t n_looked;
};

/* The last two bits are parts of their own. */
static int part_of(int at, enum rarog_place_part part)
{
	return part == RAROG_PLACE_SOURCE ? at >> 2 : at >> (RAROG_PLACE_BINARY - part) & 1;
}

static int order_places(const void *user, enum rarog_place_part part, uint32_t a, uint32_t b)
{
	struct places *places = (void *)(uintptr_t)user;
	int x = part_of(places->at[a], part), y = part_of(places->at[b], part);

	places->n_looked++;
	return (x > y) - (x < y);
}

static unsigned count_alike(int x, int y)
{
	unsigned part = 0;

	while (part < RAROG_PLACE_PARTS && part_of(x, part) == part_of(y, part))
		part++;
	return part;
}

/* Every pair, as the words of the header say it. */
TEST(twins_have_the_same_title_and_as_much_of_a_place_as_the_one_most_like_them)
{
	static const char *const names[] = { "a", "b", "c" };
	enum { N = 40 };
	struct rarog_function_row rows[N] = { 0 };
	int at[N];
	struct places places = { at, 0 };

	for (size_t i = 0; i < N; i++) {
		at[i] = (int)(i * i % 23);
		rows[i].title = i < 3 ? &"single"[i] : names[i % 3];
		rows[i].s.location = (uint32_t)i;
	}
	assert_int_equal(rarog_function_twins_mark(N, rows, order_places, &places), 0);
	for (size_t i = 0; i < N; i++) {
		bool is_twin = false;
		unsigned n_alike = 0;

		for (size_t k = 0; k < N; k++) {
			bool is_pair = i != k && strcmp(rows[i].title, rows[k].title) == 0;

			is_twin |= is_pair;
			if (is_pair && count_alike(at[i], at[k]) > n_alike)
				n_alike = count_alike(at[i], at[k]);
		}
		assert_int_equal(rows[i].is_twin, is_twin);
		assert_int_equal(rows[i].n_alike, n_alike);
	}
}

TEST(a_hundred_thousand_of_one_name_are_marked_in_few_steps)
{
	enum { N = 100000, LOG = 17 };
	struct rarog_function_row *rows = calloc(N, sizeof(*rows));
	int *at = calloc(N, sizeof(*at));
	struct places places = { at, 0 };

	for (size_t i = 0; i < N; i++) {
		rows[i].title = "main";
		rows[i].s.location = (uint32_t)i;
		at[i] = (int)(i * 7919 % N);
	}
	assert_int_equal(rarog_function_twins_mark(N, rows, order_places, &places), 0);
	assert_true(places.n_looked < (size_t)2 * N * LOG * RAROG_PLACE_PARTS);
	assert_true(rows[0].is_twin && rows[N - 1].is_twin && rows[0].n_alike < RAROG_PLACE_PARTS);
	free(rows);
	free(at);
}
