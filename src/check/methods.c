/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/nearest.h"
#include "check/method.h"

const struct rarog_check_method *const rarog_check_methods[] = {
	&rarog_check_runs,
	&rarog_check_average,
	&rarog_check_exclusive,
	&rarog_check_order,
	&rarog_check_polynomial,
	&rarog_check_linear,
	&rarog_check_fast,
	&rarog_check_integral,
	&rarog_check_local,
	&rarog_check_exact,
	&rarog_check_growth,
	&rarog_check_sensitivity,
	NULL,
};

const struct rarog_check_method *rarog_check_method_find(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str near = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	for (size_t i = 0; rarog_check_methods[i]; i++) {
		const struct rarog_check_method *method = rarog_check_methods[i];

		if (strcasecmp(method->name, name) == 0 ||
		    (method->short_name && strcasecmp(method->short_name, name) == 0))
			return method;
		rarog_nearest_offer(&nearest, method->name);
	}
	rarog_nearest_add(&nearest, "", &near);
	rarog_fail(-EINVAL, "'%s' is no method of checking%s; rarog check --methods lists them",
		   name, rarog_str_text(&near));
	return NULL;
}

/* --- thresholds --- */

static const struct rarog_threshold none[] = { { .name = NULL } };

static const struct rarog_threshold *thresholds_of(const struct rarog_check_method *method)
{
	return method->thresholds ? method->thresholds : none;
}

void rarog_threshold_standards(const struct rarog_check_method *method,
			       double ret_thresholds[RAROG_THRESHOLDS_MAX])
{
	const struct rarog_threshold *all = thresholds_of(method);

	for (size_t i = 0; all[i].name; i++)
		ret_thresholds[i] = all[i].standard;
}

int rarog_threshold_set(const struct rarog_check_method *method, const char *text,
			double thresholds[RAROG_THRESHOLDS_MAX])
{
	const struct rarog_threshold *all = thresholds_of(method);
	size_t length = strcspn(text, "=");
	size_t i = 0;
	char *end;

	while (all[i].name &&
	       (strlen(all[i].name) != length || strncmp(all[i].name, text, length) != 0))
		i++;
	if (!all[i].name)
		return rarog_fail(-EINVAL, "the method '%s' has no threshold '%.*s'", method->name,
				  (int)length, text);
	if (text[length] == '\0')
		return rarog_fail(-EINVAL, "%s: give a number: %s=%g", text, text, all[i].standard);
	double value = strtod(text + length + 1, &end);

	if (end == text + length + 1 || *end || !(value >= all[i].minimum) ||
	    !(value <= all[i].maximum))
		return rarog_fail(-EINVAL, "%s: must be a number from %g to %g", text,
				  all[i].minimum, all[i].maximum);
	thresholds[i] = value;
	return 0;
}
