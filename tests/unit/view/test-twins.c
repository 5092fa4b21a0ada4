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

static int order_places(const void *user, uint32_t a, uint32_t b)
{
	struct places *places = (void *)(uintptr_t)user;

	places->n_looked++;
	return (places->at[a] > places->at[b]) - (places->at[a] < places->at[b]);
}

/* Every pair, as the words of the header say it. */
TEST(twins_are_those_with_the_same_title_and_alike_those_at_the_same_place)
{
	static const char *const names[] = { "a", "b", "c" };
	enum { N = 40 };
	struct rarog_function_row rows[N] = { 0 };
	int at[N];
	struct places places = { at, 0 };

	for (size_t i = 0; i < N; i++) {
		at[i] = (int)(i * i % 7);
		rows[i].title = i < 3 ? &"single"[i] : names[i % 3];
		rows[i].s.location = (uint32_t)i;
	}
	assert_int_equal(rarog_function_twins_mark(N, rows, order_places, &places), 0);
	for (size_t i = 0; i < N; i++) {
		bool is_twin = false, is_alike = false;

		for (size_t k = 0; k < N; k++) {
			bool is_pair = i != k && strcmp(rows[i].title, rows[k].title) == 0;

			is_twin |= is_pair;
			is_alike |= is_pair && at[i] == at[k];
		}
		assert_int_equal(rows[i].is_twin, is_twin);
		assert_int_equal(rows[i].is_alike, is_alike);
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
	assert_true(places.n_looked < (size_t)2 * N * LOG);
	assert_true(rows[0].is_twin && rows[N - 1].is_twin && !rows[0].is_alike);
	free(rows);
	free(at);
}
