/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An event of the kernel (perf_event_open(2)) of a process, its threads and all it will start. One
 * event and one ring a processor, because an inherited event may not have a ring otherwise.
 */
#ifndef RAROG_PROCESS_EVENT_RINGS_H
#define RAROG_PROCESS_EVENT_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct rarog_event_rings;

/** rarog_event_rings_notes() - of an event that counts nothing: the kernel's records of tasks, with
 * times of @clock. No thread waits for them. */
struct perf_event_attr rarog_event_rings_notes(clockid_t clock);

/**
 * rarog_event_rings_new() - open the event for @pid on every processor
 * @attr: .inherit is set
 * @pages: of a ring; a power of two
 * @what: for messages: "context switches"
 *
 * Return: 0; -EACCES, -EPERM, -ENOSYS … not available here, with message.
 */
int rarog_event_rings_new(const struct perf_event_attr *attr, pid_t pid, unsigned pages,
			  const char *what, struct rarog_event_rings **ret_rings);

/** rarog_event_rings_add() - the same event for @pid, a thread, whose records go to the same rings.
 * 0; -ESRCH without message: it has ended; as rarog_event_rings_new(). */
int rarog_event_rings_add(struct rarog_event_rings *rings, pid_t pid);

/** rarog_event_rings_stop() - no more events. */
void rarog_event_rings_stop(struct rarog_event_rings *rings);

struct rarog_event_sum {
	uint64_t value, running_ns; /* running: threads on a processor, and the event on it */
};

/** rarog_event_rings_sum() - of all processors and threads; .read_format of the event is
 * PERF_FORMAT_TOTAL_TIME_RUNNING. */
struct rarog_event_sum rarog_event_rings_sum(const struct rarog_event_rings *rings);

void rarog_event_rings_free(struct rarog_event_rings *rings);
RAROG_DEFINE_FREEP(rarog_event_rings);

/* @record is borrowed; NULL: a ring is so full that records may be missing that the kernel has had
 * no room to tell of. */
typedef int rarog_event_visit(void *context, const struct perf_event_header *record);

/** rarog_event_rings_has() - is there anything to read? */
int rarog_event_rings_has(const struct rarog_event_rings *rings);

/**
 * rarog_event_rings_read() - give all records that are there to @visit
 *
 * Records of one processor come in order, those of several do not. Return: 0, what @visit returned,
 * -EIO.
 */
int rarog_event_rings_read(struct rarog_event_rings *rings, rarog_event_visit *visit,
			   void *context);

#endif
