/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four significant digits everywhere: enough to see a difference of 0.1 %, narrow enough for a
 * table. Rounding may carry into the next unit (999.96 us is 1.000 ms), so a unit is chosen after
 * rounding. Parsing keeps integers: what has no fraction is never seen by a double.
 */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"

struct unit {
	const char *name;
	double size; /* in base units */
};

/* @value < 1000 (or the last unit): 4 significant digits, all digits when it is a whole number of
 * base units. */
static void write_scaled(struct rarog_amount *amount, double value, const char *unit)
{
	int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;

	snprintf(amount->text, sizeof(amount->text), "%.*f %s", decimals, value, unit);
}

static struct rarog_amount scale(uint64_t amount, size_t n, const struct unit units[], double step)
{
	struct rarog_amount text = { "" };
	size_t i = 1;

	if ((double)amount < units[1].size) {
		snprintf(text.text, sizeof(text.text), "%" PRIu64 "%s%s", amount,
			 units[0].name[0] ? " " : "", units[0].name);
		return text;
	}
	while (i + 1 < n && (double)amount / units[i].size >= step - 0.05)
		i++;
	write_scaled(&text, (double)amount / units[i].size, units[i].name);
	return text;
}

struct rarog_amount rarog_format_ns(uint64_t ns)
{
	static const struct unit units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }
	};
	struct rarog_amount text = { "" };
	uint64_t minutes = ns / UINT64_C(60000000000);

	if (ns < UINT64_C(999950000000))
		return scale(ns, RAROG_COUNT(units), units, 1000);
	snprintf(text.text, sizeof(text.text), "%" PRIu64 "h %02" PRIu64 "m", minutes / 60,
		 minutes % 60);
	return text;
}

struct rarog_amount rarog_format_bytes(uint64_t bytes)
{
	static const struct unit units[] = {
		{ "B", 1 },
		{ "KiB", 1024.0 },
		{ "MiB", 1048576.0 },
		{ "GiB", 1073741824.0 },
		{ "TiB", 1099511627776.0 },
	};

	return scale(bytes, RAROG_COUNT(units), units, 1000);
}

struct rarog_amount rarog_format_short_count(uint64_t count)
{
	static const struct unit units[] = {
		{ "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 }
	};

	return scale(count, RAROG_COUNT(units), units, 1000);
}

struct rarog_amount rarog_format_count(uint64_t count)
{
	struct rarog_amount text = { "" };
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t out = 0;

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			text.text[out++] = ',';
		text.text[out++] = digits[i];
	}
	text.text[out] = '\0';
	return text;
}

struct rarog_amount rarog_format_percent(uint64_t part, uint64_t whole)
{
	struct rarog_amount text = { "-" };
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (whole)
		snprintf(text.text, sizeof(text.text), "%.*f %%", percent < 9.995 ? 2 : 1, percent);
	return text;
}

struct scale {
	const char *name;
	uint64_t factor;
};

/* The unit whose name is exactly the @n letters at @text. */
static const struct scale *find_scale(size_t n_scales, const struct scale scales[],
				      const char *text, size_t n, bool ignore_case)
{
	for (size_t i = 0; i < n_scales; i++) {
		const char *name = scales[i].name;

		if (strlen(name) == n && (ignore_case ? strncasecmp : strncmp)(name, text, n) == 0)
			return &scales[i];
	}
	return NULL;
}

/* Digits with an optional fraction; nothing else that strtod() would take. */
static size_t number_length(const char *text)
{
	size_t n = strspn(text, "0123456789");

	if (n > 0 && text[n] == '.')
		n += 1 + strspn(text + n + 1, "0123456789");
	return n;
}

/* Adds number x factor to *sum; false when that is more than INT64_MAX. */
static bool add_scaled(const char *number, size_t n, uint64_t factor, uint64_t *sum)
{
	char copy[64];
	uint64_t amount;

	if (n >= sizeof(copy))
		return false;
	memcpy(copy, number, n);
	copy[n] = '\0';
	errno = 0;
	if (strchr(copy, '.')) {
		double value = strtod(copy, NULL) * (double)factor;

		if (value >= 9.2e18)
			return false;
		amount = (uint64_t)llround(value);
	} else if (__builtin_mul_overflow(strtoull(copy, NULL, 10), factor, &amount) || errno) {
		return false;
	}
	return !__builtin_add_overflow(*sum, amount, sum) && *sum <= INT64_MAX;
}

static bool parse_duration(const char *text, uint64_t *ret_ns)
{
	static const struct scale scales[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "\xc2\xb5s", 1000 }, /* micro sign */
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", UINT64_C(60000000000) },
		{ "min", UINT64_C(60000000000) },
		{ "h", UINT64_C(3600000000000) },
		{ "d", UINT64_C(86400000000000) },
	};
	uint64_t sum = 0;
	const char *at = text;

	do {
		size_t digits = number_length(at);
		const char *unit = at + digits;
		size_t letters = strcspn(unit, "0123456789");
		const struct scale *scale =
			find_scale(RAROG_COUNT(scales), scales, unit, letters, false);

		if (letters == 0 && at == text)
			scale = &scales[4]; /* a plain number: seconds */
		if (digits == 0 || !scale || !add_scaled(at, digits, scale->factor, &sum))
			return false;
		at = unit + letters;
	} while (*at);
	*ret_ns = sum;
	return true;
}

int rarog_parse_duration(const char *text, uint64_t *ret_ns)
{
	if (!parse_duration(text, ret_ns))
		return rarog_fail(-EINVAL,
				  "'%s' is not a time; give one such as 30s, 1.5m, 200ms or 1h30m",
				  text);
	return 0;
}

int rarog_parse_size(const char *text, uint64_t *ret_bytes)
{
	static const struct scale scales[] = {
		{ "", 1 },
		{ "b", 1 },
		{ "k", 1024 },
		{ "m", 1 << 20 },
		{ "g", 1 << 30 },
		{ "t", UINT64_C(1) << 40 },
		{ "p", UINT64_C(1) << 50 },
	};
	size_t digits = number_length(text), letters = strlen(text + digits);
	const char *unit = text + digits;
	const struct scale *scale;
	uint64_t bytes = 0;

	if (letters > 1 && tolower((unsigned char)unit[0]) != 'b' &&
	    (strcasecmp(unit + 1, "ib") == 0 || strcasecmp(unit + 1, "b") == 0))
		letters = 1;
	scale = find_scale(RAROG_COUNT(scales), scales, unit, letters, true);
	if (digits == 0 || !scale || !add_scaled(text, digits, scale->factor, &bytes))
		return rarog_fail(-EINVAL, "'%s' is not a size; give one such as 64K, 1.5GiB or 1G",
				  text);
	*ret_bytes = bytes;
	return 0;
}

bool rarog_parse_truth(const char *text, bool *ret_value)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on" };

	for (size_t i = 0; i < RAROG_COUNT(words); i++) {
		if (strcasecmp(text, words[i]) != 0)
			continue;
		*ret_value = i % 2;
		return true;
	}
	return false;
}
