/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which symbols are not made names for people. Oracle: the demangler, of all symbols of the C++
 * library; a pattern that means a name must let its symbol pass.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/binary.h"
#include "plan/name-filter.h"

#define LIBRARY "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"

static bool passes(const char *pattern, const char *symbol)
{
	rarog_cleanup(rarog_name_filter_release) struct rarog_name_filter filter = { 0 };
	struct rarog_match match = { 0 };
	bool does;

	assert_int_equal(rarog_match_include(&match, pattern), 0);
	assert_int_equal(rarog_name_filter_add(&filter, &match.include.v[0]), 0);
	does = rarog_name_filter_passes(&filter, symbol);
	rarog_match_release(&match);
	return does;
}

static void expect(const char *pattern, const char *symbol)
{
	if (!passes(pattern, symbol))
		fail_msg("%s, %s", pattern, symbol);
}

/* "*word*" of each word of it, and of parts of these. */
static void expect_globs(const char *name, const char *symbol)
{
	while (*name) {
		size_t n = 0;

		while (isalnum((unsigned char)name[n]) || name[n] == '_')
			n++;
		for (size_t skip = 0; n > 0 && skip < 3 && skip < n; skip++) {
			rarog_cleanup(rarog_freep) char *glob =
				rarog_asprintf("*%.*s*", (int)(n - skip), name + skip);

			expect(glob, symbol);
		}
		name += n > 0 ? n : 1;
	}
}

static size_t expect_all(const char *symbol, bool with_globs)
{
	rarog_cleanup(rarog_freep) char *name = rarog_demangle(symbol);
	struct rarog_spellings spellings;

	if (!name)
		return 0;
	rarog_spellings_make(name, &spellings);
	for (size_t i = 0; i < spellings.n; i++)
		expect(spellings.v[i], symbol);
	rarog_spellings_release(&spellings);
	if (with_globs)
		expect_globs(name, symbol);
	return 1;
}

TEST(what_a_pattern_means_passes)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	const struct rarog_function *functions;
	size_t n, seen = 0;

	if (access(LIBRARY, R_OK) < 0) {
		skip();
		return;
	}
	assert_int_equal(rarog_binary_open(LIBRARY, &binary), 0);
	n = rarog_binary_functions(binary, &functions);
	for (size_t i = 0; i < n; i++)
		seen += expect_all(functions[i].name, i % 5 == 0);
	assert_true(seen > 1000);
}

TEST(odd_names_pass)
{
	static const char *const symbols[] = {
		"_ZN3foo3barEv",
		"_Z1fSs",
		"_ZNSsC1EPKcRKSaIcE",
		"_ZNSt6vectorIiSaIiEE9push_backERKi",
		"_ZZ4mainENKUlvE_clEv",
		"_ZZN1A1fEvENKUlvE0_clEv",
		"_ZThn16_N3foo3barEv",
		"_ZTW3var",
		"_ZGVZ4mainE1x",
		"_ZN12_GLOBAL__N_15localEv",
		"_Z4convILi12EEvv",
		"_ZN1AcvT_IiEEv",
		"_Zli3_kgy",
		"_Z6taggedB5cxx11v",
		"_Z1fv.part.0",
		"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
		("_ZN71_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$"
		 "4drop17h0123456789abcdefE"),
		"_RNvC6_123foo3bar",
		"_RNvNtCs1234_7mycrate3foo3bar",
		"_RINvNtC3std3mem8align_ofdE",
		"_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3new",
	};

	for (size_t i = 0; i < RAROG_COUNT(symbols); i++)
		if (!expect_all(symbols[i], true))
			fail_msg("%s is no mangled name", symbols[i]);
}

TEST(what_no_pattern_means_does_not)
{
	assert_false(passes("ns::other", "_ZN2ns1fEv"));
	assert_false(passes("parse", "_ZN2ns7parsersEv"));
	assert_false(passes("ns::par*xyz", "_ZN2ns5parseEv"));
	assert_false(passes("project::other::*", "_ZN7project6module1fEv"));
	assert_true(passes("/parse/", "_ZN2ns1fEv"));
	assert_true(passes("operator+", "_ZN2ns1fEv"));
}
