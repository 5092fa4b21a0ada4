/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the kernel's records of context switches to the off-CPU spans of strands, given to the
 * recorder. Not thread-safe.
 */
#ifndef RAROG_EVENTS_SWITCHES_H
#define RAROG_EVENTS_SWITCHES_H

#include "events/recorder.h"
#include "process/switch-rings.h"

struct rarog_switches;

/** rarog_switches_new() - @take_rings: NULL in tests, which deliver records themselves. */
int rarog_switches_new(struct rarog_recorder *recorder, struct rarog_switch_rings *take_rings,
		       struct rarog_switches **ret_switches);
void rarog_switches_free(struct rarog_switches *switches);
RAROG_DEFINE_FREEP(rarog_switches);

/** rarog_switches_take() - one record, of threads in any order; as rarog_switch_visit(). */
int rarog_switches_take(void *switches, const struct rarog_switch *record);

/** rarog_switches_read() - empty the kernel's rings; nothing is given to the recorder. */
int rarog_switches_read(struct rarog_switches *switches);

/** rarog_switches_add() - strand @strand of the recorder belongs to thread @tid since @start_ticks.
 * RAROG_NONE: to no thread that can be told. */
int rarog_switches_add(struct rarog_switches *switches, uint32_t strand, uint32_t tid,
		       uint64_t start_ticks);

/** rarog_switches_before() - words of @strand are about to be given to the recorder. */
int rarog_switches_before(struct rarog_switches *switches, uint32_t strand);

/** rarog_switches_end() - @strand is about to end. */
int rarog_switches_end(struct rarog_switches *switches, uint32_t strand);

/**
 * rarog_switches_sweep() - now and then: what is not needed any more is forgotten
 * @now: all strands begun until then are added
 */
int rarog_switches_sweep(struct rarog_switches *switches, uint64_t now);

#endif
