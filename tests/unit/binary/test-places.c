/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What --at may say, where instructions begin, and which of them the kernel steps over truly.
 * Oracles: worked out by hand; this program's own code, whose beginnings the compiler told.
 */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/dominators.h"
#include "binary/instruction-start.h"
#include "binary/probe-place.h"
#include "binary/source-lines.h"
#include "plan/marks.h"
#include "plan/place-request.h"

TEST(places_are_lines_addresses_and_pairs)
{
	static const struct {
		const char *text, *file, *name; /* as given, and after BINARY# */
		uint64_t first, last;
		bool is_in_prog, is_in_lib;
	} good[] = {
		{ "a.c:12", "a.c", "a.c:12", 12, 0, true, true },
		{ "src/a.c:12-40", "src/a.c", "src/a.c:12-40", 12, 40, true, true },
		{ "prog#a.c:1", "a.c", "a.c:1", 1, 0, true, false },
		{ "prog#././a.c:1", "a.c", "././a.c:1", 1, 0, true, false },
		{ "./../a.c:1", "../a.c", "./../a.c:1", 1, 0, true, true },
		{ "lib*.so#c:\\a.c:7", "c:\\a.c", "c:\\a.c:7", 7, 0, false, true },
		{ "0x1f4", NULL, "0x1f4", 0x1f4, 0, true, true },
		{ "/bin/prog#0xA-0xffffffffffffffff", NULL, "0xA-0xffffffffffffffff", 10,
		  UINT64_MAX, true, false },
	};

	for (size_t i = 0; i < RAROG_COUNT(good); i++) {
		struct rarog_place_requests requests = { 0 };
		struct rarog_place_request *request;

		assert_int_equal(rarog_place_requests_add(&requests, good[i].text), 0);
		request = &requests.list.v[0];
		assert_string_equal(request->given, good[i].text);
		assert_string_equal(request->text, good[i].name);
		assert_string_equal(request->file ? request->file : "-",
				    good[i].file ? good[i].file : "-");
		assert_true(request->first == good[i].first && request->last == good[i].last);
		assert_int_equal(rarog_place_request_is_in(request, "/bin/prog"),
				 good[i].is_in_prog);
		assert_int_equal(rarog_place_request_is_in(request, "/lib/libx.so"),
				 good[i].is_in_lib);
		rarog_place_requests_release(&requests);
	}
}

TEST(places_are_calls_by_their_callers_or_lines)
{
	static const struct {
		const char *text, *callee, *caller, *file, *name;
		uint64_t line;
		uint32_t every;
	} good[] = {
		{ "f@g", "f", "g", NULL, "f@g", 0, 0 },
		{ "f@g#10", "f", "g", NULL, "f@g", 0, 10 },
		{ "prog#ns::f@ns::g(int)", "ns::f", "ns::g(int)", NULL, "ns::f@ns::g(int)", 0, 0 },
		{ "malloc@*", "malloc", "*", NULL, "malloc@*", 0, 0 },
		{ "/^re_/@g", "/^re_/", "g", NULL, "/^re_/@g", 0, 0 },
		{ "f@src/a.c:12", "f", NULL, "src/a.c", "f@src/a.c:12", 12, 0 },
		{ "f@a.c:12#3", "f", NULL, "a.c", "f@a.c:12", 12, 3 },
		{ "src/odd@name.c:12", NULL, NULL, "src/odd@name.c", "src/odd@name.c:12", 12, 0 },
	};

	for (size_t i = 0; i < RAROG_COUNT(good); i++) {
		struct rarog_place_requests requests = { 0 };
		const struct rarog_place_request *r;

		assert_int_equal(rarog_place_requests_add(&requests, good[i].text), 0);
		r = &requests.list.v[0];
		assert_int_equal(rarog_place_request_is_call(r), good[i].callee != NULL);
		if (good[i].callee)
			assert_string_equal(r->callee.include.v[0].text, good[i].callee);
		assert_int_equal(r->caller.include.n, good[i].caller != NULL);
		if (good[i].caller)
			assert_string_equal(r->caller.include.v[0].text, good[i].caller);
		assert_string_equal(r->file ? r->file : "-", good[i].file ? good[i].file : "-");
		assert_string_equal(r->text, good[i].name);
		assert_true(r->first == good[i].line && r->every == good[i].every);
		rarog_place_requests_release(&requests);
	}
}

