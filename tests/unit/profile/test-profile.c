/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles come back from the disk exactly as they were written. */
#include "profile-random.h"
#include "unit.h"

#include <jansson.h>

#include "profile/dump.h"

static void write_profile(const char *path, struct truth *t, size_t pieces, size_t piece)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	uint64_t bytes = 0;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	write_tables(w, t);
	for (size_t i = 0; i < pieces; i++)
		write_piece(w, t, (uint32_t)random_below(t->n_strands), random_below(2 * piece));
	if (t->n_nodes > 1) {
		size_t half = t->n_nodes / 2;

		assert_int_equal(rarog_profile_add_nodes(w, half, t->nodes), 0);
		assert_int_equal(rarog_profile_add_nodes(w, t->n_nodes - half, t->nodes + half), 0);
	} else {
		assert_int_equal(rarog_profile_add_nodes(w, t->n_nodes, t->nodes), 0);
	}
	assert_int_equal(rarog_profile_add_summaries(w, t->n_summaries, t->summaries), 0);
	assert_int_equal(rarog_profile_writer_commit(w, &bytes), 0);
	assert_true(bytes > 0);
}

static void round_trip(const char *path, struct truth *t, size_t pieces, size_t piece)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;

	write_profile(path, t, pieces, piece);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_false(rarog_profile_is_partial(p));
	assert_string_equal(rarog_profile_header(p), "{\"command\":\"prog\"}");
	assert_int_equal(rarog_profile_clock(p)->hz, 2300000000);
	assert_true(rarog_profile_clock(p)->suspect);
	compare_locations(p, t);
	compare_nodes(p, t);
	compare_summaries(p, t);
	assert_int_equal(compare_calls(p, t, RAROG_NONE), truth_events(t));
	for (uint32_t s = 0; s < t->n_strands && s < 4; s++)
		assert_int_equal(compare_calls(p, t, s), t->calls[s].op.n);
}

TEST(random_profiles_come_back)
{
	for (int i = 0; i < 30; i++) {
		struct truth t = { 0 };

		truth_locations(&t, 1 + random_below(600));
		truth_strands(&t, 1 + random_below(5));
		truth_nodes(&t, random_below(2000));
		truth_summaries(&t, random_below(300));
		round_trip(path_in(state, "random"), &t, random_below(20), 1 + random_below(5000));
		truth_release(&t);
	}
}

/* Blocks are cut and joined; the events stay. */
TEST(blocks_that_are_cut_come_back_whole)
{
	struct truth t = { 0 };

	truth_locations(&t, 70000);
	truth_strands(&t, 2);
	truth_nodes(&t, 200000);
	truth_summaries(&t, 20000);
	round_trip(path_in(state, "large"), &t, 6, 200000);
	truth_release(&t);
}

TEST(hundreds_of_threads_come_back)
{
	struct truth t = { 0 };

	truth_locations(&t, 50);
	truth_strands(&t, 3000);
	round_trip(path_in(state, "strands"), &t, 20000, 40);
	truth_release(&t);
}

TEST(deep_stacks_come_back)
{
	struct truth t = { 0 };
	struct rarog_profile_writer *w = NULL;
	struct rarog_profile *p = NULL;
	const char *path = path_in(state, "deep");

	truth_locations(&t, 3);
	truth_strands(&t, 1);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(rarog_vec_push(&t.calls[0].stack, i % 3), 0);
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	write_tables(w, &t);

	/* The comparison begins with an empty stack; so does the truth: entries first. */
	t.calls[0].stack.n = 0;
	uint32_t op[1000];
	uint64_t delta[1000];

	for (size_t i = 0; i < 100; i++) {
		struct strand_calls *s = &t.calls[0];

		for (size_t k = 0; k < 1000; k++) {
			op[k] = RAROG_OP_ENTRY + (uint32_t)random_below(3);
			delta[k] = random_amount();
			rarog_vec_push(&s->op, op[k]);
			rarog_vec_push(&s->delta, delta[k]);
		}
		struct rarog_calls calls = { .start_ticks = s->now,
					     .n_open = s->stack.n,
					     .open = s->stack.v,
					     .n = 1000,
					     .op = op,
					     .delta = delta };

		assert_int_equal(rarog_profile_add_calls(w, &calls), 0);
		for (size_t k = 0; k < 1000; k++) {
			rarog_vec_push(&s->stack, op[k] - RAROG_OP_ENTRY);
			s->now += delta[k];
		}
	}
	write_piece(w, &t, 0, 300000);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	rarog_profile_writer_free(w);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(compare_calls(p, &t, RAROG_NONE), 400000);
	rarog_profile_free(p);
	truth_release(&t);
}

