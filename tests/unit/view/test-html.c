/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the report that need no browser. Oracles: zlib's own inflate and a plain base64
 * decoder for what is packed; sums over the whole tree for what is left out of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include <zlib.h>

#include "base/cleanup.h"
#include "profile/writer.h"
#include "view/html/edges.h"
#include "view/html/frames.h"
#include "view/html/pack.h"
#include "view/html/page.h"
#include "view/html/report.h"
#include "view/html/texts.h"

static size_t decode_base64(const char *text, size_t n, unsigned char *out)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = 0;
	uint32_t bits = 0;

	assert_int_equal(n % 4, 0);
	for (size_t i = 0; i < n; i++) {
		const char *at = text[i] == '=' ? letters : strchr(letters, text[i]);

		assert_non_null(at);
		bits = bits << 6 | (uint32_t)(at - letters);
		if (i % 4 != 3)
			continue;
		out[length++] = (unsigned char)(bits >> 16);
		out[length++] = (unsigned char)(bits >> 8);
		out[length++] = (unsigned char)bits;
	}
	for (size_t i = n; i > 0 && text[i - 1] == '='; i--)
		length--;
	return length;
}

/* What @n bytes at @bytes become, packed and unpacked again, must be themselves. */
static void check_round_trip(size_t n, const unsigned char *bytes)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct rarog_pack *pack = NULL;

	assert_int_equal(rarog_pack_new(out, &pack), 0);
	assert_int_equal(fwrite(bytes, 1, n, rarog_pack_stream(pack)), n);
	assert_int_equal(rarog_pack_finish(pack), 0);
	rarog_pack_free(pack);
	fclose(out);

	unsigned char *packed = malloc(size + 3), *unpacked = malloc(n + 1);
	z_stream stream = { .next_in = packed,
			    .avail_in = (uInt)decode_base64(text, size, packed),
			    .next_out = unpacked,
			    .avail_out = (uInt)n + 1 };

	assert_int_equal(inflateInit2(&stream, -15), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, n);
	assert_int_equal(stream.avail_in, 0);
	assert_memory_equal(unpacked, bytes, n);
	inflateEnd(&stream);
	free(packed);
	free(unpacked);
	free(text);
}

