/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/influence-values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

bool rarog_influence_number(const char *text, double *ret_value)
{
	bool is_on;
	char *end;

	if (rarog_parse_truth(text, &is_on)) {
		*ret_value = is_on;
		return true;
	}
	*ret_value = strtod(text, &end);
	return end != text && !*end && isfinite(*ret_value);
}

bool rarog_influence_is_same(const char *a, const char *b)
{
	double x, y;

	return strcmp(a, b) == 0 ||
	       (rarog_influence_number(a, &x) && rarog_influence_number(b, &y) && x == y);
}

static double shaped(double value, uint8_t shape)
{
	static const double unknown = NAN;

	if (shape == RAROG_INFLUENCE_SQUARE)
		return value * value;
	if (shape == RAROG_INFLUENCE_ROOT)
		return value >= 0 ? sqrt(value) : unknown;
	if (shape == RAROG_INFLUENCE_LOG)
		return value >= 0 ? log2(1 + value) : unknown;
	return value;
}

int rarog_influence_factor_value(const struct rarog_influence_factor *factor,
				 const struct rarog_configuration *configuration, double *ret_value)
{
	const char *text = rarog_configuration_get(configuration, factor->option);

	if (!text)
		return -ENOENT;
	if (factor->shape == RAROG_INFLUENCE_STEP) {
		double from = 0;

		if (!rarog_influence_number(text, ret_value))
			return -EINVAL;
		rarog_influence_number(factor->value, &from);
		*ret_value = *ret_value >= from;
		return 0;
	}
	if (factor->value) {
		*ret_value = rarog_influence_is_same(text, factor->value);
		return 0;
	}
	if (!rarog_influence_number(text, ret_value))
		return -EINVAL;
	*ret_value = shaped(*ret_value, factor->shape);
	return isfinite(*ret_value) ? 0 : -EINVAL;
}

const struct rarog_influence_option *rarog_influence_option_find(
	const struct rarog_influence *model, const char *name)
{
	for (size_t i = 0; i < model->options.n; i++)
		if (strcmp(model->options.v[i].name, name) == 0)
			return &model->options.v[i];
	return NULL;
}