TEST(extreme_numbers_come_back)
{
	static const uint64_t delta[] = {
		0,     1,     UINT64_C(1) << 63, UINT64_MAX, 254, 255, 256, 510,
		65535, 65536, UINT32_MAX,        7,          0,   1
	};
	static const uint32_t op[] = { 8, 0, 8, 1, 2, 3, 4, 0, 8, 8, 8, 8, 0, 0 };
	const char *path = path_in(state, "extreme");
	struct truth t = { 0 };
	struct rarog_profile_writer *w = NULL;
	struct rarog_profile *p = NULL;

	truth_locations(&t, 1);
	truth_strands(&t, 1);
	truth_nodes(&t, 3);
	truth_summaries(&t, 1);
	memset(&t.summaries[0].count, 0xff,
	       offsetof(struct rarog_summary, n_buckets) - offsetof(struct rarog_summary, count));
	t.nodes[1].count = t.nodes[1].inclusive = UINT64_MAX;
	t.nodes[1].exclusive = 0;
	for (size_t i = 0; i < RAROG_COUNT(op); i++) {
		rarog_vec_push(&t.calls[0].op, op[i]);
		rarog_vec_push(&t.calls[0].delta, delta[i]);
	}
	struct rarog_calls calls = { .start_ticks = t.calls[0].start_ticks,
				     .n = RAROG_COUNT(op),
				     .op = op,
				     .delta = delta };

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	write_tables(w, &t);
	assert_int_equal(rarog_profile_add_calls(w, &calls), 0);
	assert_int_equal(rarog_profile_add_nodes(w, 3, t.nodes), 0);
	assert_int_equal(rarog_profile_add_summaries(w, 1, t.summaries), 0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	rarog_profile_writer_free(w);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	compare_nodes(p, &t);
	compare_summaries(p, &t);
	assert_int_equal(compare_calls(p, &t, 0), RAROG_COUNT(op));
	rarog_profile_free(p);
	truth_release(&t);
}

TEST(a_profile_of_nothing_comes_back)
{
	const char *path = path_in(state, "empty");
	struct rarog_profile_writer *w = NULL;
	struct rarog_profile *p = NULL;
	struct rarog_calls_cursor *cursor = NULL;
	const struct rarog_node *nodes;
	const struct rarog_loss *losses;
	struct rarog_calls calls;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	rarog_profile_writer_free(w);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_string_equal(rarog_profile_header(p), "{}");
	assert_string_equal(rarog_profile_path(p), path);
	assert_false(rarog_profile_has_calls(p));
	assert_int_equal(rarog_profile_nodes(p, &nodes), 0);
	assert_int_equal(rarog_profile_losses(p, &losses), 0);
	assert_int_equal(rarog_calls_cursor_new(p, RAROG_NONE, &cursor), 0);
	assert_int_equal(rarog_calls_next(cursor, &calls), 0);
	rarog_calls_cursor_free(cursor);
	assert_int_equal(rarog_calls_cursor_new(p, 0, &cursor), -EINVAL);
	rarog_profile_free(p);
}

/* A table in many small blocks (a summary for every thread that ended) needs no more memory than in
 * one. */
TEST(many_small_blocks_need_no_more_memory_than_one)
{
	const char *path = path_in(state, "many-blocks");
	const struct rarog_location location = { .binary = RAROG_NONE, .name = "f" };
	const struct rarog_summary *summaries;
	struct rarog_profile_writer *w = NULL;
	struct rarog_profile *p = NULL;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_add_location(w, &location), 0);
	for (uint32_t i = 0; i < 500; i++) {
		struct rarog_histogram_bucket bucket = { .bucket = 3, .count = i };
		const struct rarog_summary summary = {
			.strand = RAROG_NONE, .count = i, .n_buckets = 1, .buckets = &bucket
		};

		assert_int_equal(rarog_profile_add_summaries(w, 1, &summary), 0);
	}
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	rarog_profile_writer_free(w);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(rarog_profile_summaries(p, &summaries), 500);
	assert_int_equal(summaries[499].count, 499);
	rarog_profile_free(p);
}