TEST(packed_bytes_unpack_to_themselves)
{
	static const size_t sizes[] = { 0,     1,     2,     3,     4,      49151,
					49152, 49153, 65536, 65537, 300001, 1000000 };
	unsigned char *bytes = malloc(1000000);
	uint64_t random = 1;

	/* Bytes that do not shrink fill every buffer; equal ones hardly write any. */
	for (size_t i = 0; i < 1000000; i++) {
		random = random * 6364136223846793005U + 1442695040888963407U;
		bytes[i] = (unsigned char)(random >> 56);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		check_round_trip(sizes[i], bytes);
	memset(bytes, 'x', 1000000);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		check_round_trip(sizes[i], bytes);
	free(bytes);
}

TEST(a_full_disk_is_said_of_a_pack)
{
	FILE *out = fopen("/dev/full", "w");
	struct rarog_pack *pack = NULL;

	assert_non_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	assert_int_equal(rarog_pack_new(out, &pack), 0);
	for (unsigned i = 0; i < 400000; i++)
		fprintf(rarog_pack_stream(pack), "%u", i * 2654435761U);
	assert_int_equal(rarog_pack_finish(pack), -EIO);
	rarog_pack_free(pack);
	assert_true(ferror(out));
	fclose(out);
}

TEST(the_page_has_its_parts)
{
	struct rarog_page page = rarog_page();

	assert_memory_equal(page.head.text, "<!DOCTYPE html>", 15);
	assert_memory_equal(page.head.text + page.head.n - 7, "<title>", 7);
	assert_memory_equal(page.middle.text, "</title>", 8);
	assert_memory_equal(page.middle.text + page.middle.n - 11, " id=\"data\">", 11);
	assert_memory_equal(page.tail.text, "</script>", 9);
}

/* A tree with links as rarog_call_tree_init() makes them, children in the order of @nodes. */
static struct rarog_call_tree link_tree(size_t n, const struct rarog_node nodes[])
{
	struct rarog_call_tree tree = { .n = n, .nodes = nodes };

	tree.child = malloc(n * sizeof(*tree.child));
	tree.sibling = malloc(n * sizeof(*tree.sibling));
	memset(tree.child, 0xff, n * sizeof(*tree.child));
	memset(tree.sibling, 0xff, n * sizeof(*tree.sibling));
	for (size_t i = n - 1; i > 0; i--) {
		tree.sibling[i] = tree.child[nodes[i].parent];
		tree.child[nodes[i].parent] = (uint32_t)i;
	}
	return tree;
}

/* main 100 → a 60 → b 50, c 30 → (d 20, e 10: 1000 calls) */
static const struct rarog_node small[] = {
	{ 0, RAROG_NONE, 0, 100, 0 }, { 0, 0, 1, 100, 10 }, { 1, 1, 2, 60, 10 },
	{ 2, 2, 5, 50, 50 },          { 1, 3, 1, 30, 0 },   { 4, 4, 7, 20, 20 },
	{ 4, 5, 1000, 10, 10 },
};

TEST(every_call_is_a_frame_where_there_is_room)
{
	static const uint32_t depths[] = { 0, 1, 2, 3, 2, 3, 3 };
	struct rarog_call_tree tree = link_tree(7, small);
	struct rarog_frames frames;

	assert_int_equal(rarog_frames_init(&frames, &tree, 7), 0);
	assert_int_equal(frames.n, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(frames.v[i].depth, depths[i]);
		assert_int_equal(frames.v[i].self, small[i].exclusive);
		assert_int_equal(frames.v[i].left_out, 0);
	}
	assert_int_equal(frames.left_out.contexts, 0);
	rarog_frames_release(&frames);
	rarog_call_tree_release(&tree);
}

/* e has most of the calls: it and its ancestors stay although its time is the smallest. */
TEST(where_room_is_short_the_most_and_their_callers_stay)
{
	struct rarog_call_tree tree = link_tree(7, small);
	struct rarog_frames frames;

	assert_int_equal(rarog_frames_init(&frames, &tree, 4), 0);
	assert_int_equal(frames.n, 6); /* root, main, c, e; a with b left out; d left out */
	assert_int_equal(frames.v[2].location, 3);
	assert_int_equal(frames.v[3].location, 5);
	assert_int_equal(frames.v[4].left_out, 1);
	assert_int_equal(frames.v[4].depth, 3);
	assert_int_equal(frames.v[4].self, 20);
	assert_int_equal(frames.v[4].count, 7);
	assert_int_equal(frames.v[5].left_out, 2);
	assert_int_equal(frames.v[5].depth, 2);
	assert_int_equal(frames.v[5].self, 60);
	assert_int_equal(frames.v[5].count, 7);
	assert_int_equal(frames.left_out.contexts, 3);
	assert_int_equal(frames.left_out.ticks, 80);
	assert_int_equal(frames.left_out.calls, 14);
	rarog_frames_release(&frames);
	rarog_call_tree_release(&tree);
}

/* Sums that overflow and children that outweigh their parents: still a tree, nothing crashes. */
TEST(sums_that_overflow_are_still_a_tree)
{
	static const struct rarog_node nodes[] = {
		{ 0, RAROG_NONE, 0, 0, 0 },
		{ 0, 0, UINT64_MAX, 1, UINT64_MAX },
		{ 1, 1, UINT64_MAX, UINT64_MAX, 5 },
		{ 2, 1, 1, UINT64_MAX, UINT64_MAX },
	};
	struct rarog_call_tree tree = link_tree(4, nodes);
	struct rarog_frames frames;

	for (size_t max = 1; max <= 4; max++) {
		assert_int_equal(rarog_frames_init(&frames, &tree, max), 0);
		assert_int_equal(frames.v[0].depth, 0);
		for (size_t i = 1; i < frames.n; i++) {
			assert_in_range(frames.v[i].depth, 1, frames.v[i - 1].depth + 1);
		}
		rarog_frames_release(&frames);
	}
	rarog_call_tree_release(&tree);
}

/* f → g → f → g: the outer f → g counts 80, the inner one lies inside it. */
TEST(recursion_counts_its_outermost_calls)
{
	static const struct rarog_node nodes[] = {
		{ 0, RAROG_NONE, 0, 100, 0 }, { 0, 0, 1, 100, 20 }, { 1, 1, 2, 80, 30 },
		{ 2, 0, 3, 50, 10 },          { 3, 1, 4, 40, 40 },
	};
	static const struct rarog_edge expected[] = {
		{ RAROG_NONE, 0, 0, 1, 100 },
		{ 0, 1, 0, 6, 80 },
		{ 1, 0, 0, 3, 50 },
	};
	struct rarog_call_tree tree = link_tree(5, nodes);
	struct rarog_edges edges;

	assert_int_equal(rarog_edges_init(&edges, &tree), 0);
	assert_int_equal(edges.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(edges.v[i].caller, expected[i].caller);
		assert_int_equal(edges.v[i].callee, expected[i].callee);
		assert_int_equal(edges.v[i].count, expected[i].count);
		assert_int_equal(edges.v[i].ticks, expected[i].ticks);
		assert_int_equal(edges.v[i].active, 0);
	}
	rarog_edges_release(&edges);
	rarog_call_tree_release(&tree);
}

TEST(equal_texts_have_one_number)
{
	static char names[3000][8];
	struct rarog_html_texts texts = { 0 };

	assert_int_equal(rarog_html_texts_index(&texts, NULL), -1);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3000; i++) {
			snprintf(names[i], sizeof(names[i]), "%d", i);
			assert_int_equal(rarog_html_texts_index(&texts, names[i]), i);
		}
	assert_int_equal(texts.n, 3000);
	rarog_html_texts_release(&texts);
}