TEST(anything_else_is_no_place)
{
	static const char *const bad[] = {
		"",       "a.c",    ":1",        "a.c:",    "a.c:0",   "a.c:x",
		"a.c:1-", "a.c:1x", "a.c:1-2-3", "a.c:-1",  "a.c: 1",  "a.c:2147483648",
		"0x",     "0xg",    "0x1-2",     "0x1-0x1", "0x2-0x1", "0x10000000000000000",
		"#a.c:1", "p#",     "0x0",       "a.c:5-5", "a.c:5-4", "./:1",
		"@g",     "f@",     "f@:3",      "p#@g",    "f@g#0",   "f@g#x",
	};

	for (size_t i = 0; i < RAROG_COUNT(bad); i++) {
		struct rarog_place_requests requests = { 0 };

		if (rarog_place_requests_add(&requests, bad[i]) != -EINVAL || requests.list.n > 0)
			fail_msg("%s", bad[i]);
		assert_non_null(strstr(rarog_error_message(), bad[i]));
		rarog_error_clear();
	}
}

/* Linux, arch/x86/kernel/uprobes.c; AVX is left alone because of what was seen on 6.18. */
TEST(which_instructions_the_kernel_steps_over_and_which_it_works_out)
{
	static const struct {
		enum rarog_probe_kind kind;
		uint8_t n, code[8];
	} all[] = {
		{ RAROG_PROBE_QUICK, 1, { 0x55 } },               /* push %rbp */
		{ RAROG_PROBE_STEPPED, 3, { 0x48, 0x89, 0xe5 } }, /* mov %rsp,%rbp */
		{ RAROG_PROBE_QUICK, 5, { 0xe8, 0, 0, 0, 0 } },   /* call */
		{ RAROG_PROBE_STEPPED,
		  8,
		  { 0x64, 0x8b, 0x04, 0x25, 0x28 } }, /* mov %fs:40,%eax … */
		{ RAROG_PROBE_REFUSED, 7, { 0x64, 0x8b, 0x04, 0x25, 0x28 } }, /* … cut off */
		{ RAROG_PROBE_STEPPED, 4, { 0xf3, 0x0f, 0x58, 0xc1 } },       /* addss */
		{ RAROG_PROBE_REFUSED, 4, { 0xf0, 0x48, 0xff, 0x00 } },       /* lock incq (%rax) */
		{ RAROG_PROBE_REFUSED, 5, { 0x2e, 0x0f, 0x1f, 0x40, 0x00 } }, /* a nop with %cs */
		{ RAROG_PROBE_REFUSED, 3, { 0x3e, 0xff, 0xe0 } },       /* notrack jmp *%rax */
		{ RAROG_PROBE_REFUSED, 4, { 0xc5, 0xf8, 0x28, 0xc1 } }, /* vmovaps */
		{ RAROG_PROBE_REFUSED,
		  6,
		  { 0x62, 0xf1, 0x7c, 0x48, 0x28, 0xc1 } },             /* vmovaps of 512 bits */
		{ RAROG_PROBE_QUICK, 1, { 0x90 } },                     /* nop */
		{ RAROG_PROBE_STEPPED, 4, { 0x0f, 0x1f, 0x40, 0x00 } }, /* nopl 0(%rax) */
		{ RAROG_PROBE_REFUSED, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } }, /* becomes a call */
		{ RAROG_PROBE_QUICK, 2, { 0x74, 0x02 } },                     /* je */
		{ RAROG_PROBE_STEPPED, 1, { 0xc3 } },                         /* ret */
		{ RAROG_PROBE_REFUSED, 1, { 0xcc } },                         /* int3 */
		{ RAROG_PROBE_REFUSED, 2, { 0x0f, 0x0b } },                   /* ud2 */
		{ RAROG_PROBE_REFUSED, 2, { 0x0f, 0x05 } },                   /* syscall */
		{ RAROG_PROBE_REFUSED, 1, { 0x06 } }, /* none in 64-bit mode */
	};

	for (size_t i = 0; i < RAROG_COUNT(all); i++)
		if (rarog_probe_kind(all[i].n, all[i].code) != all[i].kind)
			fail_msg("%zu: %02x %02x", i, all[i].code[0], all[i].code[1]);
}

