/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest times that threads of a run were off-CPU, one by one: where a timeline shows them. */
#ifndef RAROG_EVENTS_ABSENCES_H
#define RAROG_EVENTS_ABSENCES_H

#include "base/vec.h"
#include "events/off-cpu.h"
#include "events/sink.h"

/* Zeroed: none. */
struct rarog_absences {
	RAROG_VEC(struct rarog_absence) list;
	RAROG_VEC(uint64_t) ends; /* by strand, ticks; 0: it has not ended */
};

void rarog_absences_release(struct rarog_absences *absences);

/** rarog_absences_add() - those of @strand; of more than there is room for the longest stay. 0,
 * -ENOMEM. */
int rarog_absences_add(struct rarog_absences *absences, uint32_t strand, size_t n,
		       const struct rarog_off_cpu_span spans[n]);

/** rarog_absences_end() - @strand ended at @ticks: what it did not come back from ends there, too.
 * 0, -ENOMEM. */
int rarog_absences_end(struct rarog_absences *absences, uint32_t strand, uint64_t ticks);

/** rarog_absences_write() - to @sink, by strand and time. 0, errors of the sink. */
int rarog_absences_write(struct rarog_absences *absences, const struct rarog_assembler_sink *sink);

#endif
