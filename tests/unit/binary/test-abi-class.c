/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of parameters, against the examples and rules of the psABI 1.0 (3.2.3). */

#include "unit.h"

#include "binary/abi-class.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct rarog_abi_value scalar(uint32_t size, enum rarog_abi_class class)
{
	const struct rarog_abi_field field = { 0, size, size, class };

	return rarog_abi_classify(1, &field, size, size);
}

#define INT    scalar(4, RAROG_ABI_INTEGER)
#define DOUBLE scalar(8, RAROG_ABI_SSE)

static void assert_register(const struct rarog_abi_place *place, int eightbyte,
			    enum rarog_abi_class class, unsigned number)
{
	assert_int_equal(place->where, RAROG_ABI_REGISTERS);
	assert_int_equal(place->classes[eightbyte], class);
	assert_int_equal(place->registers[eightbyte], number);
}

static void assert_stack(const struct rarog_abi_place *place, int32_t above_return)
{
	assert_int_equal(place->where, RAROG_ABI_STACK);
	assert_int_equal(place->stack, above_return + 8);
}

/* Figures 3.5 and 3.6: func(int e, int f, structparm s, int g, int h, long double ld, double m,
 * __m128 y, double n, int i, int j, int k), where structparm is { int a, b; double d; }. The
 * original has an __m256 there, which takes one register as well. */
TEST(example_of_the_abi)
{
	const struct rarog_abi_field parm[] = { { 0, 4, 4, RAROG_ABI_INTEGER },
						{ 4, 4, 4, RAROG_ABI_INTEGER },
						{ 8, 8, 8, RAROG_ABI_SSE } };
	const struct rarog_abi_field wide[] = { { 0, 8, 16, RAROG_ABI_SSE },
						{ 8, 8, 8, RAROG_ABI_SSEUP } };
	const struct rarog_abi_field x87 = { 0, 16, 16, RAROG_ABI_MEMORY };
	const struct rarog_abi_value values[] = {
		INT,
		INT,
		rarog_abi_classify(3, parm, 16, 8),
		INT,
		INT,
		rarog_abi_classify(1, &x87, 16, 16),
		DOUBLE,
		rarog_abi_classify(2, wide, 16, 16),
		DOUBLE,
		INT,
		INT,
		INT,
	};
	struct rarog_abi_place p[COUNT(values)];

	rarog_abi_assign(false, COUNT(values), values, p);
	assert_register(&p[0], 0, RAROG_ABI_INTEGER, 0);
	assert_register(&p[1], 0, RAROG_ABI_INTEGER, 1);
	assert_register(&p[2], 0, RAROG_ABI_INTEGER, 2);
	assert_register(&p[2], 1, RAROG_ABI_SSE, 0);
	assert_register(&p[3], 0, RAROG_ABI_INTEGER, 3);
	assert_register(&p[4], 0, RAROG_ABI_INTEGER, 4);
	assert_stack(&p[5], 0);
	assert_register(&p[6], 0, RAROG_ABI_SSE, 1);
	assert_register(&p[7], 0, RAROG_ABI_SSE, 2);
	assert_register(&p[8], 0, RAROG_ABI_SSE, 3);
	assert_register(&p[9], 0, RAROG_ABI_INTEGER, 5);
	assert_stack(&p[10], 16);
	assert_stack(&p[11], 24);
}

TEST(hidden_result_comes_first)
{
	const struct rarog_abi_value values[] = { INT, DOUBLE };
	struct rarog_abi_place p[2];

	rarog_abi_assign(true, 2, values, p);
	assert_register(&p[0], 0, RAROG_ABI_INTEGER, 1);
	assert_register(&p[1], 0, RAROG_ABI_SSE, 0);
}

/* "If there are no registers available for any eightbyte of an argument, the whole argument is
 * passed on the stack"; a later one may still fit. */
TEST(whole_or_not_at_all)
{
	const struct rarog_abi_field two[] = { { 0, 8, 8, RAROG_ABI_INTEGER },
					       { 8, 8, 8, RAROG_ABI_INTEGER } };
	const struct rarog_abi_value pair = rarog_abi_classify(2, two, 16, 8);
	const struct rarog_abi_value values[] = { INT, INT, INT, INT, INT, pair, INT, INT };
	struct rarog_abi_place p[COUNT(values)];

	rarog_abi_assign(false, COUNT(values), values, p);
	assert_stack(&p[5], 0);
	assert_register(&p[6], 0, RAROG_ABI_INTEGER, 5);
	assert_stack(&p[7], 16);
}

TEST(classes)
{
	const struct rarog_abi_field mixed[] = { { 0, 4, 4, RAROG_ABI_SSE },
						 { 4, 4, 4, RAROG_ABI_INTEGER } };
	const struct rarog_abi_field packed[] = { { 0, 1, 1, RAROG_ABI_INTEGER },
						  { 1, 8, 8, RAROG_ABI_INTEGER } };
	const struct rarog_abi_field floats[] = { { 0, 4, 4, RAROG_ABI_SSE },
						  { 4, 4, 4, RAROG_ABI_SSE },
						  { 8, 4, 4, RAROG_ABI_SSE } };

	assert_int_equal(rarog_abi_classify(2, mixed, 8, 4).eightbytes[0], RAROG_ABI_INTEGER);
	assert_int_equal(rarog_abi_classify(2, packed, 9, 1).eightbytes[0], RAROG_ABI_MEMORY);
	assert_int_equal(rarog_abi_classify(3, floats, 12, 4).eightbytes[0], RAROG_ABI_SSE);
	assert_int_equal(rarog_abi_classify(3, floats, 12, 4).eightbytes[1], RAROG_ABI_SSE);
	assert_int_equal(rarog_abi_classify(1, mixed, 24, 4).eightbytes[0], RAROG_ABI_MEMORY);
}

TEST(nothing_is_passed_of_an_empty_class)
{
	const struct rarog_abi_value empty = rarog_abi_classify(0, NULL, 1, 1);
	const struct rarog_abi_value values[] = { empty, INT };
	struct rarog_abi_place p[2];

	rarog_abi_assign(false, 2, values, p);
	assert_int_equal(p[0].where, RAROG_ABI_NOWHERE);
	assert_register(&p[1], 0, RAROG_ABI_INTEGER, 0);
}

TEST(alignment_on_the_stack)
{
	const struct rarog_abi_value values[] = {
		{ { RAROG_ABI_MEMORY, RAROG_ABI_MEMORY }, 24, 8 },
		{ { RAROG_ABI_MEMORY, RAROG_ABI_MEMORY }, 16, 16 },
		{ { RAROG_ABI_MEMORY, RAROG_ABI_MEMORY }, 17, 1 },
		{ { RAROG_ABI_MEMORY, RAROG_ABI_MEMORY }, 8, 1 },
	};
	struct rarog_abi_place p[COUNT(values)];

	rarog_abi_assign(false, COUNT(values), values, p);
	assert_stack(&p[0], 0);
	assert_stack(&p[1], 32);
	assert_stack(&p[2], 48);
	assert_stack(&p[3], 72);
}
