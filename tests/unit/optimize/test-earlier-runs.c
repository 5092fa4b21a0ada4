/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of runs and versions, as bytes and on other machines; and files of which nothing is
 * known. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "optimize/optimize.h"
#include "unit.h"

#define COFFEE "caf\351"

static void add(struct rarog_statistics *statistics, const char *name, uint64_t count)
{
	struct rarog_function_statistics f = { .name = strdup(name),
					       .count = count,
					       .sampled = count,
					       .every = 1,
					       .total_ns = 100.0 * (double)count,
					       .q1_ns = 100,
					       .median_ns = 100,
					       .q3_ns = 100,
					       .has_quartiles = count > 0 };

	assert_int_equal(rarog_vec_push(&statistics->v, f), 0);
	rarog_statistics_settle(statistics);
}

/* As a stat file has it. */
static void keep_and_read(const struct rarog_statistics *statistics, struct rarog_statistics *again)
{
	json_t *all =
		json_pack("{s:i, s:o}", "runs", 4, "functions", rarog_statistics_pack(statistics));
	char *bytes = json_dumps(all, JSON_COMPACT);

	assert_non_null(bytes);
	assert_int_equal(rarog_statistics_unpack(strlen(bytes), bytes, again), 0);
	free(bytes);
	json_decref(all);
}

TEST(names_that_are_no_utf8_are_kept)
{
	struct rarog_statistics statistics = { 0 }, again;

	add(&statistics, COFFEE, 5);
	add(&statistics, "tea", 6);
	keep_and_read(&statistics, &again);
	assert_int_equal(again.v.n, 2);
	assert_int_equal(rarog_statistics_find(&again, COFFEE)->count, 5);
	assert_int_equal(rarog_statistics_find(&again, "tea")->count, 6);
	rarog_statistics_release(&statistics);
	rarog_statistics_release(&again);
}

TEST(times_of_another_machine_are_left_out_and_counts_are_not)
{
	struct rarog_statistics here = { 0 }, there = { 0 }, again;
	const struct rarog_function_statistics *f;

	add(&there, "both", 7);
	add(&there, "old", 8);
	assert_int_equal(rarog_statistics_stamp(&there, "d", "lab"), 0);
	add(&here, "both", 9);
	assert_int_equal(rarog_statistics_stamp(&here, "d", "desk"), 0);
	assert_int_equal(rarog_statistics_carry(&here, &there), 0);
	keep_and_read(&here, &again);
	assert_false(again.lacks_times);
	rarog_statistics_localise(&again, "desk");
	assert_true(again.lacks_times);
	f = rarog_statistics_find(&again, "both");
	assert_true(f->count == 9 && f->has_quartiles && f->median_ns == 100);
	f = rarog_statistics_find(&again, "old");
	assert_true(f->count == 8 && f->sampled == 8 && !f->has_quartiles && f->median_ns == 0);
	rarog_statistics_release(&here);
	rarog_statistics_release(&there);
	rarog_statistics_release(&again);
}

/* What was kept before machines were noted may be of any. */
TEST(times_of_an_unknown_machine_are_left_out)
{
	struct rarog_statistics statistics = { 0 };

	add(&statistics, "f", 7);
	rarog_statistics_localise(&statistics, "desk");
	assert_true(statistics.lacks_times);
	assert_false(rarog_statistics_find(&statistics, "f")->has_quartiles);
	rarog_statistics_release(&statistics);
}

/* --- digests --- */

static void add_item(struct rarog_code_digest *digest, const char *name, uint64_t hash)
{
	struct rarog_digest_item item = { .hash = { hash, hash }, .is_function = true };

	item.name = rarog_text_pool_add(&digest->texts, strlen(name), name);
	assert_non_null(item.name);
	assert_int_equal(rarog_vec_push(&digest->v, item), 0);
	rarog_code_digest_settle(digest);
}

TEST(digests_have_names_that_are_no_utf8)
{
	struct rarog_code_digest digest = { 0 }, again;
	char *bytes;

	add_item(&digest, COFFEE, 3);
	add_item(&digest, "cup", 4);
	bytes = rarog_digest_pack(&digest);
	assert_non_null(bytes);
	assert_int_equal(rarog_digest_unpack(strlen(bytes), bytes, &again), 0);
	assert_int_equal(again.v.v[rarog_code_digest_find(&again, COFFEE)].hash[0], 3);
	assert_int_equal(again.v.v[rarog_code_digest_find(&again, "cup")].hash[1], 4);
	free(bytes);
	rarog_code_digest_release(&digest);
	rarog_code_digest_release(&again);
}

/* The sanitizers see whether what was read of them is freed. */
TEST(bytes_that_are_no_digest_leave_nothing_behind)
{
	static const char *const wrong[] = {
		/* behind the version */
		"\"names\":[\"a\",\"b\"],\"items\":[]}",
		"\"names\":[\"a\"],\"items\":[[\"zz\",true,[],0]]}",
		"\"names\":[\"a\",{\"bytes\":\"6\"}],\"items\":[1,2]}",
		"\"names\":[\"a\"],\"items\":[[\"00000000000000000000000000000000\",true,[7],0]]}",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct rarog_code_digest digest = { 0 };
		char text[256];

		snprintf(text, sizeof(text), "{\"version\":%d,%s", RAROG_CODE_DIGEST_VERSION,
			 wrong[i]);
		assert_int_equal(rarog_digest_unpack(strlen(text), text, &digest), -EBADMSG);
		assert_int_equal(digest.v.n, 0);
		assert_int_equal(digest.refs.n, 0);
	}
}

/* --- files of which nothing is known --- */

static int no_graph(void *user, const char *path, struct rarog_call_graph *ret_graph)
{
	(void)user;
	(void)ret_graph;
	return rarog_fail(-EFBIG, "%s: is too large", path);
}

TEST(without_a_call_graph_no_function_is_switched_off)
{
	const char *names[] = { "dynamic-probing" };
	const struct rarog_optimize_options options = { .on = { names, 1, 1 } };
	const struct rarog_optimizer_sources sources = { .graph = no_graph };
	struct rarog_plan_place places[] = {
		{ .address = 0x10, .kind = RAROG_AT_FUNCTION, .action = RAROG_ACTION_RECORD },
		{ .address = 0x20, .kind = RAROG_AT_FUNCTION, .action = RAROG_ACTION_RECORD },
	};
	struct rarog_place_set set = { .path = "prog", .v = { .v = places, .n = 2 } };
	struct rarog_optimizer optimizer;
	struct rarog_place_judge judge;

	assert_int_equal(rarog_optimizer_init(&options, &sources, &optimizer), 0);
	assert_true(rarog_optimizer_needs(&optimizer, RAROG_NEEDS_VERSION));
	judge = rarog_optimizer_judge(&optimizer);
	assert_int_equal(judge.decide(judge.user, NULL, &set), 0);
	assert_true(places[0].stays && places[1].stays);
	rarog_optimizer_release(&optimizer);
}
