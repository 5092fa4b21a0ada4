/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Off-CPU time of a thread: spans of it as an engine delivers them, and what
 * a stack machine keeps of them.
 */
#ifndef RAROG_EVENTS_OFF_CPU_H
#define RAROG_EVENTS_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define RAROG_OFF_CPU_PREEMPTED (UINT64_C(1) << 63) /* it could have run, another did */
#define RAROG_OFF_CPU_SPANS_MAX ((size_t)4 << 20)   /* of a strand that wait for its words */

/* Two clocks never agree exactly; what differs by more than this is a contradiction. */
#define RAROG_OFF_CPU_TOLERANCE (UINT64_C(1) << 17) /* ticks */

struct rarog_off_cpu_span {
	uint64_t start; /* ticks */
	uint64_t ticks; /* how long, and RAROG_OFF_CPU_PREEMPTED */
};

struct rarog_off_cpu_time {
	uint64_t waited, preempted; /* ticks */
};

struct rarog_stats_off_cpu {
	struct rarog_off_cpu_time exclusive, total;
};

struct rarog_machine_off_cpu {
	RAROG_VEC(struct rarog_off_cpu_span) spans; /* those from next on are to come */
	size_t next;
	uint64_t born; /* raw clock when the strand began */
	uint64_t done; /* raw clock up to which they are accounted for */
	/* What open calls have of it, callees included: only calls flagged RAROG_FRAME_OFF_CPU, by
	 * depth. */
	RAROG_VEC(struct rarog_off_cpu_mark) marks;
	struct rarog_stats_off_cpu *stats; /* by function id, NULL: none yet */
	bool is_unknown;                   /* it does not fit the events, or was not seen */
};

struct rarog_off_cpu_mark {
	size_t depth;
	struct rarog_off_cpu_time time;
};

static inline void rarog_off_cpu_add(struct rarog_off_cpu_time *to,
				     const struct rarog_off_cpu_time *time)
{
	to->waited += time->waited;
	to->preempted += time->preempted;
}

static inline bool rarog_off_cpu_is_none(const struct rarog_off_cpu_time *time)
{
	return !time->waited && !time->preempted;
}

#endif
