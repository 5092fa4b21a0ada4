/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "view/model/model-view.h"

static struct rarog_amount format_count(double value)
{
	struct rarog_amount text;

	if (value == floor(value) && value < 1e7)
		return rarog_format_count((uint64_t)value);
	if (value >= 1e4 && value < 1e18)
		return rarog_format_short_count((uint64_t)llround(value));
	snprintf(text.text, sizeof(text.text), "%.4g", value);
	return text;
}

static struct rarog_amount format_ns(double value)
{
	struct rarog_amount text;

	if (value >= 1000 && value < 1e18)
		return rarog_format_ns((uint64_t)llround(value));
	snprintf(text.text, sizeof(text.text), "%.4g ns", value);
	return text;
}

static struct rarog_amount format_bytes(double value)
{
	return rarog_format_bytes(value < 1e18 ? (uint64_t)llround(value) : UINT64_MAX);
}

static const struct {
	const char *name; /* after a formula */
	struct rarog_amount (*format)(double value);
} units[] = {
	[RAROG_UNIT_NS] = { " ns", format_ns },
	[RAROG_UNIT_COUNT] = { "", format_count },
	[RAROG_UNIT_BYTES] = { " bytes", format_bytes },
	[RAROG_UNIT_PART] = { "", format_count },
};

struct rarog_amount rarog_model_amount(enum rarog_cost_unit unit, double value)
{
	struct rarog_amount text = { "?" }, size;

	if (isnan(value))
		return text;
	size = units[unit].format(fabs(value));
	snprintf(text.text, sizeof(text.text), "%s%.30s", value < 0 ? "-" : "", size.text);
	return text;
}

const char *rarog_model_unit_name(enum rarog_cost_unit unit)
{
	return units[unit].name;
}
