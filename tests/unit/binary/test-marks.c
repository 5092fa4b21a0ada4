/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of pairs, and what jumps may be written inside functions. Oracles: pairs worked out by
 * hand; hand-written code (mark-sites.S), whose labels say what must come out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/mark-site.h"
#include "binary/usdt-argument.h"
#include "binary/usdt.h"
#include "plan/marks.h"

TEST(a_region_is_called_what_its_ends_have_in_common)
{
	static const struct {
		const char *begin, *end, *name;
	} pairs[] = {
		{ "query__start", "query__done", "query" },
		{ "load_begin", "load_end", "load" },
		{ "gc-start-major", "gc-done-major", "gc-major" },
		{ "start_load", "stop_load", "load" },
		{ "begin", "end", "begin" },
		{ "a__b__entry", "a__b__return", "a__b" },
	};

	for (size_t i = 0; i < RAROG_COUNT(pairs); i++) {
		rarog_cleanup(rarog_freep) char *name =
			rarog_usdt_region_name(pairs[i].begin, pairs[i].end);

		assert_true(rarog_usdt_begins(pairs[i].begin, pairs[i].end));
		assert_string_equal(name, pairs[i].name);
	}
}

/* Of this program: mark-sites.S */
static struct rarog_binary *binary;

static int open_binary(void **state)
{
	(void)state;
	return rarog_binary_open("/proc/self/exe", &binary);
}

static int close_binary(void **state)
{
	(void)state;
	rarog_binary_free(binary);
	return 0;
}

/* The note called @name. */
static struct rarog_usdt find_note(const char *name)
{
	rarog_cleanup(rarog_usdts_release) struct rarog_usdts usdts = { 0 };

	assert_int_equal(rarog_usdts_read(binary, &usdts), 0);
	for (size_t i = 0; i < usdts.n; i++)
		if (strcmp(usdts.v[i].name, name) == 0)
			return usdts.v[i];
	fail_msg("no note is called %s", name);
	return (struct rarog_usdt){ 0 };
}

static struct rarog_mark_site judge(const char *name)
{
	uint64_t address = find_note(name).address;
	struct rarog_mark_site site;

	assert_int_equal(rarog_mark_sites(binary, 1, &address, &site), 0);
	return site;
}

TEST(where_a_jump_may_be_written)
{
	static const struct {
		const char *name;
		enum rarog_mark_verdict verdict;
		uint8_t before, length;
	} wanted[] = {
		{ "whole", RAROG_MARK_OK, 0, 5 },           /* a nop and one of four bytes */
		{ "short", RAROG_MARK_OK, 0, 8 },           /* a nop, and what follows it */
		{ "target", RAROG_MARK_OK, 0, 5 },          /* jumped to itself */
		{ "guarded", RAROG_MARK_OK, 5, 1 },         /* jumped over: from the test on */
		{ "aside", RAROG_MARK_TARGET, 0, 0 },       /* jumped to, and what follows, too */
		{ "last", RAROG_MARK_END, 0, 0 },           /* nothing behind it */
		{ "behind_call", RAROG_MARK_TARGET, 0, 0 }, /* only a call is before it */
		{ "system", RAROG_MARK_MOVE, 0, 0 },        /* a system call is after it */
	};

	for (size_t i = 0; i < RAROG_COUNT(wanted); i++) {
		struct rarog_mark_site site = judge(wanted[i].name);

		if (site.verdict != wanted[i].verdict || site.before != wanted[i].before ||
		    site.length != wanted[i].length)
			fail_msg("%s: %s, %u before, %u bytes", wanted[i].name,
				 rarog_mark_reason((enum rarog_mark_verdict)site.verdict),
				 site.before, site.length);
	}
}

