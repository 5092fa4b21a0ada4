/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Context switches of a process, its threads and all it will start, as the kernel records them
 * (perf_event_open(2): a dummy software event with context_switch, inherited). Needs no rights at
 * perf_event_paranoid 2 and below, and nothing in the processes.
 */
#ifndef RAROG_PROCESS_SWITCH_RINGS_H
#define RAROG_PROCESS_SWITCH_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

enum rarog_switch_kind {
	RAROG_SWITCH_IN,
	RAROG_SWITCH_WAITS,     /* out: sleeps, is stopped, waits for something */
	RAROG_SWITCH_PREEMPTED, /* out: could run, another does */
	RAROG_SWITCH_BORN,      /* the thread begins */
	RAROG_SWITCH_GONE,      /* it ends */
	RAROG_SWITCH_LOST,      /* records are missing, of any thread; tid: 0 */
};

struct rarog_switch {
	uint64_t ticks; /* of the time-stamp counter */
	uint32_t tid;   /* in our name space */
	enum rarog_switch_kind kind;
};

struct rarog_switch_rings;

#define RAROG_SWITCH_PAGES 64 /* of a ring, by default */

/**
 * rarog_switch_rings_new() - watch @pid from now on, and what it starts
 * @pages: of a ring, of which each processor has one; a power of two
 *
 * Return: 0; -EACCES, -EPERM, -ENOSYS … not available here, with message.
 */
int rarog_switch_rings_new(pid_t pid, unsigned pages, struct rarog_switch_rings **ret_rings);
void rarog_switch_rings_free(struct rarog_switch_rings *rings);
RAROG_DEFINE_FREEP(rarog_switch_rings);

typedef int rarog_switch_visit(void *context, const struct rarog_switch *record);

/**
 * rarog_switch_rings_read() - give all records that are there to @visit
 *
 * Records of one processor come in order, those of several do not. What a thread did in user mode,
 * and let us know, came after its records until then: these are there.
 * Return: 0, what @visit returned.
 */
int rarog_switch_rings_read(struct rarog_switch_rings *rings, rarog_switch_visit *visit,
			    void *context);

#endif
