/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which calls are recorded, and what sums of sampled calls become. Oracle: by hand. */
#include <stdlib.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "events/weights.h"
#include "plan/call-sampling.h"

static void add(struct rarog_call_sampling *every, const char *text, const char *function)
{
	rarog_cleanup(rarog_freep) char *found = NULL;

	assert_int_equal(rarog_call_sampling_add(every, "func", text, &found), 0);
	assert_string_equal(found, function);
}

static uint32_t of(struct rarog_call_sampling *every, const char *path, const char *name)
{
	return rarog_call_sampling_of(every, path, 1, &name);
}

TEST(rules_are_read)
{
	struct rarog_call_sampling every = { .all = 5 };

	assert_int_equal(of(&every, "/bin/prog", "any"), 5);
	add(&every, "parse", "parse");
	add(&every, "prog#lex#3", "lex");
	add(&every, "libz.so*#inflate_*", "inflate_*");
	add(&every, "add#7", "add");
	add(&every, "/^x#1/#9", "/^x#1/");
	assert_int_equal(of(&every, "/bin/prog", "parse"), 5);
	assert_int_equal(of(&every, "/bin/prog", "lex"), 3);
	assert_int_equal(of(&every, "/bin/other", "lex"), 0);
	assert_int_equal(of(&every, "/lib/libz.so.1", "inflate_fast"), 5);
	assert_int_equal(of(&every, "/bin/prog", "inflate_fast"), 0);
	assert_int_equal(of(&every, "/lib/libz.so.1", "add"), 7);
	assert_int_equal(of(&every, "/bin/prog", "x#12"), 9);
	add(&every, "f::{closure#0}", "f::{closure#0}");
	add(&every, "f::{closure#1}#4", "f::{closure#1}");
	assert_int_equal(of(&every, "/bin/prog", "f::{closure#0}"), 5);
	assert_int_equal(of(&every, "/bin/prog", "f::{closure#1}"), 4);
	assert_int_equal(of(&every, "/bin/prog", "unknown"), 0);
	assert_true(rarog_call_sampling_is_any(&every));
	rarog_call_sampling_release(&every);
}

TEST(what_is_no_rule_is_refused)
{
	static const char *const wrong[] = { "f#0", "f#1000001", "#3", "prog##3", "" };
	struct rarog_call_sampling every = { 0 };
	char *function = NULL;

	for (size_t i = 0; i < RAROG_COUNT(wrong); i++)
		assert_int_equal(rarog_call_sampling_add(&every, "func", wrong[i], &function),
				 -EINVAL);
	assert_int_equal(every.rules.n, 0);
	add(&every, "f#1", "f");
	add(&every, "g", "g");
	assert_false(rarog_call_sampling_is_any(&every));
	rarog_call_sampling_release(&every);
}

/* Two threads: 23 and 31 calls, every 10th recorded: 3 with 7, 4 with 9 still to be left out. */
TEST(sums_get_their_weights)
{
	struct rarog_weights weights = { 0 };
	struct rarog_summary all = { .location = 2,
				     .strand = RAROG_NONE,
				     .count = 7,
				     .timed = 7,
				     .sum = 700,
				     .total = 650,
				     .exclusive = 10 };
	struct rarog_summary first = {
		.location = 2, .strand = 0, .count = 3, .timed = 3, .sum = 330, .total = 300
	};
	struct rarog_summary other = {
		.location = 1, .strand = RAROG_NONE, .count = 9, .timed = 9, .sum = 90, .total = 80
	};

	assert_int_equal(rarog_weights_set(&weights, 2, 10), 0);
	assert_int_equal(rarog_weights_rest(&weights, 2, 1, 9), 0);
	assert_int_equal(rarog_weights_rest(&weights, 2, 0, 7), 0);
	assert_int_equal(rarog_weights_rest(&weights, 1, 0, 7), 0);
	rarog_weights_weigh(&weights, &all);
	rarog_weights_weigh(&weights, &first);
	rarog_weights_weigh(&weights, &other);
	rarog_weights_weigh(NULL, &other);
	assert_int_equal(all.count, 54);
	assert_int_equal(all.timed, 7);
	assert_int_equal(all.total, 5400);
	assert_int_equal(first.count, 23);
	assert_int_equal(first.total, 2530);
	assert_int_equal(other.count, 9);
	assert_int_equal(other.total, 80);
	assert_int_equal(weights.left_out, 47);
	rarog_weights_release(&weights);
}

/* Two threads of which one has 2 of 12 calls recorded, the other 3 of 3; of another function 5
 * calls were counted only, by both. */
TEST(what_was_skipped_is_weighed_as_well)
{
	struct rarog_weights weights = { 0 };
	struct rarog_summary first = { .location = 1, .strand = 0, .timed = 2, .sum = 20 };
	struct rarog_summary all = { .location = 1, .strand = RAROG_NONE, .timed = 5, .sum = 50 };
	struct rarog_summary rest;

	assert_int_equal(rarog_weights_skip(&weights, 4, 1, 3), 0);
	assert_int_equal(rarog_weights_skip(&weights, 1, 0, 10), 0);
	assert_int_equal(rarog_weights_skip(&weights, 4, 0, 2), 0);
	rarog_weights_weigh(&weights, &first);
	assert_int_equal(first.count, 12);
	assert_int_equal(first.total, 120);
	rarog_weights_weigh(&weights, &all);
	assert_int_equal(all.count, 15);
	assert_int_equal(all.total, 150);
	assert_int_equal(weights.left_out, 10);
	assert_int_equal(rarog_weights_unweighed(&weights, 0, &rest), 4);
	assert_int_equal(rest.count, 5);
	assert_int_equal(rest.timed, 0);
	assert_int_equal(rest.strand, RAROG_NONE);
	assert_int_equal(rarog_weights_unweighed(&weights, 5, &rest), -1);
	assert_int_equal(weights.left_out, 15);
	rarog_weights_release(&weights);
}

TEST(rules_of_a_file_are_its_own)
{
	struct rarog_call_sampling every = { 0 };

	assert_int_equal(rarog_call_sampling_exclude_in(&every, "/bin/prog", "list_free"), 0);
	assert_int_equal(rarog_call_sampling_add_in(&every, "/bin/prog", "list_*#5"), 0);
	assert_int_equal(rarog_call_sampling_add_in(&every, "/lib/[x].so", "*"), 0);
	assert_int_equal(of(&every, "/bin/prog", "list_find"), 5);
	assert_int_equal(of(&every, "/bin/prog", "list_free"), 0);
	assert_int_equal(of(&every, "/bin/prog", "other"), 0);
	assert_int_equal(of(&every, "/lib/[x].so", "list_free"), 1);
	assert_int_equal(of(&every, "/lib/x.so", "list_free"), 0);
	assert_true(rarog_call_sampling_is_any(&every));
	assert_null(rarog_call_sampling_unused(&every));
	assert_int_equal(rarog_call_sampling_add_in(&every, "/bin/prog", "lost"), 0);
	assert_string_equal(rarog_call_sampling_unused(&every), "lost");
	rarog_call_sampling_release(&every);
}
