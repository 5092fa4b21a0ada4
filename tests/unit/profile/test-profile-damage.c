/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cut off, bent, nonsense: a reader never gives wrong data. */
#include "profile-random.h"
#include "unit.h"

#include <xxhash.h>

#include "profile/block-file.h"
#include "profile/compressor.h"

static struct truth truth;
static uint8_t *file_bytes;
static size_t file_size;

static void write_all_of(struct rarog_profile_writer *w, struct truth *t, size_t pieces)
{
	write_tables(w, t);
	for (size_t i = 0; i < pieces; i++)
		write_piece(w, t, (uint32_t)random_below(t->n_strands), random_below(20000));
	assert_int_equal(rarog_profile_add_nodes(w, t->n_nodes, t->nodes), 0);
	assert_int_equal(rarog_profile_add_summaries(w, t->n_summaries, t->summaries), 0);
}

static int make_profile(void **state)
{
	struct rarog_profile_writer *w = NULL;

	if (make_directory(state) < 0)
		return -1;
	const char *path = path_in(state, "whole");

	truth_locations(&truth, 300);
	truth_strands(&truth, 3);
	truth_nodes(&truth, 500);
	truth_summaries(&truth, 50);
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	write_all_of(w, &truth, 60);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	rarog_profile_writer_free(w);

	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	file_bytes = malloc(1 << 24);
	file_size = fread(file_bytes, 1, 1 << 24, f);
	fclose(f);
	return unlink(path);
}

static int remove_profile(void **state)
{
	truth_release(&truth);
	free(file_bytes);
	return remove_directory(state);
}

static void check_location_prefix(struct rarog_profile *p)
{
	const struct rarog_location *v;
	long n = rarog_profile_locations(p, &v);

	assert_in_range(n, 0, truth.n_locations);
	for (long i = 0; i < n; i++) {
		assert_text(v[i].name, truth.locations[i].name);
		assert_int_equal(v[i].address, truth.locations[i].address);
	}
}

static void check_prefix(struct rarog_profile *p)
{
	const struct rarog_node *nodes;
	const struct rarog_summary *summaries;
	const struct rarog_strand *strands;
	long n_nodes = rarog_profile_nodes(p, &nodes);
	long n_summaries = rarog_profile_summaries(p, &summaries);

	check_location_prefix(p);
	assert_in_range(rarog_profile_strands(p, &strands), 0, truth.n_strands);
	assert_in_range(n_nodes, 0, truth.n_nodes);
	assert_in_range(n_summaries, 0, truth.n_summaries);
	if (n_nodes > 0)
		assert_memory_equal(nodes, truth.nodes, (size_t)n_nodes * sizeof(*nodes));
	for (long i = 0; i < n_summaries; i++)
		assert_int_equal(summaries[i].sum, truth.summaries[i].sum);
}

/* How many events a file of the first @n bytes gives; all that it gives must be true. */
static size_t check_cut(void **state, size_t n)
{
	const char *path = path_in(state, "cut");
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;

	put_file(path, n, file_bytes);
	int r = rarog_profile_open(path, &p);

	if (n < RAROG_FILE_HEAD_SIZE) {
		assert_int_equal(r, -EINVAL);
		assert_non_null(strstr(rarog_error_message(), path));
		return 0;
	}
	assert_int_equal(r, 0);
	assert_int_equal(rarog_profile_is_partial(p), n < file_size);
	check_prefix(p);
	return compare_calls(p, &truth, RAROG_NONE);
}

