/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_VIEW_HISTORY_SERIES_H
#define RAROG_VIEW_HISTORY_SERIES_H

#include <math.h>

#include "base/units.h"
#include "check/series.h"

/** rarog_series_amount() - a value of a series for people: "12.35 ms", "1,000". */
static inline struct rarog_amount rarog_series_amount(enum rarog_series_metric metric, double value)
{
	uint64_t rounded = value > 0 ? (uint64_t)llround(value) : 0;

	return rarog_series_is_count(metric) ? rarog_format_count(rounded)
					     : rarog_format_ns(rounded);
}

#endif
