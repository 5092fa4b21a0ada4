/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In which functions the time of a run went, from moment to moment. */
#ifndef RAROG_VIEW_PLOT_FLOW_H
#define RAROG_VIEW_PLOT_FLOW_H

#include "view/plot/span.h"

struct rarog_time_flow_line {
	uint32_t location;
	bool is_unknown; /* calls of it, or that it makes, were not recorded: too long or short */
	uint64_t total;  /* ns in the whole span */
	uint64_t *ns;    /* ns[cells]: time in the function itself, over all threads */
};

struct rarog_time_flow {
	struct rarog_time_span span;
	size_t cells, n;
	struct rarog_time_flow_line *lines; /* most time first, the unknown ones last */
	bool is_sampled;                    /* not all calls were recorded */
};

struct rarog_time_flow_limits {
	size_t cells;
	bool has_tid;
	uint32_t tid;            /* of this thread only */
	uint64_t from_ns, to_ns; /* as rarog_time_span_of() takes them */
};

/**
 * rarog_time_flow_read() - exclusive times by cell of the span
 * @ret_flow: the caller releases it, also after an error
 *
 * Return: 0; -ENODATA only sums were kept; -ENOENT no such thread; -EBADMSG, -ENOMEM.
 */
int rarog_time_flow_read(const struct rarog_run *run, const struct rarog_time_flow_limits *limits,
			 struct rarog_time_flow *ret_flow);

void rarog_time_flow_release(struct rarog_time_flow *flow);

#endif
