/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a series of versions as people read them. */
#ifndef RAROG_VIEW_HISTORY_SERIES_H
#define RAROG_VIEW_HISTORY_SERIES_H

#include "base/units.h"
#include "check/series.h"

/** rarog_series_amount() - "12.35 ms", "1,000"; nothing is below 0. */
struct rarog_amount rarog_series_amount(enum rarog_series_metric metric, double value);

#endif