static struct rarog_binary *binary;

static int open_binary(void **state)
{
	(void)state;
	return rarog_binary_open("/proc/self/exe", &binary);
}

static struct rarog_instruction_starts starts; /* of whichever function was asked last */

static int close_binary(void **state)
{
	(void)state;
	rarog_instruction_starts_release(&starts);
	rarog_binary_free(binary);
	return 0;
}

static bool begins_at(uint64_t address)
{
	rarog_cleanup(
		rarog_instruction_starts_release) struct rarog_instruction_starts other = { 0 };
	int fresh = rarog_instruction_starts_at(&other, binary, address);

	assert_int_equal(rarog_instruction_starts_at(&starts, binary, address), fresh);
	return fresh > 0;
}

/* Every row of the line table begins an instruction; most bytes after one begin none. */
TEST(lines_begin_where_instructions_do)
{
	rarog_cleanup(rarog_source_lines_release) struct rarog_source_lines lines = { 0 };
	size_t n = 0, between = 0;

	assert_int_equal(rarog_source_lines_read(binary, "test-places.c", &lines), 0);
	assert_non_null(lines.path);
	assert_null(lines.other);
	for (size_t i = 0; i < lines.rows.n; i++) {
		uint64_t address = lines.rows.v[i].address;

		/* after a function there may be a row of no code */
		if (lines.rows.v[i].is_end || lines.rows.v[i].line == 0 ||
		    rarog_binary_find(binary, address) < 0)
			continue;
		assert_true(begins_at(address));
		assert_true(i == 0 || lines.rows.v[i - 1].address <= address);
		for (uint64_t k = 1; k < 4; k++)
			between += !begins_at(address + k);
		n++;
	}
	assert_true(n > 100 && between > n);
	assert_false(begins_at(1));
	assert_int_equal(rarog_source_lines_next(&lines, 1000000, false), 0);
	assert_in_range(rarog_source_lines_next(&lines, 1, false), 20, 40);
}

TEST(a_file_is_called_by_the_end_of_its_path)
{
	static const struct {
		const char *file;
		bool is_there;
	} names[] = { { "test-places.c", true },
		      { "binary/test-places.c", true },
		      { "places.c", false },
		      { "y/test-places.c", false },
		      { "test-places.cc", false } };

	for (size_t i = 0; i < RAROG_COUNT(names); i++) {
		rarog_cleanup(rarog_source_lines_release) struct rarog_source_lines lines = { 0 };

		assert_int_equal(rarog_source_lines_read(binary, names[i].file, &lines), 0);
		assert_int_equal(lines.path != NULL, names[i].is_there);
		assert_int_equal(lines.rows.n > 0, names[i].is_there);
	}
}

static void request_for(struct rarog_plan *plan, int line, int length)
{
	rarog_cleanup(rarog_freep) char *text =
		length ? rarog_asprintf("test-places.c:%d-%d", line, line + length)
		       : rarog_asprintf("test-places.c:%d", line);

	assert_non_null(text);
	assert_int_equal(rarog_place_requests_add(&plan->places, text), 0);
}

static size_t count(const struct rarog_marks *marks, uint32_t name, uint8_t action)
{
	size_t n = 0;

	for (size_t i = 0; i < marks->v.n; i++)
		n += marks->v.v[i].name == name && marks->v.v[i].action == action;
	return n;
}

