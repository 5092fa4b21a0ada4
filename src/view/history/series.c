/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/history/series.h"

#include <math.h>

struct rarog_amount rarog_series_amount(enum rarog_series_metric metric, double value)
{
	uint64_t rounded = value > 0 ? (uint64_t)llround(value) : 0;

	return rarog_series_is_count(metric) ? rarog_format_count(rounded)
					     : rarog_format_ns(rounded);
}
