/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of one thread, read back by the words' own rules (agent/abi.h). Oracle: the calls that a
 * sequence of return addresses' places means, worked out by hand. */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "agent/abi.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "engine/probed/strand.h"
#include "events/stream.h"

static void read_values(struct rarog_str *text, const uint16_t *w)
{
	rarog_str_addf(text, w[0] & RAROG_VALUES_RETURN ? ">" : "<");
	for (unsigned i = 0; i < (w[0] & 0xff); i++)
		rarog_str_addf(text, w[1] & 1u << i ? "? " : "%lu ",
			       rarog_stream_u64(w + 2 + 4 * i));
}

/* "+1" entry of function 1, "-" exit, "=2" two calls are open, "^1" inherited, "<4 5" values at a
 * beginning, ">6" at an end; times by '@'. */
static char *read_words(const struct rarog_probed_strand *s)
{
	struct rarog_str text = { 0 };
	uint64_t now = 0;

	for (size_t i = 0; i < s->words.n;) {
		const uint16_t *w = &s->words.v[i];
		int n = rarog_stream_record(s->words.n - i, w);

		assert_true(n > 0);
		i += (size_t)n;
		if (w[0] == RAROG_WORD_ESCAPE && w[1] == RAROG_ESCAPE_DEPTH)
			rarog_str_addf(&text, "=%u@%lu ", rarog_stream_u32(w + 2), now);
		else if (w[0] == RAROG_WORD_ESCAPE && w[1] == RAROG_ESCAPE_INHERIT)
			rarog_str_addf(&text, "^%u@%lu ", rarog_stream_u32(w + 2), now);
		else if (w[0] == RAROG_WORD_ESCAPE && w[1] == RAROG_ESCAPE_START)
			now = rarog_stream_u64(w + 2);
		else if (w[0] == RAROG_WORD_ESCAPE && w[1] == RAROG_ESCAPE_VALUES)
			read_values(&text, w + 2);
		else if (w[0] == RAROG_WORD_ESCAPE)
			now += rarog_stream_u64(w + 2);
		else if (w[0] & RAROG_WORD_ENTRY)
			rarog_str_addf(&text, "+%u@%lu ",
				       w[1] == RAROG_ID_WIDE ? rarog_stream_u32(w + 2) : w[1],
				       now += w[0] & 0x7fff);
		else
			rarog_str_addf(&text, "-@%lu ", now += w[0]);
	}
	return rarog_str_take(&text);
}

static void expect(struct rarog_probed_strand *s, const char *wanted)
{
	rarog_cleanup(rarog_freep) char *text = read_words(s);

	assert_string_equal(text, wanted);
	rarog_probed_strand_release(s);
}

TEST(calls_nest)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 1000, 1, 0x900);
	rarog_probed_strand_enter(&s, 1010, 2, 0x800);
	rarog_probed_strand_leave(&s, 1020, 2, 0x800);
	rarog_probed_strand_enter(&s, 1030, 70000, 0x800);
	rarog_probed_strand_leave(&s, 200000, 70000, 0x800);
	rarog_probed_strand_leave(&s, 200001, 1, 0x900);
	expect(&s, "+1@1000 +2@1010 -@1020 +70000@1030 -@200000 -@200001 ");
}

TEST(recursion_is_told_apart_by_the_stack)
{
	struct rarog_probed_strand s = { 0 };

	for (uint64_t i = 0; i < 3; i++)
		rarog_probed_strand_enter(&s, 10 + i, 1, 0x900 - 16 * i);
	for (uint64_t i = 3; i-- > 0;)
		rarog_probed_strand_leave(&s, 20 - i, 1, 0x900 - 16 * i);
	expect(&s, "+1@10 +1@11 +1@12 -@18 -@19 -@20 ");
}

/* The kernel tells the end of both. */
TEST(a_tail_call_ends_where_the_next_begins)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_enter(&s, 12, 2, 0x900);
	rarog_probed_strand_leave(&s, 15, 2, 0x900);
	rarog_probed_strand_leave(&s, 16, 1, 0x900);
	expect(&s, "+1@10 -@12 +2@12 -@15 ");
}

