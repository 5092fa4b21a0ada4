/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What raw bits at the end of a path mean. */
#include <string.h>

#include "unit.h"

#include "binary/value-path.h"

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

TEST(integers_of_all_widths)
{
	static const uint8_t widths[] = { 8, 16, 32, 64 };
	const uint64_t raw = 0xf0f1f2f3f4f5f6f7u; /* garbage above a narrow value */

	for (size_t i = 0; i < sizeof(widths); i++) {
		const struct rarog_value_path plain = { .kind = RAROG_VALUE_UNSIGNED,
							.bits = widths[i] };
		const struct rarog_value_path with_sign = { .kind = RAROG_VALUE_SIGNED,
							    .bits = widths[i] };
		unsigned rest = 64u - widths[i];

		assert_true(rarog_value_decode(&plain, raw) == raw << rest >> rest);
		assert_true((int64_t)rarog_value_decode(&with_sign, raw) ==
			    (int64_t)(raw << rest) >> rest);
	}
}

TEST(floats_become_doubles)
{
	const struct rarog_value_path single = { .kind = RAROG_VALUE_REAL,
						 .bits = 32,
						 .is_float = true };
	const struct rarog_value_path whole = { .kind = RAROG_VALUE_REAL, .bits = 64 };
	float third = 1.0f / 3;
	uint32_t raw;

	memcpy(&raw, &third, sizeof(raw));
	assert_true(rarog_value_decode(&single, 0xdeadbeef00000000u | raw) ==
		    bits_of((double)third));
	assert_true(rarog_value_decode(&whole, bits_of(-2.5)) == bits_of(-2.5));
}

TEST(bit_fields_and_fields_in_registers)
{
	/* struct { unsigned a:5; int b:7; char c; short d; } in a register */
	const uint64_t raw =
		9u | (uint64_t)(0x7f & -3) << 5 | (uint64_t)'x' << 16 | 0x8001ull << 32;
	const struct rarog_value_path a = { .kind = RAROG_VALUE_UNSIGNED, .bits = 5 };
	const struct rarog_value_path b = { .kind = RAROG_VALUE_SIGNED, .shift = 5, .bits = 7 };
	const struct rarog_value_path c = { .kind = RAROG_VALUE_CHAR, .shift = 16, .bits = 8 };
	const struct rarog_value_path d = { .kind = RAROG_VALUE_SIGNED, .shift = 32, .bits = 16 };

	assert_int_equal(rarog_value_decode(&a, raw), 9);
	assert_true((int64_t)rarog_value_decode(&b, raw) == -3);
	assert_int_equal(rarog_value_decode(&c, raw), 'x');
	assert_true((int64_t)rarog_value_decode(&d, raw) == -32767);
}

TEST(sizes_and_truth)
{
	const struct rarog_value_path elements = { .kind = RAROG_VALUE_OF_LENGTH,
						   .finish = RAROG_VALUE_DIFFERENCE,
						   .bits = 64,
						   .divisor = 24 };
	const struct rarog_value_path truth = { .kind = RAROG_VALUE_BOOL, .bits = 8 };

	assert_int_equal(rarog_value_decode(&elements, 24 * 7), 7);
	assert_int_equal(rarog_value_decode(&truth, 0xff00), 0);
	assert_int_equal(rarog_value_decode(&truth, 0xff01), 1);
}

TEST(text_is_what_people_read)
{
	assert_string_equal(rarog_value_text(RAROG_VALUE_SIGNED, (uint64_t)-7).text, "-7");
	assert_string_equal(rarog_value_text(RAROG_VALUE_UNSIGNED, UINT64_MAX).text,
			    "18446744073709551615");
	assert_string_equal(rarog_value_text(RAROG_VALUE_POINTER, 0x7f00).text, "0x7f00");
	assert_string_equal(rarog_value_text(RAROG_VALUE_REAL, bits_of(0.5)).text, "0.5");
	assert_true(rarog_value_double(RAROG_VALUE_SIGNED, (uint64_t)-7) == -7);
}
