/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of probes in the kernel on their way to the recorder: processes, threads, calls. */
#ifndef RAROG_ENGINE_PROBED_STREAMS_H
#define RAROG_ENGINE_PROBED_STREAMS_H

#include "base/cleanup.h"
#include "engine/probed/event.h"
#include "events/recorder.h"

struct rarog_probed_streams;

/** rarog_probed_streams_new() - @map: functions of the events' numbers; @has_results: which of them
 * tell values when they return, NULL: none; all are borrowed. */
int rarog_probed_streams_new(struct rarog_recorder *recorder, const struct rarog_id_map *map,
			     const bool *has_results, struct rarog_probed_streams **ret_streams);

/** rarog_probed_streams_sampled() - by number: of which not each beginning is told; borrowed. */
void rarog_probed_streams_sampled(struct rarog_probed_streams *streams, const bool are_sampled[]);
void rarog_probed_streams_free(struct rarog_probed_streams *streams);
RAROG_DEFINE_FREEP(rarog_probed_streams);

/** rarog_probed_streams_begin() - @pid is the program; @runs: since @ns, else from its execve() on.
 * 0; -errno with message. */
int rarog_probed_streams_begin(struct rarog_probed_streams *streams, pid_t pid, bool runs,
			       uint64_t ns);

/** rarog_probed_streams_everybody() - there is no such program: processes come and go that run the
 * file at @path, or if it @is_library have it mapped. It is called @name, borrowed. 0; -errno with
 * message. */
int rarog_probed_streams_everybody(struct rarog_probed_streams *streams, const char *path,
				   const char *name, bool is_library);

/** rarog_probed_streams_joined() - how many have, so far, with those that were forked. */
size_t rarog_probed_streams_joined(const struct rarog_probed_streams *streams);

/** rarog_probed_streams_program() - its number in the profile; RAROG_NONE: it was not started. */
uint32_t rarog_probed_streams_program(const struct rarog_probed_streams *streams);

/** rarog_probed_streams_take() - as rarog_probed_take. 0; errors of the recorder, with message. */
int rarog_probed_streams_take(void *streams, const struct rarog_probed_event *event);

/** rarog_probed_streams_strand() - the strand of the profile that the thread with that number
 * (RAROG_PROBED_THREAD) is; RAROG_NONE: nothing was heard of it. */
uint32_t rarog_probed_streams_strand(const struct rarog_probed_streams *streams, uint32_t number);

/** rarog_probed_streams_rest() - the thread with that number ended @n calls of @function before the
 * next one would have been told. 0; errors of the recorder. */
int rarog_probed_streams_rest(const struct rarog_probed_streams *streams, uint32_t number,
			      uint32_t function, uint64_t n);

/** rarog_probed_streams_skipped() - instead: so many calls of @function were counted and not told.
 * 0 or -ENOMEM. */
int rarog_probed_streams_skipped(const struct rarog_probed_streams *streams, uint32_t number,
				 uint32_t function, uint64_t n);

/** rarog_probed_streams_finish() - there are no more events; what has not ended, ends at @ns, or
 * with the last event. */
int rarog_probed_streams_finish(struct rarog_probed_streams *streams, uint64_t ns);

#endif
