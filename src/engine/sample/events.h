/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events that the sample collector opens, and what it may see. */
#ifndef RAROG_ENGINE_SAMPLE_EVENTS_H
#define RAROG_ENGINE_SAMPLE_EVENTS_H

#include "engine/sample/options.h"
#include "process/event-rings.h"

enum rarog_sample_source { RAROG_SOURCE_TIME, RAROG_SOURCE_SWITCHES, RAROG_SOURCES };

struct rarog_sample_events {
	struct rarog_event_rings *rings[RAROG_SOURCES]; /* [SWITCHES]: NULL unless asked for */
	uint64_t sample_type;
	bool is_cycles; /* periods are cycles, not ns of CPU time */
	bool is_user;   /* the kernel is not seen: what runs there is missing */
	bool is_running;
};

/**
 * rarog_sample_events_open() - for @pid, all its threads and what they start
 * @is_running: from now on; else from its exec on
 *
 * Return: 0; -EACCES, -EPERM, -EINVAL … with a message that says what would help.
 */
int rarog_sample_events_open(const struct rarog_sample_options *options, pid_t pid, bool is_running,
			     struct rarog_sample_events *ret_events);
void rarog_sample_events_release(struct rarog_sample_events *events);

/** rarog_sample_events_add() - for a further thread that runs already; as rarog_event_rings_add().
 */
int rarog_sample_events_add(struct rarog_sample_events *events, pid_t tid);

/** rarog_sample_rate() - samples a second that the kernel allows, of @wanted. */
long rarog_sample_rate(long wanted);

/** rarog_sample_events_name() - "cpu-cycles", "cpu-clock"; static. */
const char *rarog_sample_events_name(const struct rarog_sample_events *events);

#endif
