/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options' values as numbers that influence models count with. */
#ifndef RAROG_FEATURE_INFLUENCE_VALUES_H
#define RAROG_FEATURE_INFLUENCE_VALUES_H

#include "feature/influence.h"

/** rarog_influence_number() - is @text a number, or a truth (0, 1)? */
bool rarog_influence_number(const char *text, double *ret_value);

/** rarog_influence_is_same() - the same text, number or truth */
bool rarog_influence_is_same(const char *a, const char *b);

/** rarog_influence_factor_value() - 0; -ENOENT: @configuration has no such option; -EINVAL: no
 * number. */
int rarog_influence_factor_value(const struct rarog_influence_factor *factor,
				 const struct rarog_configuration *configuration,
				 double *ret_value);

/** rarog_influence_option_find() - NULL: the runs had none called so. */
const struct rarog_influence_option *rarog_influence_option_find(
	const struct rarog_influence *model, const char *name);

#endif
