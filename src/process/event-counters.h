/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Performance counters of whole runs: what the processor and the kernel count of a program, its
 * threads and its children, from the moment it is executed. Nothing is put into the program.
 */
#ifndef RAROG_PROCESS_EVENT_COUNTERS_H
#define RAROG_PROCESS_EVENT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

#define RAROG_EVENT_COUNTERS_MOST 32

struct rarog_counter_event;

/* Which are wanted, in the order in which they were named; zeroed: none. */
struct rarog_counter_requests {
	const struct rarog_counter_event *v[RAROG_EVENT_COUNTERS_MOST];
	size_t n;
};

/* What came of one. */
struct rarog_count {
	const char *name; /* static */
	uint64_t value;   /* ns of clocks, else how often; scaled where it counted for a part */
	/* How long it was wanted, and how long it really counted: more are wanted than there are
	 * registers for. */
	uint64_t enabled_ns, running_ns;
	bool is_time;   /* the value is ns */
	bool user_only; /* without what the kernel did for the program */
};

struct rarog_counts {
	struct rarog_count v[RAROG_EVENT_COUNTERS_MOST];
	size_t n;
};

/* Of one process and all that comes from it. Zeroed: none. */
struct rarog_event_counters {
	struct {
		int fd;
		const struct rarog_counter_event *event;
		bool user_only;
	} v[RAROG_EVENT_COUNTERS_MOST];
	size_t n;
};

/**
 * rarog_event_counters_parse() - "page-faults,instructions"
 *
 * Return: 0; -EINVAL: one is not known (near names are suggested), named twice, or there are too
 * many.
 */
int rarog_event_counters_parse(const char *text, struct rarog_counter_requests *ret_requests);

/** rarog_counter_name() - as perf calls it. */
const char *rarog_counter_name(const struct rarog_counter_event *event);

/** rarog_event_counters_check() - can all of them be counted on this machine by this user? 0;
 * -ENOTSUP, -EACCES: the message names the first that cannot, and what to do. */
int rarog_event_counters_check(const struct rarog_counter_requests *requests);

/**
 * rarog_event_counters_open() - count what @pid does from its next exec() on
 *
 * @pid is a child that waits. Return: 0; as rarog_event_counters_check(), nothing is open then.
 */
int rarog_event_counters_open(const struct rarog_counter_requests *requests, pid_t pid,
			      struct rarog_event_counters *ret_counters);

/** rarog_event_counters_read() - as they are now, those of children that run on with them. 0; -EIO
 * with message. */
int rarog_event_counters_read(const struct rarog_event_counters *counters,
			      struct rarog_counts *ret_counts);

void rarog_event_counters_release(struct rarog_event_counters *counters);

/** rarog_counter_scale() - what would have been counted in @enabled ns, @value being that of
 * @running ns of them; @value where it counted for all of them, or for none. */
uint64_t rarog_counter_scale(uint64_t value, uint64_t enabled, uint64_t running);

/** rarog_event_counters_examine() - for rarog doctor: a phrase about which can be counted, and
 * whether programs may read them themselves. Return: are any of the processor's among them? */
bool rarog_event_counters_examine(struct rarog_str *found);

#endif