TEST(where_the_return_address_is)
{
	struct rarog_return_place at_entry = judge("whole").return_place;
	struct rarog_return_place pushed = judge("short").return_place;
	struct rarog_return_place framed = judge("target").return_place;

	assert_int_equal(at_entry.from, RAROG_RETURN_FROM_RSP);
	assert_int_equal(at_entry.offset, 0);
	assert_int_equal(pushed.from, RAROG_RETURN_FROM_RSP);
	assert_int_equal(pushed.offset, 24);
	assert_int_equal(framed.from, RAROG_RETURN_FROM_RBP);
	assert_int_equal(framed.offset, 8);
	assert_int_equal(judge("system").return_place.from, RAROG_RETURN_UNKNOWN);
}

TEST(one_long_nop_is_told)
{
	assert_true(judge("long_nop").is_long_nop);
	assert_false(judge("whole").is_long_nop);
}

TEST(an_address_is_where_an_instruction_begins)
{
	uint64_t address = find_note("short").address + 2; /* inside of what follows */
	struct rarog_mark_site site;

	assert_int_equal(rarog_mark_sites(binary, 1, &address, &site), 0);
	assert_int_equal(site.verdict, RAROG_MARK_MIDDLE);
	address = 1;
	assert_int_equal(rarog_mark_sites(binary, 1, &address, &site), 0);
	assert_int_equal(site.verdict, RAROG_MARK_NOWHERE);
}

static const struct rarog_mark_name *find_name(const struct rarog_marks *marks, const char *text)
{
	for (size_t i = 0; i < marks->names.n; i++)
		if (strcmp(marks->names.v[i].text, text) == 0)
			return &marks->names.v[i];
	return NULL;
}

TEST(pairs_of_one_function_are_regions)
{
	rarog_cleanup(rarog_marks_release) struct rarog_marks marks = { 0 };
	struct rarog_plan plan = { 0 };

	assert_int_equal(rarog_marks_find(binary, "self", &plan, &marks), 0);
	assert_true(find_name(&marks, "unit:together")->is_region);
	assert_null(find_name(&marks, "unit:together__begin"));
	assert_false(find_name(&marks, "unit:apart__begin")->is_region);
	assert_false(find_name(&marks, "unit:apart__end")->is_region);
	/* in two functions, of which one lacks the end */
	assert_false(find_name(&marks, "unit:partly__begin")->is_region);
	/* nothing says where the frame is */
	assert_false(find_name(&marks, "unit:unknown__begin")->is_region);
	assert_int_equal(marks.n_apart, 3);
	for (size_t i = 1; i < marks.v.n; i++)
		assert_true(marks.v.v[i - 1].address < marks.v.v[i].address);
}

TEST(patterns_name_both_ends_or_what_they_have_in_common)
{
	static const char *const patterns[] = { "together", "unit:together", "unit:together__*" };

	for (size_t i = 0; i < RAROG_COUNT(patterns); i++) {
		rarog_cleanup(rarog_marks_release) struct rarog_marks marks = { 0 };
		struct rarog_plan plan = { 0 };

		assert_int_equal(rarog_match_include(&plan.usdt, patterns[i]), 0);
		assert_int_equal(rarog_marks_find(binary, "self", &plan, &marks), 0);
		assert_int_equal(marks.names.n, 1);
		assert_string_equal(marks.names.v[0].text, "unit:together");
		assert_int_equal(marks.v.n, 2);
		rarog_marks_drop_ends(&marks);
		assert_int_equal(marks.v.n, 1);
		rarog_marks_leave_out(&marks, 0, "for a reason");
		assert_int_equal(marks.v.n, 0);
		assert_string_equal(marks.names.v[0].reason, "for a reason");
		rarog_match_release(&plan.usdt);
	}
}

static void assert_same_argument(const struct rarog_usdt_argument *a,
				 const struct rarog_usdt_argument *b)
{
	assert_int_equal(a->source, b->source);
	assert_int_equal(a->base, b->base);
	assert_int_equal(a->index, b->index);
	assert_int_equal(a->scale, b->scale);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->shift, b->shift);
	assert_int_equal(a->is_signed, b->is_signed);
	assert_int_equal(a->is_float, b->is_float);
	assert_int_equal(a->is_place, b->is_place);
	assert_int_equal(a->number, b->number);
}

