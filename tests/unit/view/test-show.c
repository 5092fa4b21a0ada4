/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "view/term/sparkline.h"
#include "view/text.h"

static void clean(const char *from, bool ascii, const char *expected)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	assert_int_equal(rarog_text_add_clean(&text, from, ascii), 0);
	assert_string_equal(rarog_str_text(&text), expected);
}

static void nothing_unsafe_is_shown(void **state)
{
	(void)state;
	clean("", false, "");
	clean("operator<<(int)", false, "operator<<(int)");
	clean("a\033[2Jb\n\t\x7f", false, "a\\x1b[2Jb\\x0a\\x09\\x7f");
	clean("\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x8a", false,
	      "\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x8a");
	clean("\xc3\xa9", true, "\\u{e9}");
	clean("\xc2\x9b"
	      "31m",
	      false, "\\u{9b}31m"); /* CSI as one character */
	clean("\xe2\x80\xae"
	      "x\xe2\x81\xa6",
	      false, "\\u{202e}x\\u{2066}"); /* reordering */
	clean("\xef\xbb\xbf", false, "\\u{feff}");
	clean("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80", false,
	      "\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"); /* overlong, surrogate, too large */
	clean("cut\xe2\x82", false, "cut\\xe2\\x82");
}

static void invalid_bytes_become_replacement_characters(void **state)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	(void)state;
	rarog_text_add_utf8(&text, "a\xff\xc3\xa9\xe2\x82\n");
	assert_string_equal(text.text, "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\n");
}

static void long_names_lose_their_middle(void **state)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	(void)state;
	rarog_str_add(&text, "0123456789");
	assert_int_equal(rarog_text_elide(&text, 10, false), 0);
	assert_string_equal(text.text, "0123456789");
	rarog_text_elide(&text, 7, true);
	assert_string_equal(text.text, "012~789");
}

/* All of 25 ns against bars by hand: the axis is one decade from 10 to 100 ns, 15 cells. */
static void sparkline_draws_where_the_decade_says(void **state)
{
	const struct rarog_clock clock = { .hz = 1000000000 };
	const struct rarog_histogram_bucket buckets[] = {
		{ rarog_histogram_bucket(10), 1 },
		{ rarog_histogram_bucket(31), 8 }, /* log10 3.15 = 0.498: cell 7 */
		{ rarog_histogram_bucket(99), 4 },
	};
	struct rarog_summary summary = { .n_buckets = 3, .buckets = buckets };
	char text[3 * RAROG_SPARKLINE_CELLS + 1], title[48];
	struct rarog_axis axis = { 0 };

	(void)state;
	rarog_axis_add(&axis, &clock, &summary);
	rarog_axis_round(&axis);
	assert_int_equal(axis.low_ns, 10);
	assert_int_equal(axis.high_ns, 100);
	rarog_axis_title(&axis, true, sizeof(title), title);
	assert_string_equal(title, "10 ns .. 100 ns");
	rarog_sparkline(&axis, &clock, &summary, true, text);
	assert_string_equal(text, ".      @      =");
}

static void sparkline_survives_the_ends_of_the_range(void **state)
{
	const struct rarog_clock clock = { .hz = 1000000000 };
	const struct rarog_histogram_bucket buckets[] = { { 0, UINT64_MAX / 2 },
							  { RAROG_HISTOGRAM_BUCKETS - 1, 1 } };
	struct rarog_summary summary = { .n_buckets = 2, .buckets = buckets };
	char text[3 * RAROG_SPARKLINE_CELLS + 1], title[48];
	struct rarog_axis axis = { 0 }, empty = { 0 };

	(void)state;
	rarog_axis_add(&axis, &clock, &summary);
	rarog_axis_round(&axis);
	rarog_sparkline(&axis, &clock, &summary, true, text);
	assert_string_equal(text, "@             .");
	summary.n_buckets = 0;
	rarog_sparkline(&axis, &clock, &summary, true, text);
	assert_string_equal(text, "");
	rarog_axis_round(&empty);
	rarog_axis_title(&empty, false, sizeof(title), title);
	assert_string_equal(title, "durations");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_unsafe_is_shown),
		cmocka_unit_test(invalid_bytes_become_replacement_characters),
		cmocka_unit_test(long_names_lose_their_middle),
		cmocka_unit_test(sparkline_draws_where_the_decade_says),
		cmocka_unit_test(sparkline_survives_the_ends_of_the_range),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