TEST(a_file_cut_at_a_block_keeps_what_is_before)
{
	struct rarog_block_file file = { 0 };
	size_t events = 0, expected = 0;

	put_file(path_in(state, "cut"), file_size, file_bytes);
	assert_int_equal(rarog_block_file_open(&file, path_in(state, "cut")), 0);
	assert_true(file.n > 10);
	for (size_t i = 0; i < file.n; i++) {
		size_t before = check_cut(state, file.blocks[i].offset);

		assert_int_equal(before, expected);
		assert_int_equal(check_cut(state, file.blocks[i].offset + 1), expected);
		if (file.blocks[i].kind == RAROG_BLOCK_CALLS)
			expected += file.blocks[i].count;
	}
	rarog_block_file_release(&file);
	events = check_cut(state, file_size);
	assert_int_equal(events, truth_events(&truth));
	assert_int_equal(check_cut(state, file_size - 1), events);
}

TEST(a_file_may_be_cut_anywhere)
{
	for (size_t n = 0; n < 100; n++)
		check_cut(state, n);
	for (int i = 0; i < 100; i++)
		check_cut(state, random_below(file_size));
}

static void no_wrong_calls(struct rarog_profile *p)
{
	struct rarog_calls_cursor *cursor = NULL;
	struct rarog_calls calls;
	size_t seen[8] = { 0 };
	int r;

	if (rarog_calls_cursor_new(p, RAROG_NONE, &cursor) < 0)
		return;
	while ((r = rarog_calls_next(cursor, &calls)) != 0) {
		if (r < 0)
			break; /* where later blocks of the strand belong is unknown now */
		const struct strand_calls *s = &truth.calls[calls.strand];

		assert_true(seen[calls.strand] + calls.n <= s->op.n);
		assert_memory_equal(calls.op, s->op.v + seen[calls.strand], 4 * calls.n);
		assert_memory_equal(calls.delta, s->delta.v + seen[calls.strand], 8 * calls.n);
		seen[calls.strand] += calls.n;
	}
	if (r < 0) {
		assert_non_null(strstr(rarog_error_message(), "section calls"));
		while (rarog_calls_next(cursor, &calls) != 0)
			continue; /* reading on must be possible */
	}
	rarog_calls_cursor_free(cursor);
}

TEST(flipped_bits_give_no_wrong_calls)
{
	const char *path = path_in(state, "flip");
	int refused = 0;

	for (int i = 0; i < 600; i++) {
		rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;
		size_t at = i < 200 ? random_below(200) : random_below(file_size);
		uint8_t bit = (uint8_t)(1 << random_below(8));
		const struct rarog_node *nodes;
		const struct rarog_location *locations;
		const struct rarog_summary *summaries;

		if (i % 4 == 3)
			at = file_size - 1 - random_below(300);
		file_bytes[at] ^= bit;
		put_file(path, file_size, file_bytes);
		file_bytes[at] ^= bit;
		if (rarog_profile_open(path, &p) < 0) {
			assert_non_null(strstr(rarog_error_message(), path));
			refused++;
			continue;
		}
		if (rarog_profile_locations(p, &locations) >= 0)
			compare_locations(p, &truth);
		if (rarog_profile_nodes(p, &nodes) >= 0)
			compare_nodes(p, &truth);
		if (rarog_profile_summaries(p, &summaries) >= 0)
			compare_summaries(p, &truth);
		no_wrong_calls(p);
	}
	assert_in_range(refused, 1, 599);
}

/* Read everything that can be read; @p may be nonsense with right checksums. */
static void read_everything(struct rarog_profile *p)
{
	const void *rows;
	struct rarog_calls_cursor *cursor = NULL;
	struct rarog_calls calls;

	rarog_profile_binaries(p, (const struct rarog_profile_binary **)&rows);
	rarog_profile_locations(p, (const struct rarog_location **)&rows);
	rarog_profile_processes(p, (const struct rarog_process **)&rows);
	rarog_profile_strands(p, (const struct rarog_strand **)&rows);
	rarog_profile_nodes(p, (const struct rarog_node **)&rows);
	rarog_profile_summaries(p, (const struct rarog_summary **)&rows);
	rarog_profile_inlined(p, (const struct rarog_inlined_into **)&rows);
	rarog_profile_losses(p, (const struct rarog_loss **)&rows);
	if (rarog_calls_cursor_new(p, RAROG_NONE, &cursor) == 0)
		while (rarog_calls_next(cursor, &calls) != 0)
			continue;
	rarog_calls_cursor_free(cursor);
}

