/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest times that threads of a run were off-CPU, one by one: where a timeline shows them. */
#ifndef RAROG_EVENTS_ABSENCES_H
#define RAROG_EVENTS_ABSENCES_H

#include "base/vec.h"
#include "events/off-cpu.h"
#include "events/sink.h"

/* Of a strand, in ticks: when it was there. */
struct rarog_absences_life {
	uint64_t from, to;
};

/* Zeroed: none. */
struct rarog_absences {
	RAROG_VEC(struct rarog_absence) list;
	RAROG_VEC(struct rarog_absences_life) lives; /* by strand */
};

void rarog_absences_release(struct rarog_absences *absences);

/** rarog_absences_add() - those of @strand; of more than there is room for the longest stay. 0,
 * -ENOMEM. */
int rarog_absences_add(struct rarog_absences *absences, uint32_t strand, size_t n,
		       const struct rarog_off_cpu_span spans[n]);

/** rarog_absences_live() - @strand was there between @from and @to (UINT64_MAX: it still is): of
 * what reaches over these the part between stays, as of what it did not come back from. 0, -ENOMEM.
 */
int rarog_absences_live(struct rarog_absences *absences, uint32_t strand, uint64_t from,
			uint64_t to);

/** rarog_absences_write() - to @sink, by strand and time. 0, errors of the sink. */
int rarog_absences_write(struct rarog_absences *absences, const struct rarog_assembler_sink *sink);

#endif
