/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/match.h"
#include "base/short-name.h"

static bool means(struct rarog_match *match, const char *name)
{
	return rarog_match_test(match, 1, &name);
}

static bool one_means(const char *pattern, const char *name)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };

	assert_int_equal(rarog_match_include(&match, pattern), 0);
	return means(&match, name);
}

TEST(names_globs_and_expressions)
{
	assert_true(one_means("main", "main"));
	assert_false(one_means("main", "main2"));
	assert_true(one_means("sqlite3_*", "sqlite3_exec"));
	assert_false(one_means("sqlite3_*", "xsqlite3_exec"));
	assert_true(one_means("f?o", "foo"));
	assert_true(one_means("f[a-p]o", "foo"));
	assert_true(one_means("/^f.*o$/", "faro"));
	assert_true(one_means("/a(r|l)o/", "baloon"));
	assert_false(one_means("/^aro/", "faro"));
	assert_true(one_means("a/b", "a/b"));
	assert_true(one_means("//", "//")); /* an empty expression is a name */
}

TEST(parameter_lists_may_be_left_out)
{
	assert_true(one_means("ns::f", "ns::f(int)"));
	assert_true(one_means("ns::f", "ns::f(void (*)(int)) const"));
	assert_true(one_means("ns::*", "ns::f(int)"));
	assert_true(one_means("ns::f(int)", "ns::f(int)"));
	assert_false(one_means("ns::f(int)", "ns::f(long)"));
	assert_true(one_means("F::operator()", "F::operator()(int)"));
	assert_true(one_means("F::operator[]", "F::operator[](int)"));
	assert_false(one_means("", "(anonymous namespace)::g"));
	assert_true(one_means("(anonymous namespace)::g", "(anonymous namespace)::g(int)"));
}

TEST(excludes_win)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };

	assert_true(means(&match, "anything"));
	assert_int_equal(rarog_match_exclude(&match, "*_slow"), 0);
	assert_true(means(&match, "a_fast"));
	assert_false(means(&match, "a_slow"));
	assert_int_equal(rarog_match_include(&match, "a*"), 0);
	assert_true(means(&match, "a_fast"));
	assert_false(means(&match, "a_slow"));
	assert_false(means(&match, "b_fast"));
}

TEST(any_name_of_a_thing_counts)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	const char *const names[] = { "_ZN2ns1fEi", NULL, "ns::f(int)", "alias" };

	assert_int_equal(rarog_match_include(&match, "alias"), 0);
	assert_int_equal(rarog_match_include(&match, "typo*"), 0);
	assert_true(rarog_match_test(&match, RAROG_COUNT(names), names));
	assert_string_equal(rarog_match_unused(&match), "typo*");
	assert_int_equal(rarog_match_exclude(&match, "/ZN2ns/"), 0);
	assert_false(rarog_match_test(&match, RAROG_COUNT(names), names));
}

TEST(bad_expressions_are_refused)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };

	assert_int_equal(rarog_match_include(&match, "/a(/"), -EINVAL);
	assert_non_null(strstr(rarog_error_message(), "/a(/: not a regular expression: "));
	assert_int_equal(match.include.n, 0);
	assert_null(rarog_match_unused(&match));
}

/* Oracle: what the functions are called in their source. */
TEST(short_names)
{
	static const char *const names[][2] = {
		{ "plain", "plain" },
		{ "ns::f(int) const", "ns::f" },
		{ "void ns::f<int, std::less<int> >(int const&)", "ns::f~" },
		{ "int heavy<int>(std::vector<std::map<int, int> > const&)", "heavy~" },
		{ "std::vector<int, std::allocator<int> >::~vector()", "std::vector~::~vector" },
		{ "bool operator< <int>(A<int> const&, A<int> const&)", "operator<~" },
		{ "std::ostream& operator<<(std::ostream&, X)", "operator<<" },
		{ "A::operator()(int) const", "A::operator()" },
		{ "A::operator->()", "A::operator->" },
		{ "A::operator unsigned long() const", "A::operator unsigned long" },
		{ "operator new(unsigned long)", "operator new" },
		{ "my_operator(int)", "my_operator" },
		{ "(anonymous namespace)::g(int)", "(anonymous namespace)::g" },
		{ "main::{lambda(int)#1}::operator()(int) const",
		  "main::{lambda(int)#1}::operator()" },
		{ "f(int)::local::g()", "f::local::g" },
		{ "ns::f(int)@void ns::run<int>(int)", "ns::f@ns::run~" },
		{ "return@ns::f(int)", "return@ns::f" },
		{ "broken<int", "broken<int" },
		{ "also broken)", "also broken)" },
		{ "", "" },
	};

	for (size_t i = 0; i < RAROG_COUNT(names); i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

		assert_int_equal(rarog_short_name_add(&text, names[i][0], "~"), 0);
		assert_string_equal(rarog_str_text(&text), names[i][1]);
	}
}

/* Oracle: what they are called in their source; fnmatch(3) would take the tag for a set. */
TEST(tags_may_be_left_out)
{
	assert_true(one_means("mk[abi:cxx11]", "mk[abi:cxx11](int)"));
	assert_true(one_means("mk[abi:cxx11](int)", "mk[abi:cxx11](int)"));
	assert_true(one_means("mk", "mk[abi:cxx11](int)"));
	assert_true(one_means("mk(int)", "mk[abi:cxx11](int)"));
	assert_true(one_means("m?", "mk[abi:cxx11](int)"));
	assert_true(one_means("ns::C::mk", "ns::C::mk[abi:a][abi:b](int) const"));
	assert_true(one_means("ns::t", "std::string ns::t[abi:cxx11]<int>(int)"));
	assert_true(one_means("mk[abi:cxx11]*", "mk[abi:cxx11]_more(int)"));
	assert_false(one_means("mk[abi:cxx11]", "mka(int)"));
	assert_false(one_means("mk[abi:cxx11]*", "mka(int)"));
	assert_false(one_means("mk[abi:cxx11]", "mk(int)"));
	assert_false(one_means("mk[abi:cxx11]", "mk[abi:other](int)"));
	assert_true(one_means("/abi:cxx/", "mk[abi:cxx11](int)"));
	assert_false(one_means("/mk\\(/", "mk[abi:cxx11](int)"));
}

TEST(a_glob_that_is_a_name_means_that)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	const char *const operators[] = { "V::operator+(int) const", "V::operator*(int) const" };

	assert_int_equal(rarog_match_include(&match, "V::operator*"), 0);
	assert_true(rarog_match_may_settle(&match));
	rarog_match_settle(&match, 1, operators);
	assert_true(means(&match, operators[0]));
	rarog_match_settle(&match, 1, operators + 1);
	assert_false(means(&match, operators[0]));
	assert_true(means(&match, operators[1]));
	rarog_match_unsettle(&match);
	assert_true(means(&match, operators[0]));
	assert_int_equal(rarog_match_include(&match, "f(int*)"), 0);
	assert_true(means(&match, "f(int, char)"));
	rarog_match_settle(&match, 1, (const char *const[]){ "f(int*)" });
	assert_true(means(&match, "f(int*)"));
	assert_false(means(&match, "f(int, char)"));
}

TEST(a_template_is_meant_by_its_name)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	const char *const wanted[] = { "_Z5heavyIiET_S0_", "int heavy<int>(int)" };
	const char *const other[] = { "_Z5lightIiET_S0_", "int light<heavy>(heavy)" };

	assert_int_equal(rarog_match_include(&match, "heavy"), 0);
	assert_true(rarog_match_test(&match, 2, wanted));
	assert_false(rarog_match_test(&match, 2, other));
}