/* Pieces that do not continue each other stay apart. */
TEST(pieces_that_do_not_continue_each_other_stay_apart)
{
	static const uint32_t op[] = { 8, 0 }, open[] = { 0 };
	static const uint64_t delta[] = { 5, 6 };
	const struct rarog_calls pieces[] = {
		{ .start_ticks = 100, .n = 2, .op = op, .delta = delta },
		{ .start_ticks = 111, .n = 2, .op = op, .delta = delta },
		{ .start_ticks = 500, .n = 2, .op = op, .delta = delta },
		{ .start_ticks = 511, .n_open = 1, .open = open, .n = 2, .op = op, .delta = delta },
	};
	static const struct {
		uint64_t start_ticks;
		size_t n, n_open;
	} blocks[] = { { 100, 4, 0 }, { 500, 2, 0 }, { 511, 2, 1 } };
	const char *path = path_in(state, "gaps");
	struct rarog_profile_writer *w = NULL;
	struct rarog_profile *p = NULL;
	struct rarog_calls_cursor *cursor = NULL;
	struct truth t = { 0 };
	struct rarog_calls calls;

	truth_locations(&t, 1);
	truth_strands(&t, 1);
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	write_tables(w, &t);
	for (size_t i = 0; i < RAROG_COUNT(pieces); i++)
		assert_int_equal(rarog_profile_add_calls(w, &pieces[i]), 0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	rarog_profile_writer_free(w);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(rarog_calls_cursor_new(p, 0, &cursor), 0);
	for (size_t i = 0; i < RAROG_COUNT(blocks); i++) {
		assert_int_equal(rarog_calls_next(cursor, &calls), 1);
		assert_int_equal(calls.start_ticks, blocks[i].start_ticks);
		assert_int_equal(calls.n, blocks[i].n);
		assert_int_equal(calls.n_open, blocks[i].n_open);
	}
	assert_int_equal(rarog_calls_next(cursor, &calls), 0);
	rarog_calls_cursor_free(cursor);
	rarog_profile_free(p);
	truth_release(&t);
}

/* A writer that is given nonsense says so, and goes on saying so. */
TEST(a_writer_says_what_is_wrong_and_goes_on_saying_so)
{
	const char *path = path_in(state, "wrong");
	const uint32_t op = RAROG_OP_ENTRY + 5;
	const uint64_t delta = 0;
	struct rarog_profile_writer *w = NULL;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_add_calls(
				 w, &(struct rarog_calls){ .n = 1, .op = &op, .delta = &delta }),
			 -EINVAL);
	assert_int_equal(rarog_profile_add_binary(w, &(struct rarog_profile_binary){ "b", 0, 1 }),
			 -EINVAL);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), -EINVAL);
	assert_non_null(strstr(rarog_error_message(), "strand 0"));
	rarog_profile_writer_free(w);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_set_header(w, "[1]"), -EINVAL);
	rarog_profile_writer_free(w);

	const struct rarog_node nodes[] = { { RAROG_NONE, RAROG_NONE, 0, 0, 0 },
					    { 1, RAROG_NONE, 0, 0, 0 } };

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_add_nodes(w, 2, nodes), -EINVAL);
	rarog_profile_writer_free(w);
}

static char *slurp(const char *path, size_t *ret_n)
{
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(1 << 24);

	assert_non_null(f);
	*ret_n = fread(bytes, 1, 1 << 24, f);
	fclose(f);
	return bytes;
}

TEST(the_same_profile_has_the_same_bytes)
{
	char *bytes[2];
	size_t n[2];

	for (int i = 0; i < 2; i++) {
		struct truth t = { 0 };

		random_state = 42;
		truth_locations(&t, 400);
		truth_strands(&t, 7);
		truth_nodes(&t, 3000);
		truth_summaries(&t, 100);
		write_profile(path_in(state, "same"), &t, 50, 10000);
		bytes[i] = slurp(path_in(state, "same"), &n[i]);
		truth_release(&t);
	}
	assert_int_equal(n[0], n[1]);
	assert_memory_equal(bytes[0], bytes[1], n[0]);
	free(bytes[0]);
	free(bytes[1]);
}