static void compress_block(struct rarog_compressor *compressor, unsigned kind, unsigned version,
			   size_t first, size_t count, size_t n, const void *bytes)
{
	struct rarog_bytes raw = { 0 };
	const struct rarog_block block = { .kind = (uint16_t)kind,
					   .version = (uint16_t)version,
					   .first = first,
					   .count = (uint32_t)count };

	assert_int_equal(rarog_bytes_add(&raw, n, bytes), 0);
	assert_int_equal(rarog_compressor_block(compressor, &block, &raw), 0);
	rarog_bytes_release(&raw);
}

/* Right checksums around nonsense. */
TEST(nonsense_with_right_checksums_is_survived)
{
	const char *path = path_in(state, "nonsense");

	for (int i = 0; i < 300; i++) {
		struct rarog_compressor *compressor = NULL;
		struct rarog_profile *p = NULL;
		uint8_t bytes[300];
		uint64_t size;

		assert_int_equal(rarog_compressor_new(path, &compressor), 0);
		for (size_t k = 1 + random_below(20); k > 0; k--) {
			for (size_t b = 0; b < sizeof(bytes); b++)
				bytes[b] = (uint8_t)(random_u64() >> random_below(64));
			compress_block(compressor, 2 + (unsigned)random_below(12), 1,
				       random_below(3), random_below(40),
				       random_below(sizeof(bytes)), bytes);
		}
		assert_int_equal(rarog_compressor_finish(compressor, &size), 0);
		rarog_compressor_free(compressor);
		if (rarog_profile_open(path, &p) == 0)
			read_everything(p);
		rarog_profile_free(p);
	}
}

/* Rows that refer to what is not there are not handed out. */
TEST(rows_that_refer_to_nothing_are_not_handed_out)
{
	static const uint8_t nodes[] = { 0, 2, 0, 0, 0, 0, 0, 0, 0, 0 }; /* parents: none, 1 */
	static const uint8_t strand[] = { 2, 2, 0, 0 };                  /* process 0 of none */
	const char *path = path_in(state, "references");
	struct rarog_compressor *compressor = NULL;
	struct rarog_profile *p = NULL;
	const struct rarog_node *node;
	const struct rarog_strand *strands;
	uint64_t size;

	assert_int_equal(rarog_compressor_new(path, &compressor), 0);
	compress_block(compressor, RAROG_BLOCK_NODES, 1, 0, 2, sizeof(nodes), nodes);
	compress_block(compressor, RAROG_BLOCK_STRANDS, 1, 0, 1, sizeof(strand), strand);
	assert_int_equal(rarog_compressor_finish(compressor, &size), 0);
	rarog_compressor_free(compressor);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_int_equal(rarog_profile_nodes(p, &node), -EBADMSG);
	assert_non_null(strstr(rarog_error_message(), "section nodes is damaged: it refers"));
	assert_int_equal(rarog_profile_strands(p, &strands), -EBADMSG);
	rarog_profile_free(p);
}

