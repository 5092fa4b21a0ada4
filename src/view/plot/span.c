/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/plot/span.h"

struct rarog_time_span rarog_time_span_of(const struct rarog_run *run, uint64_t from_ns,
					  uint64_t to_ns)
{
	struct rarog_time_span span = { UINT64_MAX, 0 };

	for (size_t i = 0; i < run->n_strands; i++) {
		uint64_t begin = rarog_run_ns(run, run->strands[i].start_ticks);
		uint64_t end = rarog_run_ns(run, run->strands[i].end_ticks);

		span.begin = begin < span.begin ? begin : span.begin;
		span.end = end > span.end ? end : span.end;
	}
	if (from_ns > 0 || span.begin > span.end)
		span.begin = from_ns;
	if (to_ns > 0)
		span.end = to_ns;
	if (span.end <= span.begin)
		span.end = span.begin + 1;
	return span;
}
