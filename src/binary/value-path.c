/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/value-path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const rarog_value_kind_names[RAROG_VALUE_KINDS] = {
	[RAROG_VALUE_UNSIGNED] = "unsigned", [RAROG_VALUE_SIGNED] = "signed",
	[RAROG_VALUE_BOOL] = "bool",         [RAROG_VALUE_CHAR] = "char",
	[RAROG_VALUE_POINTER] = "pointer",   [RAROG_VALUE_REAL] = "real",
	[RAROG_VALUE_OF_LENGTH] = "length",  [RAROG_VALUE_COST] = "cost",
};

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static uint64_t decode_real(uint64_t raw, bool is_float)
{
	uint32_t low = (uint32_t)raw;
	float number;

	if (!is_float)
		return raw;
	memcpy(&number, &low, sizeof(number));
	return bits_of((double)number);
}

static uint64_t extend(uint64_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return (value ^ sign) - sign;
}

uint64_t rarog_value_decode(const struct rarog_value_path *path, uint64_t raw)
{
	unsigned bits = path->bits ? path->bits : 64;
	uint64_t value = raw >> (path->shift & 63);

	if (path->finish == RAROG_VALUE_DIFFERENCE)
		return path->divisor ? (uint64_t)((int64_t)raw / (int64_t)path->divisor) : raw;
	if (path->finish == RAROG_VALUE_LENGTH)
		return raw;
	if (bits < 64)
		value &= (UINT64_C(1) << bits) - 1;
	if (path->kind == RAROG_VALUE_REAL)
		return decode_real(value, path->is_float);
	if (path->kind == RAROG_VALUE_BOOL)
		return value != 0;
	if (path->kind == RAROG_VALUE_SIGNED && bits < 64)
		return extend(value, bits);
	return value;
}

double rarog_value_double(enum rarog_value_kind kind, uint64_t value)
{
	double number;

	if (kind == RAROG_VALUE_SIGNED)
		return (double)(int64_t)value;
	if (kind != RAROG_VALUE_REAL)
		return (double)value;
	memcpy(&number, &value, sizeof(number));
	return number;
}

struct rarog_value_text rarog_value_text(enum rarog_value_kind kind, uint64_t value)
{
	struct rarog_value_text text;
	size_t n = sizeof(text.text);

	if (kind == RAROG_VALUE_SIGNED)
		snprintf(text.text, n, "%" PRId64, (int64_t)value);
	else if (kind == RAROG_VALUE_POINTER)
		snprintf(text.text, n, "0x%" PRIx64, value);
	else if (kind == RAROG_VALUE_REAL)
		snprintf(text.text, n, "%.9g", rarog_value_double(kind, value));
	else
		snprintf(text.text, n, "%" PRIu64, value);
	return text;
}
