/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What binds how, as the C of the same formula says. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "feature/constraint.h"

static int32_t number_of(const void *user, const char *name, size_t n)
{
	const char *letters = user, *at = n == 1 ? strchr(letters, *name) : NULL;

	return at ? (int32_t)(at - letters) : -ENOENT;
}

#define FORMULA(name, formula)                                                                     \
	static bool name(bool a, bool b, bool c)                                                   \
	{                                                                                          \
		return ((void)a, (void)b, (void)c, formula);                                       \
	}

FORMULA(and_first, a || (b && c))
FORMULA(not_first, !a && b)
FORMULA(from_the_right, !a || (!b || c))
FORMULA(from_the_left, (a == b) == c)
FORMULA(or_before_implies, !a || (b || c))
FORMULA(enclosed, !(a || b) == c)
FORMULA(twice, !!a && c)
FORMULA(equal_last, (!a || b) == c)

static const struct {
	const char *text;
	bool (*is)(bool a, bool b, bool c);
} formulas[] = {
	{ "A | B & C", and_first },
	{ "A||B&&C", and_first },
	{ "!A & B", not_first },
	{ "A => B => C", from_the_right },
	{ "A <=> B <=> C", from_the_left },
	{ " A=>B | C ", or_before_implies },
	{ "!(A | B) <=> C", enclosed },
	{ "!!A & ((C))", twice },
	{ "A => B <=> C", equal_last },
};

static void check_formula(size_t which)
{
	struct rarog_constraint constraint;

	assert_int_equal(rarog_constraint_read(formulas[which].text, number_of, "ABC", &constraint),
			 0);
	for (unsigned i = 0; i < 8; i++) {
		const bool on[] = { i & 1, i & 2, i & 4 };

		assert_int_equal(rarog_constraint_holds(&constraint, on),
				 formulas[which].is(on[0], on[1], on[2]));
	}
	rarog_constraint_release(&constraint);
}

TEST(signs_bind_as_they_are_said_to)
{
	for (size_t i = 0; i < RAROG_COUNT(formulas); i++)
		check_formula(i);
}

static void check_refused(const char *text)
{
	struct rarog_constraint constraint;

	assert_int_equal(rarog_constraint_read(text, number_of, "ABC", &constraint), -EINVAL);
	rarog_constraint_release(&constraint);
}

TEST(what_is_none_is_refused)
{
	static const char *const texts[] = { "", "A &", "(A", "A)", "A B", "D", "!", "A <=>", "|" };

	for (size_t i = 0; i < RAROG_COUNT(texts); i++)
		check_refused(texts[i]);
}

/* @n times @one, an A, and @n times @other */
static void check_long(size_t n, const char *one, const char *other)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_str_add(&text, one), 0);
	assert_int_equal(rarog_str_add(&text, "A"), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_str_add(&text, other), 0);
	check_refused(rarog_str_text(&text));
}

TEST(too_deep_a_one_is_refused)
{
	check_long(1000000, "!", "");
	check_long(1000000, "(", ")");
	check_long(1000000, "A=>", "");
	check_long(90, "(A=>A<=>A|A&", ")");
}

TEST(a_long_one_is_not_too_deep)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_constraint constraint;
	const bool on[] = { false, false, true };

	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(rarog_str_add(&text, "A | B | "), 0);
	assert_int_equal(rarog_str_add(&text, "C"), 0);
	assert_int_equal(
		rarog_constraint_read(rarog_str_text(&text), number_of, "ABC", &constraint), 0);
	assert_true(rarog_constraint_holds(&constraint, on));
	rarog_constraint_release(&constraint);
}