TEST(a_call_with_results_waits_for_them)
{
	static const bool has_results[] = { false, true, false };
	struct rarog_probed_strand s = { .has_results = has_results };

	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_enter(&s, 12, 2, 0x900);
	rarog_probed_strand_leave(&s, 15, 2, 0x900);
	rarog_probed_strand_leave(&s, 16, 1, 0x900);
	rarog_probed_strand_enter(&s, 20, 1, 0x900);
	rarog_probed_strand_enter(&s, 22, 2, 0x900); /* whose end is lost */
	rarog_probed_strand_leave(&s, 26, 1, 0x900);
	expect(&s, "+1@10 +2@12 -@15 -@16 +1@20 +2@22 =1@26 -@26 ");
}

TEST(frames_that_were_jumped_over_have_ended)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_enter(&s, 11, 2, 0x800);
	rarog_probed_strand_enter(&s, 12, 3, 0x700);
	rarog_probed_strand_enter(&s, 20, 4, 0x880);
	rarog_probed_strand_enter(&s, 21, 5, 0x700);
	rarog_probed_strand_leave(&s, 30, 1, 0x900);
	expect(&s, "+1@10 +2@11 +3@12 =1@20 +4@20 +5@21 =1@30 -@30 ");
}

TEST(an_end_without_a_beginning_is_nothing)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_leave(&s, 5, 9, 0x900);
	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_leave(&s, 11, 2, 0x900);
	rarog_probed_strand_leave(&s, 12, 2, 0x800);
	rarog_probed_strand_leave(&s, 13, 1, 0x900);
	expect(&s, "+1@10 -@13 ");
}

TEST(a_child_goes_on_in_the_calls_of_its_parent)
{
	struct rarog_probed_strand parent = { 0 }, child = { 0 };

	rarog_probed_strand_enter(&parent, 10, 1, 0x900);
	rarog_probed_strand_enter(&parent, 11, 2, 0x800);
	rarog_probed_strand_fork(&parent, 20, &child);
	rarog_probed_strand_leave(&child, 25, 2, 0x800);
	rarog_probed_strand_leave(&child, 26, 1, 0x900);
	expect(&child, "^1@20 ^2@20 -@25 -@26 ");
	rarog_probed_strand_release(&parent);
}

TEST(returns_that_are_too_deep_are_counted)
{
	struct rarog_probed_strand s = { 0 };

	for (uint64_t i = 0; i < 100; i++)
		rarog_probed_strand_enter(&s, 10 + i, 1, 0x9000 - 16 * i);
	rarog_probed_strand_leave(&s, 200, 1, 0x9000 - 16 * (RAROG_PROBED_DEPTH_MAX - 1));
	assert_int_equal(s.n_unseen, 100 - RAROG_PROBED_DEPTH_MAX);
	assert_int_equal(s.open.n, RAROG_PROBED_DEPTH_MAX - 1);
	rarog_probed_strand_release(&s);
}

/* Function 1 at 0x900 begins the region 7, calls 2, ends it. */
TEST(a_region_is_between_its_function_and_what_that_calls)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_begin(&s, 11, 7, 0x900, 1);
	rarog_probed_strand_enter(&s, 12, 2, 0x8f8);
	rarog_probed_strand_point(&s, 13, 9, 0x8f8);
	rarog_probed_strand_leave(&s, 14, 2, 0x8f8);
	rarog_probed_strand_stop(&s, 15, 7, 0x900);
	rarog_probed_strand_leave(&s, 16, 1, 0x900);
	assert_int_equal(s.n_unbegun, 0);
	expect(&s, "+1@10 +7@11 +2@12 +9@13 -@13 -@14 -@15 -@16 ");
}

TEST(a_region_ends_with_its_function)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_begin(&s, 11, 7, 0x900, 1);
	rarog_probed_strand_leave(&s, 12, 1, 0x900);
	rarog_probed_strand_enter(&s, 20, 1, 0x900);
	rarog_probed_strand_begin(&s, 21, 7, 0x900, 1);
	rarog_probed_strand_enter(&s, 22, 3, 0x900); /* jumped to */
	rarog_probed_strand_leave(&s, 23, 3, 0x900);
	expect(&s, "+1@10 +7@11 =1@12 -@12 +1@20 +7@21 =1@22 -@22 +3@22 -@23 ");
}

