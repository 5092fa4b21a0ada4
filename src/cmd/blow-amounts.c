/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/blow-amounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"

int rarog_blow_parse_number(const char *text, const char *option, double least, double most,
			    double *ret_value)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= least && value <= most))
		return rarog_fail(-EINVAL, "--%s=%s: from %g to %g is possible", option, text,
				  least, most);
	*ret_value = value;
	return 0;
}

int rarog_blow_parse_budget(const char *text, struct rarog_blow_options *blow)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (*text && !*end && *text != '-') {
		blow->budget_runs = n;
		blow->budget_ns = 0;
		return n >= 10 ? 0
			       : rarog_fail(-EINVAL, "--budget=%s: fewer than 10 runs tell nothing",
					    text);
	}
	return rarog_parse_duration(text, &blow->budget_ns);
}

int rarog_blow_parse_least_time(const char *text, struct rarog_blow_choice *choice)
{
	size_t number = strspn(text, "0123456789.");
	rarog_cleanup(rarog_freep) char *plain = strndup(text, number);
	bool is_share = number > 0 && strcmp(text + number, "%") == 0;
	double percent = 0;
	int r;

	if (!plain)
		return rarog_oom();
	if (number > 0 && text[number] && !is_share &&
	    rarog_parse_duration(text, &choice->mean_ns) == 0) {
		choice->share = 0;
		return 0;
	}
	rarog_error_clear();
	r = rarog_blow_parse_number(is_share ? plain : text, "min-func-time", 0, 100, &percent);
	choice->share = percent / 100;
	return r;
}
