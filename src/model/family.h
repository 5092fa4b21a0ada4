/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the families have in common; for family-*.c and the files that call them only. */
#ifndef RAROG_MODEL_FAMILY_H
#define RAROG_MODEL_FAMILY_H

#include "model/model.h"
#include "num/cells.h"

extern const struct rarog_model_family rarog_family_constant, rarog_family_logarithmic,
	rarog_family_linear, rarog_family_linearithmic, rarog_family_power,
	rarog_family_exponential, rarog_family_quadratic, rarog_family_shifted_power,
	rarog_family_cubic, rarog_family_linear_linearithmic, rarog_family_regressogram,
	rarog_family_moving_average, rarog_family_kernel;

/* What a family is fitted to. Parametric families take the cells: of up to RAROG_CELLS_EXACT points
 * each is one; of more, neighbours in x are together. */
struct rarog_data {
	size_t n; /* points, sorted by x */
	const double *x, *y;
	const double *weights; /* of points as the caller said; NULL: 1 each */
	const struct rarog_model_options *options;
	struct rarog_cells cells;
	double *cell_weights;           /* with what the errors and far-off points make of them */
	const struct rarog_model *near; /* of the same family, by about these weights; NULL: none */
};

/** rarog_family_fit_linear() - families whose gradient does not depend on the coefficients. */
int rarog_family_fit_linear(const struct rarog_data *data, struct rarog_model *model);

/* y = c g(x; k), or a + c g(x; k): linear in c and a, whose best values for each k are known, so
 * that k can be searched as a whole, and Levenberg-Marquardt only has the last digits left. */
struct rarog_shape {
	double (*value)(const struct rarog_model *model, double k, double x);
	double (*slope)(const struct rarog_model *model, double k, double x); /* ∂ / ∂k */
	double low, high;                                                     /* of k */
	bool has_offset;
};

/** rarog_family_fit_shape() - b[0] is c, b[1] is k, b[2] a, with their covariance. */
int rarog_family_fit_shape(const struct rarog_data *data, const struct rarog_shape *shape,
			   struct rarog_model *model);

/** rarog_family_fit_logs() - ln y = b[0] + b[1] g(x), with g ln or x itself. Points without a
 * logarithm are left out; -EDOM if these are more than one and than a tenth. */
int rarog_family_fit_logs(const struct rarog_data *data, bool is_log_x, struct rarog_model *model);

/** rarog_family_change() - b and its covariance to what the family calls its coefficients, which
 * are b[p]: jacobian[p × p] is ∂ new / ∂ old. */
void rarog_family_change(struct rarog_model *model, const double b[], const double jacobian[]);

/** rarog_growth_of_power() - the class that x^exponent is nearest to */
enum rarog_growth rarog_growth_of_power(double exponent);

/** rarog_family_set_floor() - x_floor is the smallest positive x, left_out counts the others.
 * -EDOM: more than one and than a tenth of them are not positive. */
int rarog_family_set_floor(const struct rarog_data *data, struct rarog_model *model);

#endif