/* Two nodes and a summary, coded by hand in both versions. */
TEST(tables_of_older_versions_are_read)
{
	static const char nodes[][10] = { "\0\0\0\0\2\4\0\24\24\0", "\0\0\0\0\2\4\0\24\0\0" };
	static const char sums[][16] = { "\0\0\2\0\12\0\0\12\0\62\0\0\0\4\5\1",
					 "\0\0\2\0\12\0\0\0\0\0\0\0\0\4\0\1" };
	const char *path = path_in(state, "older");

	for (unsigned version = 1; version <= 2; version++) {
		struct rarog_compressor *compressor = NULL;
		struct rarog_profile *p = NULL;
		const struct rarog_summary *s;
		const struct rarog_node *n;
		uint64_t size;

		assert_int_equal(rarog_compressor_new(path, &compressor), 0);
		compress_block(compressor, RAROG_BLOCK_NODES, version, 0, 2, 10,
			       nodes[version - 1]);
		compress_block(compressor, RAROG_BLOCK_SUMMARIES, version, 0, 1, 16,
			       sums[version - 1]);
		assert_int_equal(rarog_compressor_finish(compressor, &size), 0);
		rarog_compressor_free(compressor);
		assert_int_equal(rarog_profile_open(path, &p), 0);
		assert_int_equal(rarog_profile_nodes(p, &n), 2);
		assert_int_equal(n[0].inclusive, 10);
		assert_int_equal(n[0].exclusive, 0);
		assert_int_equal(n[1].inclusive, 10);
		assert_int_equal(n[1].count, 2);
		assert_int_equal(rarog_profile_summaries(p, &s), 1);
		assert_int_equal(s->min, 5);
		assert_int_equal(s->max, 5);
		assert_int_equal(s->square_low, 25);
		assert_int_equal(s->n_buckets, 1);
		assert_int_equal(s->buckets[0].bucket, 5);
		assert_int_equal(s->buckets[0].count, 1);
		rarog_profile_free(p);
	}
}

TEST(unknown_versions_are_refused)
{
	const char *path = path_in(state, "versions");
	struct rarog_compressor *compressor = NULL;
	struct rarog_profile *p = NULL;
	const struct rarog_node *nodes;
	uint64_t size;
	uint8_t head[RAROG_FILE_HEAD_SIZE];

	assert_int_equal(rarog_compressor_new(path, &compressor), 0);
	compress_block(compressor, 200, 7, 1, 2, 5, "what?");
	compress_block(compressor, RAROG_BLOCK_HEADER, 1, 0, 1, 7, "{\"a\":1}");
	compress_block(compressor, RAROG_BLOCK_NODES, 3, 0, 1, 1, "x");
	assert_int_equal(rarog_compressor_finish(compressor, &size), 0);
	rarog_compressor_free(compressor);
	assert_int_equal(rarog_profile_open(path, &p), 0);
	assert_string_equal(rarog_profile_header(p), "{\"a\":1}");
	assert_int_equal(rarog_profile_nodes(p, &nodes), -EPROTONOSUPPORT);
	assert_non_null(strstr(rarog_error_message(), "section nodes"));
	rarog_profile_free(p);

	rarog_file_head_store(head);
	rarog_store_u16(head + 8, RAROG_FORMAT_MAJOR + 1);
	rarog_store_u64(head + 24, XXH3_64bits(head, 24));
	put_file(path, sizeof(head), head);
	assert_int_equal(rarog_profile_open(path, &p), -EPROTONOSUPPORT);
	assert_non_null(strstr(rarog_error_message(), "newer rarog"));
}

static void expect_open(const char *path, int code, const char *words)
{
	struct rarog_profile *p = NULL;

	assert_int_equal(rarog_profile_open(path, &p), code);
	assert_non_null(strstr(rarog_error_message(), path));
	assert_non_null(strstr(rarog_error_message(), words));
}

TEST(what_is_no_profile_is_refused)
{
	const char *path = path_in(state, "other");

	expect_open(path, -ENOENT, "No such file");
	put_file(path, 0, NULL);
	expect_open(path, -EINVAL, "empty");
	put_file(path, 20, (const uint8_t *)"something else at all");
	expect_open(path, -EINVAL, "not a rarog profile");
	put_file(path, 40, (const uint8_t *)"something else that is longer than a file head");
	expect_open(path, -EINVAL, "not a rarog profile");
	expect_open("/tmp", -EISDIR, "directory");
	expect_open("/dev/null", -EINVAL, "regular");
}

GROUP(make_profile, remove_profile)