/* Whatever is asked of this file: each name has its places or a reason, regions have both ends. */
TEST(names_have_places_or_a_reason)
{
	rarog_cleanup(rarog_marks_release) struct rarog_marks marks = { 0 };
	struct rarog_plan plan = { .no_usdt = true };
	size_t points = 0, regions = 0;

	for (int line = 20; line < 200; line++) {
		request_for(&plan, line, 0);
		request_for(&plan, line, 1 + line % 9);
	}
	assert_int_equal(rarog_marks_find(binary, "self", &plan, &marks), 0);
	assert_int_equal(marks.names.n, plan.places.list.n);
	for (uint32_t i = 0; i < marks.names.n; i++) {
		size_t begins = count(&marks, i, RAROG_MARK_BEGIN);
		size_t ends = count(&marks, i, RAROG_MARK_STOP);
		size_t passed = count(&marks, i, RAROG_MARK_POINT);
		bool is_region = marks.names.v[i].is_region, is_left = marks.names.v[i].reason;

		assert_int_equal(begins > 0, is_region && !is_left);
		assert_int_equal(ends > 0, is_region && !is_left);
		assert_int_equal(passed > 0, !is_region && !is_left);
		regions += begins > 0;
		points += passed > 0;
	}
	assert_true(points > 50 && regions > 20);
	for (size_t i = 0; i < marks.v.n; i++)
		assert_true(begins_at(marks.v.v[i].address) &&
			    (i == 0 || marks.v.v[i - 1].address <= marks.v.v[i].address));
	rarog_place_requests_release(&plan.places);
}

/* --- dominators, by leaving a block out --- */

#define MOST 12

static bool comes_to(const struct rarog_code_graph *graph, uint32_t without, uint32_t block)
{
	bool is_seen[MOST] = { false }, is_more = true;

	while (is_more) {
		is_more = false;
		for (size_t i = 0; i < graph->edges.n; i++) {
			const struct rarog_code_graph_edge *e = &graph->edges.v[i];

			if (e->to == RAROG_GRAPH_OUTSIDE || e->to == without || is_seen[e->to] ||
			    (e->from != RAROG_GRAPH_OUTSIDE && !is_seen[e->from]))
				continue;
			is_seen[e->to] = is_more = true;
		}
	}
	return is_seen[block];
}

static void check_dominators(const struct rarog_code_graph *graph)
{
	rarog_cleanup(rarog_edge_index_release) struct rarog_edge_index into = { 0 }, out = { 0 };
	rarog_cleanup(rarog_dominators_release) struct rarog_dominators d = { 0 };

	assert_int_equal(rarog_edge_index_make(graph, true, &into), 0);
	assert_int_equal(rarog_edge_index_make(graph, false, &out), 0);
	assert_int_equal(rarog_dominators_make(&into, &out, &d), 0);
	for (uint32_t by = 0; by < graph->blocks.n; by++)
		for (uint32_t block = 0; block < graph->blocks.n; block++)
			assert_int_equal(rarog_dominators_has(&d, by, block),
					 !comes_to(graph, by, block));
}

TEST(dominators_are_on_every_way)
{
	struct rarog_code_graph_block blocks[MOST] = { { 0 } };
	struct rarog_code_graph_edge edges[3 * MOST];

	srand(1);
	for (int round = 0; round < 2000; round++) {
		uint32_t n = 1 + (uint32_t)rand() % MOST, n_edges = (uint32_t)rand() % (3 * MOST);
		struct rarog_code_graph graph = { .blocks = { blocks, n, n },
						  .edges = { edges, n_edges, n_edges } };

		for (uint32_t i = 0; i < n_edges; i++) {
			uint32_t from = (uint32_t)rand() % (n + 1), to = (uint32_t)rand() % (n + 1);

			edges[i] = (struct rarog_code_graph_edge){
				.from = from == n ? RAROG_GRAPH_OUTSIDE : from,
				.to = to == n ? RAROG_GRAPH_OUTSIDE : to,
			};
		}
		check_dominators(&graph);
	}
}

GROUP(open_binary, close_binary)
