/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of SystemTap's scripts as events. Oracle: what the lines say, worked out by hand; RECORDED
 * lines are from tests/recorded/stap. */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "base/str.h"
#include "engine/stap/output.h"

struct seen {
	struct rarog_str text;
	bool is_ready;
};

static int take(void *context, const struct rarog_probed_event *event)
{
	static const char kinds[] = "+-fxeE.()!t";
	const struct rarog_probed_record *record = (const struct rarog_probed_record *)event;
	unsigned kind = event->kind & 0x7f, site = event->kind >> RAROG_PROBED_KIND;
	struct seen *seen = context;

	rarog_str_addf(&seen->text, "%u/%u%c%u@%llu", event->process, event->tid, kinds[kind],
		       event->number, event->ns);
	if (strchr("+-.()!", kinds[kind]))
		rarog_str_addf(&seen->text, ":%llx", event->place);
	if (site)
		rarog_str_addf(&seen->text, "#%x", site);
	if (event->kind & RAROG_PROBED_VALUES) {
		rarog_str_addf(&seen->text, "=%x", record->unknown);
		for (unsigned i = 0; i < record->n; i++)
			rarog_str_addf(&seen->text, ",%llx", record->values[i]);
	}
	rarog_str_add(&seen->text, " ");
	return event->ns == 666 ? -5 : 0;
}

static void ready(void *context)
{
	((struct seen *)context)->is_ready = true;
}

static int count(void *context, uint64_t function, uint64_t n)
{
	rarog_str_addf(&((struct seen *)context)->text, "n%lu=%lu ", function, n);
	return 0;
}

static int rest(void *context, uint32_t thread, uint32_t function, uint64_t n)
{
	rarog_str_addf(&((struct seen *)context)->text, "s%u/%u=%lu ", thread, function, n);
	return 0;
}

/* In pieces of @step bytes. */
static struct rarog_stap_output_totals feed(pid_t program, const char *text, size_t step,
					    const char *wanted)
{
	struct seen seen = { 0 };
	const struct rarog_stap_output_options options = {
		.program = program,
		.take = take,
		.ready = ready,
		.count = count,
		.rest = rest,
		.context = &seen,
	};
	rarog_cleanup(rarog_stap_output_freep) struct rarog_stap_output *output = NULL;
	size_t n = strlen(text);

	assert_int_equal(rarog_stap_output_new(&options, &output), 0);
	for (size_t i = 0; i < n; i += step)
		assert_int_equal(
			rarog_stap_output_feed(output, n - i < step ? n - i : step, text + i), 0);
	assert_string_equal(rarog_str_text(&seen.text), wanted);
	assert_int_equal(seen.is_ready, strstr(text, "ready\n") != NULL);
	rarog_str_release(&seen.text);
	return rarog_stap_output_totals(output);
}

/* RECORDED: the program begins, a thread calls, forks inside a call, ends; the child, too. */
TEST(own_lines_are_events)
{
	static const char lines[] = "7 93 93 88 7518425410;rarog\n"
				    "ready\n"
				    "7 93 93 88 7666443511;t\n"
				    "0 93 93 7787667496;2 7ffc60c4e9e8\n"
				    "0 101 93 7849333343;0 7f5e7e22dec8\n"
				    "7 102 102 93 7866890680;t 101\n"
				    "7 102 102 93 7874820646;t\n"
				    "1 102 102 7920811117;0 7f5e7e22dec8\n"
				    "8 102 102 93 7921573525;t\n"
				    "6 101 93 7942162992;t\n"
				    "7 93 93 88 8149098404;t\n"
				    "written 10\n";
	static const char wanted[] = "93/93x0@7666443511 93/93+2@7787667496:7ffc60c4e9e8 "
				     "93/101+0@7849333343:7f5e7e22dec8 93/101f102@7866890680 "
				     "102/102-0@7920811117:7f5e7e22dec8 102/102E0@7921573525 "
				     "93/101e0@7942162992 93/93x0@8149098404 ";

	for (size_t step = 1; step < 80; step += 13) {
		struct rarog_stap_output_totals totals = feed(93, lines, step, wanted);

		assert_int_equal(totals.lines, 10);
		assert_int_equal(totals.written, 10);
		assert_int_equal(totals.damaged, 0);
		assert_true(totals.is_whole);
	}
}

/* The program runs "rep 5"; a child that is called so is made by the thread 9, begins, and runs
 * another program. */
TEST(names_end_in_numbers)
{
	static const char lines[] = "7 93 93 88 10;rarog 0\n"
				    "7 93 93 88 20;rep 5 0\n"
				    "7 102 102 93 30;rep 5 9\n"
				    "7 102 102 93 40;rep 5 0\n"
				    "7 102 102 93 50;rep 6 0\n";

	feed(93, lines, 1000, "93/93x0@20 93/9f102@30 102/102x0@50 ");
}

/* As the documents' collector prints it: no process with a call, no place: calls end as they are
 * nested, and what ends inside has no end of its own. */
