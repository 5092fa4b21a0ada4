/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is different between two builds, on digests written by hand: which functions are copies of
 * each other, against the definition: all pairs are that are alike, and those that refer to a pair
 * that is none are taken away until there are no more.
 */
#include "optimize/digest-diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { KINDS = 4, FILES = 2, FUNCTIONS = KINDS * FILES, REFS = 3, THREADS = FUNCTIONS };

static const char *const names[] = { "a@0", "a@1", "b@0",
				     "b@1", "c@0", "c@1",
				     "d@0", "d@1", RAROG_DIGEST_THREAD_DATA };

struct build {
	int hash[FUNCTIONS], refs[FUNCTIONS][REFS];
};

static int add_item(struct rarog_code_digest *digest, const char *name, int hash, int n)
{
	const struct rarog_digest_item item = { .name = name,
						.hash = { (uint64_t)hash, 0 },
						.first_ref = (uint32_t)digest->refs.n,
						.n_refs = (uint32_t)n,
						.is_function = name[0] != '=' };

	return rarog_vec_push(&digest->v, item);
}

static struct rarog_code_digest digest_of(const struct build *build)
{
	struct rarog_code_digest digest = { 0 };

	for (int i = 0; i < FUNCTIONS; i++) {
		assert_int_equal(add_item(&digest, names[i], build->hash[i], REFS), 0);
		for (int k = 0; k < REFS; k++)
			assert_int_equal(rarog_vec_push(&digest.refs, names[build->refs[i][k]]), 0);
	}
	assert_int_equal(add_item(&digest, names[THREADS], 0, 0), 0);
	rarog_code_digest_settle(&digest);
	return digest;
}

/* --- copies by their definition --- */

typedef bool pairs_of[FUNCTIONS + 1][FUNCTIONS + 1];

static bool is_alike(const struct build *then, const struct build *now, int i, int k)
{
	for (int j = 0; j < REFS; j++)
		if (now->refs[i][j] == THREADS || then->refs[k][j] == THREADS)
			return false;
	return i / FILES == k / FILES && now->hash[i] == then->hash[k];
}

static bool refer_to_same(const struct build *then, const struct build *now, pairs_of copies, int i,
			  int k)
{
	for (int j = 0; j < REFS; j++)
		if (now->refs[i][j] != then->refs[k][j] &&
		    !copies[now->refs[i][j]][then->refs[k][j]])
			return false;
	return true;
}

static void want(const struct build *then, const struct build *now, uint8_t ret_changes[])
{
	pairs_of copies = { 0 };
	bool again = true;

	for (int i = 0; i < FUNCTIONS; i++)
		for (int k = 0; k < FUNCTIONS; k++)
			copies[i][k] = is_alike(then, now, i, k);
	while (again) {
		again = false;
		for (int i = 0; i < FUNCTIONS; i++)
			for (int k = 0; k < FUNCTIONS; k++)
				if (copies[i][k] && !refer_to_same(then, now, copies, i, k)) {
					copies[i][k] = false;
					again = true;
				}
	}
	for (int i = 0; i < FUNCTIONS; i++) {
		if (now->hash[i] != then->hash[i])
			ret_changes[i] = RAROG_CHANGE_CODE;
		else
			ret_changes[i] = refer_to_same(then, now, copies, i, i)
						 ? RAROG_CHANGE_NONE
						 : RAROG_CHANGE_CALLS;
	}
}

static struct build random_build(void)
{
	struct build build;

	for (int i = 0; i < FUNCTIONS; i++) {
		build.hash[i] = rand() % 8 == 0;
		for (int k = 0; k < REFS; k++)
			build.refs[i][k] = rand() % 64 == 0 ? THREADS : rand() % FUNCTIONS;
	}
	return build;
}

/* The other build refers to what has the same name before the '@', but for one of many. */
static struct build relinked(const struct build *from)
{
	struct build build = *from;

	for (int i = 0; i < FUNCTIONS; i++) {
		build.hash[i] = from->hash[i] ^ (rand() % 16 == 0);
		for (int k = 0; k < REFS; k++)
			if (from->refs[i][k] != THREADS)
				build.refs[i][k] =
					from->refs[i][k] / FILES * FILES + rand() % FILES;
	}
	return build;
}

TEST(copies_are_those_that_nothing_contradicts)
{
	size_t n[RAROG_CHANGE_NEW + 1] = { 0 };

	srand(5);
	for (int round = 0; round < 20000; round++) {
		struct build then = random_build(), now = relinked(&then);
		struct rarog_code_digest before = digest_of(&then), after = digest_of(&now);
		uint8_t wanted[FUNCTIONS], found[FUNCTIONS + 1];

		want(&then, &now, wanted);
		assert_int_equal(rarog_digest_diff(&before, &after, found), 0);
		for (int i = 0; i < FUNCTIONS; i++) {
			long at = rarog_code_digest_find(&after, names[i]);

			assert_true(at >= 0);
			assert_int_equal(found[at], wanted[i]);
			n[wanted[i]]++;
		}
		rarog_code_digest_release(&before);
		rarog_code_digest_release(&after);
	}
	assert_true(n[RAROG_CHANGE_NONE] > 1000 && n[RAROG_CHANGE_CALLS] > 1000);
}

/* --- many --- */

enum { DEPTH = 1000, TIMES = 50 };

static char levels[FILES][DEPTH + 1][16];

/* "main" calls the first of @file, each calls the next 50 times, and the last has the code @last.
 */
static struct rarog_code_digest chain(int file, int last)
{
	struct rarog_code_digest digest = { 0 };

	assert_int_equal(add_item(&digest, "main", 0, 1), 0);
	assert_int_equal(rarog_vec_push(&digest.refs, levels[file][0]), 0);
	for (int side = 0; side < FILES; side++)
		for (int i = 0; i <= DEPTH; i++) {
			int n = i < DEPTH ? TIMES : 0, hash = i < DEPTH ? i : last;

			assert_int_equal(add_item(&digest, levels[side][i], hash, n), 0);
			for (int k = 0; k < n; k++)
				assert_int_equal(rarog_vec_push(&digest.refs, levels[side][i + 1]),
						 0);
		}
	rarog_code_digest_settle(&digest);
	return digest;
}

static uint8_t main_of(const struct rarog_code_digest *then, const struct rarog_code_digest *now)
{
	uint8_t changes[FILES * (DEPTH + 1) + 1];
	long at = rarog_code_digest_find(now, "main");

	assert_int_equal(rarog_digest_diff(then, now, changes), 0);
	assert_true(at >= 0);
	return changes[at];
}

TEST(copies_may_call_each_other_as_deep_and_as_often_as_they_like)
{
	struct rarog_code_digest then, now, other;

	for (int side = 0; side < FILES; side++)
		for (int i = 0; i <= DEPTH; i++)
			snprintf(levels[side][i], sizeof(levels[side][i]), "f%d@%d", i, side);
	then = chain(0, 1);
	now = chain(1, 1);
	other = chain(1, 2);
	assert_int_equal(main_of(&then, &now), RAROG_CHANGE_NONE);
	assert_int_equal(main_of(&then, &other), RAROG_CHANGE_CALLS);
	rarog_code_digest_release(&then);
	rarog_code_digest_release(&now);
	rarog_code_digest_release(&other);
}
