/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file of unit tests: TEST(what_is_so) { ... } for each, and no list of them, from which one
 * could be missing. They run in the order in which they stand. TEST_WITH() has cmocka's set-up and
 * tear-down of the test, GROUP() that of the file.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct CMUnitTest unit_tests[64];
static size_t unit_tests_n;
static CMFixtureFunction unit_set_up, unit_tear_down;

#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                                         \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		const struct CMUnitTest test = { #name, name, set_up, tear_down, NULL };           \
                                                                                                   \
		unit_tests[unit_tests_n++] = test;                                                 \
	}                                                                                          \
	static void name(__attribute__((unused)) void **state)
#define GROUP(set_up, tear_down)                                                                   \
	__attribute__((constructor)) static void set_group(void)                                   \
	{                                                                                          \
		unit_set_up = set_up, unit_tear_down = tear_down;                                  \
	}

int main(void)
{
	return _cmocka_run_group_tests("tests", unit_tests, unit_tests_n, unit_set_up,
				       unit_tear_down);
}

#endif