TEST(other_scripts_lines_are_events)
{
	static const char lines[] = "7 50 50 1 10;compress\n"
				    "5 51 50 20;compress\n"
				    "0 51 30;4\n"
				    "0 51 40;5\n"
				    "0 51 50;4\n"
				    "1 51 60;4\n"
				    "0 51 70;6\n"
				    "1 51 80;4\n"
				    "1 51 90;5\n"
				    "6 51 50 95;compress\n"
				    "8 50 50 1 99;compress\n";

	feed(0, lines, 1000,
	     "50/51+4@30:7ffffffffff0 50/51+5@40:7fffffffffe0 50/51+4@50:7fffffffffd0 "
	     "50/51-4@60:7fffffffffd0 50/51+6@70:7fffffffffd0 50/51-4@80:7ffffffffff0 "
	     "50/51e0@95 50/50E0@99 ");
}

TEST(counts_are_told)
{
	struct rarog_stap_output_totals totals;

	totals = feed(7, "ready\nn 3 18446744073709551615\nn 0 1\nwritten 5\n", 1000,
		      "n3=18446744073709551615 n0=1 ");
	assert_int_equal(totals.lines, 0);
	assert_int_equal(totals.written, 5);
}

/* Written by hand, not recorded. */
TEST(marks_and_values_are_told)
{
	static const char lines[] = "0 9 8 10;2 7ffc0010:5 1f ffffffffffffffff 0\n"
				    "3 9 8 11;4 7ffc0010 1158\n"
				    "2 9 8 12;5 7ffc0010 ffffff:0 2a\n"
				    "3 9 8 13;6 7ffc0010 1160:0\n"
				    "4 9 8 14;6 7ffc0010 1164:1 0\n"
				    "4 9 8 15;4 7ffc0010 0\n"
				    "1 9 8 16;2 7ffc0010:0 1\n"
				    "10 9 8 17;4 7ffc0010 1170\n"
				    "written 8\n";

	for (size_t step = 1; step < 80; step += 13)
		assert_int_equal(
			feed(8, lines, step,
			     "8/9+2@10:7ffc0010=5,1f,ffffffffffffffff,0 8/9(4@11:7ffc0010#1158 "
			     "8/9.5@12:7ffc0010#ffffff=0,2a 8/9(6@13:7ffc0010#1160=0 "
			     "8/9)6@14:7ffc0010#1164=1,0 8/9)4@15:7ffc0010 "
			     "8/9-2@16:7ffc0010=0,1 8/9!4@17:7ffc0010#1170 ")
				.lines,
			8);
}

/* Written by hand, not recorded. */
TEST(calls_left_out_are_told)
{
	struct rarog_stap_output_totals totals;

	totals = feed(8,
		      "9 9 8 10;1\n0 9 8 11;2 10\ns 1 2 3\ns 2 0 99999\ncrowded 12\noutside "
		      "7\nwritten 2\n",
		      1000, "8/9t1@10 8/9+2@11:10 s1/2=3 s2/0=99999 ");
	assert_int_equal(totals.lines, 2);
	assert_int_equal(totals.damaged, 0);
	assert_int_equal(totals.crowded, 12);
	assert_int_equal(totals.outside, 7);
}

TEST(damaged_lines_are_counted)
{
	static const char *const damaged[] = {
		"0 1 1 5",      "0 1;2 3",
		"0 1 1 x;2 3",  "0 1 1 5;2 3 4",
		"0 1 1 5;-2 3", "hello",
		"0 1 1 5;2 g",  "12 1 1 5;2",
		"2 1 1 5;0",    "0 1 1 5;4294967296 1",
		"n 1",          "written many",
		"n 1 2 3",      "0 4294967296 1 5;1 1",
		"2 1 1 5;0 1",  "2 1 1 5;0 1 1000000",
		"3 1 1 5;0",    "4 1 1 5;0 1 2 3",
		"9 1 1 5;0",    "9 1 1 5;4194305",
		"9 1 1 5;1 2",  "0 1 1 5;2 3:",
		"0 1 1 5;2:0",  "0 1 1 5;2 3:10000 1",
		"s 1 2",        "0 1 1 5;2 3:0 1 x",
		"crowded x",    "0 1 1 5;2 3:0 1 2 3 4 5 6 7 8 9 a b c d e",
		"readyx",       "s 4294967296 1 1",
	};
	char line[2000];

	for (size_t i = 0; i < RAROG_COUNT(damaged); i++) {
		snprintf(line, sizeof(line), "%s\n0 1 1 5;2 3\n", damaged[i]);
		assert_int_equal(feed(1, line, 7, "1/1+2@5:3 ").damaged, 1);
	}
	memset(line, '0', sizeof(line));
	memcpy(line + 1900, "\n0 1 1 5;2 3\n", sizeof("\n0 1 1 5;2 3\n"));
	assert_int_equal(feed(1, line, 7, "1/1+2@5:3 ").damaged, 1);
}

TEST(errors_of_the_taker_end_it)
{
	static const char line[] = "0 1 1 666;2 3\n";
	struct seen seen = { 0 };
	const struct rarog_stap_output_options options = { .take = take, .context = &seen };
	rarog_cleanup(rarog_stap_output_freep) struct rarog_stap_output *output = NULL;

	assert_int_equal(rarog_stap_output_new(&options, &output), 0);
	assert_int_equal(rarog_stap_output_feed(output, sizeof(line) - 1, line), -5);
	rarog_str_release(&seen.text);
}
