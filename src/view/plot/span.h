/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a run a picture over time shows. */
#ifndef RAROG_VIEW_PLOT_SPAN_H
#define RAROG_VIEW_PLOT_SPAN_H

#include "view/run.h"

struct rarog_time_span {
	uint64_t begin, end; /* ns from the start of the run; begin < end */
};

/** rarog_time_span_of() - @from_ns to @to_ns of @run; where these are 0 from its first measured
 * thread to the end of its last one. */
struct rarog_time_span rarog_time_span_of(const struct rarog_run *run, uint64_t from_ns,
					  uint64_t to_ns);

#endif