/* Two processes, the first of which was started with a command of its own. */
static void write_processes(const char *path, const char *header)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	const struct rarog_process processes[] = {
		{ .pid = 7, .parent = RAROG_NONE, .command = "redis-check-rdb x" },
		{ .pid = 9, .parent = RAROG_NONE, .command = "redis-server y" },
	};

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	assert_int_equal(rarog_profile_set_header(w, header), 0);
	for (size_t i = 0; i < RAROG_COUNT(processes); i++)
		assert_int_equal(rarog_profile_add_process(w, &processes[i]), (long)i);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
}

static void check_title(const char *header, const char *expected)
{
	static const char begin[] = "<title>", end[] = " \xe2\x80\x93 rarog</title>";
	const struct rarog_report_options options = { .version = "0", .max_frames = 1 };
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	char path[] = "/tmp/rarog-test-html-XXXXXX", *page = NULL, *title;
	size_t size = 0;
	FILE *out = open_memstream(&page, &size);

	close(mkstemp(path));
	write_processes(path, header);
	assert_int_equal(rarog_profile_open(path, &profile), 0);
	assert_int_equal(rarog_report_write(profile, &options, out), 0);
	fclose(out);
	unlink(path);
	title = strstr(page, begin);
	assert_non_null(title);
	title += strlen(begin);
	assert_memory_equal(title, expected, strlen(expected));
	assert_memory_equal(title + strlen(expected), end, strlen(end));
	free(page);
}

TEST(the_title_names_the_program)
{
	check_title("{}", "redis-check-rdb x");
	check_title("{\"every_process\":{\"file\":\"/usr/bin/redis-server\"}}",
		    "/usr/bin/redis-server, 2 processes");
}
