/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates of names: every tag, widths, what is made safe, and what is wrong. */
#include <errno.h>
#include <locale.h>
#include <time.h>

#include "unit.h"

#include "base/error.h"
#include "store-sample.h"
#include "store/template.h"

static const char header[] =
	"{\"command\":[\"/usr/bin/my prog\",\"-x\",\"a b\"],\"workload\":\"in/one.txt\","
	"\"collector\":\"trace\",\"engine\":\"inline\",\"detail\":\"calls\",\"label\":\"before\","
	"\"parameters\":{\"libs\":true,\"within\":\"main\",\"func\":[\"f\",\"g*\"]},"
	"\"job\":{\"name\":\"bench\",\"command\":\"bin/"
	"prog\",\"arguments\":\"-q\",\"workload\":\"w\"},"
	"\"configuration\":{\"level\":\"6\",\"fast\":\"true\"},"
	"\"commit\":\"0123456789abcdef\",\"started_ns\":1700000000123456789}";

static int facts_of(void **state)
{
	static struct rarog_facts facts;

	setlocale(LC_ALL, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	tzset();
	*state = &facts;
	if (sample_enter(state) < 0)
		return -1;
	*state = &facts;
	return rarog_facts_parse("header", header, &facts);
}

static int facts_end(void **state)
{
	rarog_facts_release(*state);
	return sample_leave(state);
}

TEST(tags_have_the_headers_values)
{
	static const struct {
		const char *format, *file;
	} names[] = {
		{ "%cmd%-%options%", "prog-fast=true_level=6.rarog" },
		{ "%collector%-%cmd%-%workload%-%date%", "trace-prog-w-2023-11-14-22-13-20.rarog" },
		{ "%engine%,%args%,%type%", "inline,-q,mixed.rarog" },
		{ "%origin:8%_%label%_%job%", "01234567_before_bench.rarog" },
		{ "%counter%", "7.rarog" },
		{ "x.rarog", "x.rarog" },
		/* parameters, as they stand in JSON if they are no texts */
		{ "%trace.detail%-%trace.within%-%trace.libs%", "calls-main-true.rarog" },
		{ "%trace.func%", "__f_,_g___.rarog" },
		/* without a value: with the separator */
		{ "%cmd%-%postprocessors%-%date:4%", "prog-2023.rarog" },
		{ "%postprocessors%-%cmd%", "prog.rarog" },
		{ "%trace.nothing%", "profile.rarog" },
		/* safe: no path, no option, no hidden file, no surprise for a shell */
		{ "a/b c;d%%e", "a_b_c_d_e.rarog" },
		{ "-rf", "_rf.rarog" },
		{ ".hidden", "_hidden.rarog" },
		{ "%args:2%%cmd:2%", "_qpr.rarog" },
	};

	for (size_t i = 0; i < RAROG_COUNT(names); i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };

		assert_int_equal(rarog_template_file(names[i].format, *state, 7, &name), 0);
		assert_string_equal(name.text, names[i].file);
	}
}

TEST(names_are_short_enough)
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	char format[1001] = "";

	memset(format, 'x', 1000);
	assert_int_equal(rarog_template_file(format, *state, 0, &name), 0);
	assert_int_equal(name.length, 200);
	assert_true(rarog_ends_with(name.text, "x.rarog"));
}

TEST(paths_are_the_users)
{
	static const struct {
		const char *format, *path;
	} paths[] = {
		{ "out dir/%cmd%.html", "out dir/prog.html" },
		{ "../%label%-%origin:4%", "../before-0123" },
		{ "/tmp/%trace.nothing%-%cmd%", "/tmp/prog" },
		{ "%%%cmd%%%", "%prog%" },
	};

	for (size_t i = 0; i < RAROG_COUNT(paths); i++) {
		rarog_cleanup(rarog_freep) char *path = NULL;

		assert_int_equal(rarog_template_path(paths[i].format, *state, &path), 0);
		assert_string_equal(path, paths[i].path);
	}
}

TEST(counters_find_a_free_name)
{
	for (int i = 1; i <= 3; i++) {
		rarog_cleanup(rarog_freep) char *path = NULL;
		rarog_cleanup(rarog_freep) char *expected = rarog_asprintf("prog.%d", i);

		assert_int_equal(rarog_template_path("%cmd%.%counter%", *state, &path), 0);
		assert_string_equal(path, expected);
		fclose(fopen(path, "we"));
	}
}

TEST(wrong_templates_are_named)
{
	static const struct {
		const char *format, *message;
	} wrong[] = {
		{ "%cmdd%", "template '%cmdd%': there is no tag %cmdd%; did you mean cmd?" },
		{ "a%cmd", "template 'a%cmd': a '%' has no end; write %% for a percent sign" },
		{ "%cmd:x%", "template '%cmd:x%': 'x' is not a width (1 ... 1000)" },
		{ "%cmd:0%", "template '%cmd:0%': '0' is not a width (1 ... 1000)" },
		{ "%cmd:1001%", "template '%cmd:1001%': '1001' is not a width (1 ... 1000)" },
		{ "%.detail%", "template '%.detail%': there is no tag %.detail%" },
	};
	rarog_cleanup(rarog_freep) char *path = NULL;

	for (size_t i = 0; i < RAROG_COUNT(wrong); i++) {
		assert_int_equal(rarog_template_check(wrong[i].format), -EINVAL);
		assert_string_equal(rarog_error_message(), wrong[i].message);
		assert_int_equal(rarog_template_path(wrong[i].format, *state, &path), -EINVAL);
	}
	assert_int_equal(rarog_template_path("%trace.nothing%", *state, &path), -EINVAL);
	assert_null(path);
}

TEST(plain_names_are_left_alone)
{
	static const char *const plain[] = { "a.rarog", "100%", "50% of 100%", "%",
					     "%%cmd%%", "%02d", "% cmd%" };
	static const char *const templates[] = { "%cmd%", "a%nosuch%", "100%-%cmd:3%",
						 "%trace.libs%" };

	for (size_t i = 0; i < RAROG_COUNT(plain); i++)
		assert_false(rarog_template_is_one(plain[i]));
	for (size_t i = 0; i < RAROG_COUNT(templates); i++)
		assert_true(rarog_template_is_one(templates[i]));
	assert_true(rarog_template_counts("a%counter%"));
	assert_false(rarog_template_counts("%%counter%%"));
}

TEST(lines_are_padded_by_columns)
{
	const struct rarog_template_tag tags[] = { { "name", "\u4e2d\u6587x" }, { "empty", NULL } };
	static const struct {
		const char *format, *line;
	} lines[] = {
		{ "%name%|", "\u4e2d\u6587x|" },  { "%name:7%|", "\u4e2d\u6587x  |" },
		{ "%name:4%|", "\u4e2d\u6587|" }, { "%name:3%|", "\u4e2d |" },
		{ "%empty:2%|%empty%", "  |" },   { "100%%", "100%" },
	};

	for (size_t i = 0; i < RAROG_COUNT(lines); i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };

		assert_int_equal(
			rarog_template_line(lines[i].format, RAROG_COUNT(tags), tags, &line), 0);
		assert_string_equal(line.text, lines[i].line);
	}
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };

	assert_int_equal(rarog_template_line("%nam%", RAROG_COUNT(tags), tags, &line), -EINVAL);
	assert_string_equal(rarog_error_message(),
			    "template '%nam%': there is no tag %nam%; did you mean name?");
}

GROUP(facts_of, facts_end)
