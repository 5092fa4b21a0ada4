/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One family, as the options want it. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/fit.h"

/* By the weights that the cells have, with or without what is far off. */
static int fit_weighed(const struct rarog_model_family *family, struct rarog_data *data,
		       double power, struct rarog_model *ret_model)
{
	return data->options->robust == RAROG_ROBUST_NONE
		       ? rarog_fit_family(family, data, power, ret_model)
		       : rarog_fit_robust(family, data, power, ret_model);
}

/* Errors that grow are weighed by the levels first, then by what was fitted. */
static int fit_growing(const struct rarog_model_family *family, struct rarog_data *data,
		       struct rarog_model *ret_model)
{
	rarog_cleanup(rarog_freep) double *levels = calloc(data->cells.n, sizeof(double));
	rarog_cleanup(rarog_model_release) struct rarog_model first = { 0 };
	double power = 0;
	int r;

	if (!levels)
		return rarog_oom();
	if (rarog_weigh_levels(data, levels))
		power = data->options->errors == RAROG_ERRORS_RELATIVE
				? 1
				: rarog_weigh_power(data, levels);
	if (isnan(power) || power == 0)
		return fit_weighed(family, data, 0, ret_model);
	rarog_weigh(data, levels, power);
	r = fit_weighed(family, data, power, &first);
	if (r == 0 && rarog_weigh_by_model(data, &first, power))
		return fit_weighed(family, data, power, ret_model);
	if (r == 0)
		*ret_model = rarog_take_struct(first);
	return r;
}

int rarog_model_fit(const struct rarog_model_family *family, size_t n, const double x[],
		    const double y[], const struct rarog_model_options *options,
		    struct rarog_model *ret_model)
{
	rarog_cleanup(rarog_data_release) struct rarog_data data = { 0 };
	int r = rarog_data_make(n, x, y, options, &data);

	if (r < 0)
		return r;
	if (family->n_coefficients == 0)
		return rarog_fit_family(family, &data, 0, ret_model);
	if (data.options->errors == RAROG_ERRORS_CONSTANT)
		return fit_weighed(family, &data, 0, ret_model);
	return fit_growing(family, &data, ret_model);
}
