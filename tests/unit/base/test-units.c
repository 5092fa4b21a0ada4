/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"

TEST(times_have_four_digits)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },
		{ 7, "7 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.000 us" },
		{ 12345, "12.35 us" },
		{ 123456, "123.5 us" },
		{ 999949, "999.9 us" },
		{ 999960, "1.000 ms" }, /* rounding carries into the next unit */
		{ 9999600, "10.00 ms" },
		{ 1500000000, "1.500 s" },
		{ UINT64_C(61000000000), "61.00 s" },
		{ UINT64_C(7380000000000), "2h 03m" },
		{ UINT64_MAX, "5124095h 34m" },
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++)
		assert_string_equal(rarog_format_ns(cases[i].ns).text, cases[i].text);
}

TEST(sizes_and_counts)
{
	assert_string_equal(rarog_format_bytes(0).text, "0 B");
	assert_string_equal(rarog_format_bytes(1023).text, "1023 B");
	assert_string_equal(rarog_format_bytes(1024).text, "1.000 KiB");
	assert_string_equal(rarog_format_bytes(12 << 20).text, "12.00 MiB");
	assert_string_equal(rarog_format_bytes(UINT64_MAX).text, "16777216 TiB");
	assert_string_equal(rarog_format_count(0).text, "0");
	assert_string_equal(rarog_format_count(999).text, "999");
	assert_string_equal(rarog_format_count(1000).text, "1,000");
	assert_string_equal(rarog_format_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
	assert_string_equal(rarog_format_short_count(999).text, "999");
	assert_string_equal(rarog_format_short_count(12345678).text, "12.35 M");
	assert_string_equal(rarog_format_percent(1, 0).text, "-");
	assert_string_equal(rarog_format_percent(1, 1).text, "100.0 %");
	assert_string_equal(rarog_format_percent(1, 2000).text, "0.05 %");
}

static uint64_t duration(const char *text)
{
	uint64_t ns = 42;

	assert_int_equal(rarog_parse_duration(text, &ns), 0);
	return ns;
}

static uint64_t size(const char *text)
{
	uint64_t bytes = 42;

	assert_int_equal(rarog_parse_size(text, &bytes), 0);
	return bytes;
}

TEST(durations_are_read)
{
	static const char *const bad[] = { "",    "s",    "-1s", " 1s", "1 s", "1x",
					   "0x1", "1e3s", "inf", ".5s", "1s2", "99999999999h" };
	uint64_t ns = 42;

	assert_true(duration("30") == UINT64_C(30000000000));
	assert_true(duration("30s") == UINT64_C(30000000000));
	assert_true(duration("1.5m") == UINT64_C(90000000000));
	assert_true(duration("200ms") == 200000000);
	assert_true(duration("10us") == 10000 && duration("10\xc2\xb5s") == 10000);
	assert_true(duration("1h30m") == UINT64_C(5400000000000));
	assert_true(duration("9007199254740993ns") == UINT64_C(9007199254740993)); /* 2^53 + 1 */
	for (size_t i = 0; i < RAROG_COUNT(bad); i++)
		assert_int_equal(rarog_parse_duration(bad[i], &ns), -EINVAL);
	assert_true(ns == 42);
}

TEST(sizes_are_read)
{
	static const char *const bad[] = { "", "K", "-1", "1KK", "1BB", "1BiB", "1 K", "8192P" };
	uint64_t bytes = 42;

	assert_true(size("4096") == 4096 && size("4096B") == 4096);
	assert_true(size("64K") == 65536 && size("64k") == 65536 && size("64KiB") == 65536);
	assert_true(size("64kb") == 65536);
	assert_true(size("1.5GiB") == UINT64_C(1610612736));
	assert_true(size("1T") == UINT64_C(1) << 40);
	for (size_t i = 0; i < RAROG_COUNT(bad); i++)
		assert_int_equal(rarog_parse_size(bad[i], &bytes), -EINVAL);
	assert_true(bytes == 42);
}

TEST(truths_have_three_words_each)
{
	static const struct {
		const char *text;
		bool is_truth, value;
	} cases[] = {
		{ "yes", true, true },    { "No", true, false },     { "TRUE", true, true },
		{ "false", true, false }, { "on", true, true },      { "off", true, false },
		{ "", false, false },     { "maybe", false, false }, { "1", false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool value = false;

		assert_int_equal(rarog_parse_truth(cases[i].text, &value), cases[i].is_truth);
		assert_int_equal(value, cases[i].value);
	}
}
