/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where assembled measurements go: normally a profile writer, in tests a recorder.
 */
#ifndef RAROG_EVENTS_SINK_H
#define RAROG_EVENTS_SINK_H

#include "profile/writer.h"

/* Every slot takes arrays that are borrowed for the duration of the call and returns 0 or -errno
 * with a message; a failure ends the assembly. A NULL slot drops what it would be given. */
struct rarog_assembler_sink {
	void *context;
	int (*calls)(void *context, const struct rarog_calls *calls);
	int (*nodes)(void *context, size_t n, const struct rarog_node *v);
	int (*summaries)(void *context, size_t n, const struct rarog_summary *v);
	int (*losses)(void *context, size_t n, const struct rarog_loss *v);
	int (*off_cpu)(void *context, size_t n, const struct rarog_off_cpu *v);
	int (*nodes_off_cpu)(void *context, size_t n, const struct rarog_node_off_cpu *v);
	int (*absences)(void *context, size_t n, const struct rarog_absence *v);
	int (*values)(void *context, size_t n, const struct rarog_call_value *v);
};

/** rarog_assembler_to_writer() - a sink that forwards everything to @writer (borrowed). */
struct rarog_assembler_sink rarog_assembler_to_writer(struct rarog_profile_writer *writer);

#endif