/* jansson's integers end at 2^63, so all numbers are read as doubles and compared as such. */
static bool is_number(const json_t *value, uint64_t truth)
{
	return json_is_real(value) && json_real_value(value) == (double)truth;
}

static void check_dumped_calls(const json_t *calls, const struct truth *t)
{
	size_t at[8] = { 0 }, block;
	const json_t *entry;

	json_array_foreach (calls, block, entry) {
		const json_t *op = json_object_get(entry, "op");
		const json_t *delta = json_object_get(entry, "delta_ticks");
		size_t strand = (size_t)json_real_value(json_object_get(entry, "strand"));
		const struct strand_calls *s = &t->calls[strand];

		assert_int_equal(json_array_size(op), json_array_size(delta));
		for (size_t i = 0; i < json_array_size(op); i++, at[strand]++) {
			assert_true(is_number(json_array_get(op, i), s->op.v[at[strand]]));
			assert_true(is_number(json_array_get(delta, i), s->delta.v[at[strand]]));
		}
	}
	for (size_t i = 0; i < t->n_strands; i++)
		assert_int_equal(at[i], t->calls[i].op.n);
}

static void check_dumped_tables(const json_t *json, const struct truth *t)
{
	const json_t *locations = json_object_get(json, "locations");
	const json_t *nodes = json_object_get(json, "nodes");
	const json_t *summaries = json_object_get(json, "summaries");

	assert_int_equal(json_array_size(locations), t->n_locations);
	assert_int_equal(json_array_size(nodes), t->n_nodes);
	assert_int_equal(json_array_size(summaries), t->n_summaries);
	assert_true(json_is_null(json_object_get(json_array_get(nodes, 0), "parent")));
	for (size_t i = 0; i < t->n_locations; i++)
		assert_text(json_string_value(
				    json_object_get(json_array_get(locations, i), "demangled")),
			    t->locations[i].demangled);
	for (size_t i = 1; i < t->n_nodes; i++)
		assert_true(is_number(json_object_get(json_array_get(nodes, i), "inclusive_ticks"),
				      t->nodes[i].inclusive));
	for (size_t i = 0; i < t->n_summaries; i++) {
		const json_t *summary = json_array_get(summaries, i);
		const json_t *buckets = json_object_get(summary, "histogram");

		assert_true(is_number(json_object_get(summary, "max_ticks"), t->summaries[i].max));
		assert_int_equal(json_array_size(buckets), t->summaries[i].n_buckets);
		for (size_t k = 0; k < json_array_size(buckets); k++)
			assert_true(is_number(json_array_get(json_array_get(buckets, k), 1),
					      t->summaries[i].buckets[k].count));
	}
}

static char *dump(const char *path, size_t *ret_n)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_n);

	assert_non_null(out);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(rarog_profile_dump_json(p, out, true), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Oracle: jansson reads it and finds what was written. */
TEST(the_dump_has_all_of_it_as_json)
{
	struct truth t = { 0 };
	size_t n = 0;

	truth_locations(&t, 40);
	truth_strands(&t, 3);
	truth_nodes(&t, 100);
	truth_summaries(&t, 20);
	t.nodes[7].count = UINT64_MAX;
	write_profile(path_in(state, "dump"), &t, 20, 3000);
	char *text = dump(path_in(state, "dump"), &n);
	json_t *json = json_loadb(text, n, JSON_DECODE_INT_AS_REAL, NULL);

	assert_true(json_is_object(json));
	assert_true(json_is_false(json_object_get(json, "is_partial")));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(json, "header"), "command")),
		"prog");
	assert_true(is_number(json_object_get(json_object_get(json, "clock"), "hz"), 2300000000));
	check_dumped_tables(json, &t);
	check_dumped_calls(json_object_get(json, "calls"), &t);
	assert_non_null(strstr(text, "\"count\":18446744073709551615"));
	json_decref(json);
	free(text);
	truth_release(&t);
}

GROUP(make_directory, remove_directory)