/* The next turn of a loop begins it anew at the same place; from another it is inside. */
TEST(a_region_that_begins_again_has_ended)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_begin(&s, 11, 7, 0x900, 1);
	rarog_probed_strand_begin(&s, 12, 7, 0x900, 1);
	rarog_probed_strand_begin(&s, 13, 7, 0x900, 2);
	rarog_probed_strand_stop(&s, 14, 7, 0x900);
	rarog_probed_strand_stop(&s, 15, 7, 0x900);
	expect(&s, "+1@10 +7@11 =1@12 +7@12 +7@13 -@14 -@15 ");
}

TEST(a_region_is_left_where_its_function_goes_on_and_none_of_the_calls_around)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_begin(&s, 11, 7, 0x900, 1);
	rarog_probed_strand_enter(&s, 12, 1, 0x800);
	rarog_probed_strand_left(&s, 13, 7, 0x800); /* it has begun none */
	rarog_probed_strand_begin(&s, 14, 7, 0x800, 1);
	rarog_probed_strand_enter(&s, 15, 2, 0x700);
	rarog_probed_strand_left(&s, 16, 7, 0x800);
	rarog_probed_strand_leave(&s, 17, 1, 0x800);
	rarog_probed_strand_stop(&s, 18, 7, 0x900);
	assert_int_equal(s.n_unbegun, 0);
	expect(&s, "+1@10 +7@11 +1@12 +7@14 +2@15 =3@16 -@17 -@18 ");
}

TEST(an_end_is_of_the_very_call_that_has_begun)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_stop(&s, 9, 7,
				 0x900); /* of a call before the measurement: says nothing */
	rarog_probed_strand_enter(&s, 10, 1, 0x900);
	rarog_probed_strand_begin(&s, 11, 7, 0x900, 1);
	rarog_probed_strand_enter(&s, 12, 1, 0x800);
	rarog_probed_strand_stop(&s, 13, 7, 0x800);
	rarog_probed_strand_begin(&s, 14, 8, 0x800, 2);
	rarog_probed_strand_stop(&s, 15, 7, 0x900); /* 8 was left */
	assert_int_equal(s.n_unbegun, 1);
	expect(&s, "+1@10 +7@11 +1@12 +8@14 =2@15 -@15 ");
}

static struct rarog_probed_record record(uint64_t ns, uint32_t function, uint64_t place, uint16_t n)
{
	return (struct rarog_probed_record){
		.event = { .ns = ns, .place = place, .number = function },
		.n = n,
		.unknown = 2,
		.values = { ns * 10, 0, ns * 10 + 1 },
	};
}

/* Function 1 at 0x900 passes the point 6, and begins and ends the region 7; all tell values. */
TEST(marks_tell_values)
{
	const struct rarog_probed_record point = record(12, 6, 0x900, 3),
					 begin = record(13, 7, 0x900, 1);
	const struct rarog_probed_record end = record(15, 7, 0x900, 2),
					 again = record(16, 7, 0x900, 2);
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 11, 1, 0x900);
	rarog_probed_strand_point_with(&s, &point);
	rarog_probed_strand_begin(&s, 13, 7, 0x900, 0);
	rarog_probed_strand_values(&s, &begin);
	rarog_probed_strand_enter(&s, 14, 2, 0x800);
	rarog_probed_strand_stop_with(&s, &end);
	rarog_probed_strand_stop_with(&s, &again); /* is of no region */
	rarog_probed_strand_leave(&s, 17, 1, 0x900);
	assert_int_equal(s.n_unbegun, 1);
	expect(&s, "+1@11 +6@12 <120 ? 121 -@12 +7@13 <130 +2@14 =2@15 >150 ? -@15 -@17 ");
}

TEST(regions_are_not_too_deep)
{
	struct rarog_probed_strand s = { 0 };

	rarog_probed_strand_enter(&s, 10, 1, 0x9000);
	for (uint32_t i = 0; i < 100; i++)
		rarog_probed_strand_begin(&s, 11 + i, 7, 0x9000, i);
	rarog_probed_strand_leave(&s, 200, 1, 0x9000);
	assert_int_equal(s.n_unseen, 0);
	assert_int_equal(s.open.n, 0);
	rarog_probed_strand_release(&s);
}