uint32_t marks_test_variable; /* as a probe's argument names it */

/* Worked out by hand from the assembler's syntax; symbols: the address that nm shows. */
TEST(arguments_are_where_the_note_says)
{
	enum { NONE = RAROG_USDT_NO_REGISTER };
	static const struct {
		const char *text;
		struct rarog_usdt_argument is;
	} notes[] = {
		{ "8@%rdi", { RAROG_USDT_GENERAL, 7, NONE, 1, 8 } },
		{ "-4@%eax", { RAROG_USDT_GENERAL, 0, NONE, 1, 4, 0, true } },
		{ "2@%r13w", { RAROG_USDT_GENERAL, 13, NONE, 1, 2 } },
		{ "1@%r8b", { RAROG_USDT_GENERAL, 8, NONE, 1, 1 } },
		{ "-1@%bh", { RAROG_USDT_GENERAL, 3, NONE, 1, 1, 8, true } },
		{ "1@%sil", { RAROG_USDT_GENERAL, 6, NONE, 1, 1 } },
		{ "8f@%xmm11", { RAROG_USDT_VECTOR, 11, NONE, 1, 8, 0, false, true } },
		{ "-8@$-77", { RAROG_USDT_NUMBER, NONE, NONE, 1, 8, 0, true, false, false, -77 } },
		{ "4@$0x10", { RAROG_USDT_NUMBER, NONE, NONE, 1, 4, .number = 16 } },
		{ "4@(%rsp)", { RAROG_USDT_MEMORY, 4, NONE, 1, 4 } },
		{ "8@-20(%rbp)", { RAROG_USDT_MEMORY, 5, NONE, 1, 8, .number = -20 } },
		{ "8@8+16(%r12,%rax,4)", { RAROG_USDT_MEMORY, 12, 0, 4, 8, .number = 24 } },
		{ "8@24(,%rcx,8)", { RAROG_USDT_MEMORY, NONE, 1, 8, 8, .number = 24 } },
		{ "8@(%rbx,%rdx)", { RAROG_USDT_MEMORY, 3, 2, 1, 8 } },
	};
	static const char *const bad[] = {
		"%rdi",       "3@%rdi",    "8@%rip",          "8@%rax7",  "8@%r16",
		"8@16",       "8@(%rax",   "8@(%rax,%rbx,3)", "8@%xmm16", "2f@%xmm0",
		"8@",         "@%rdi",     "8@no_such(%rip)", "4@%st(0)", "8@%rax,%rbx",
		"8@-a(%rax)", "8@4(%rip)", "8@(%ah)",         "8@%",      "-@%rax",
	};
	struct rarog_usdt_argument got[RAROG_USDT_ARGUMENTS];
	uint64_t address;

	for (size_t i = 0; i < RAROG_COUNT(notes); i++) {
		assert_int_equal(rarog_usdt_arguments(binary, notes[i].text, got), 1);
		assert_same_argument(&got[0], &notes[i].is);
	}
	for (size_t i = 0; i < RAROG_COUNT(bad); i++) {
		assert_int_equal(rarog_usdt_arguments(binary, bad[i], got), 1);
		assert_int_equal(got[0].source, RAROG_USDT_UNKNOWN);
	}
	assert_true(rarog_binary_symbol(binary, "marks_test_variable", &address));
	assert_int_equal(
		rarog_usdt_arguments(binary, " 8@%rax  4@marks_test_variable+4(%rip) ", got), 2);
	assert_int_equal(got[1].source, RAROG_USDT_MEMORY);
	assert_true(got[1].is_place);
	assert_int_equal(got[1].number, address + 4);
	assert_int_equal(rarog_usdt_arguments(binary, "", got), 0);
	assert_int_equal(rarog_usdt_arguments(binary,
					      "1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 "
					      "1@$1 1@$1 1@$1",
					      got),
			 RAROG_USDT_ARGUMENTS);
}

GROUP(open_binary, close_binary)
