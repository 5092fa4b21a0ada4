/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's events on their way to the recorder: processes, threads, calls. */
#ifndef RAROG_COLLECT_EBPF_STREAMS_H
#define RAROG_COLLECT_EBPF_STREAMS_H

#include "collect/ebpf/kernel.h"
#include "collect/trace/recorder.h"

struct rarog_ebpf_streams;

/** rarog_ebpf_streams_new() - @map: functions of the events' numbers; both are borrowed. */
int rarog_ebpf_streams_new(struct rarog_recorder *recorder, const struct rarog_id_map *map,
			   struct rarog_ebpf_streams **ret_streams);
void rarog_ebpf_streams_free(struct rarog_ebpf_streams *streams);
RAROG_DEFINE_FREEP(rarog_ebpf_streams);

/** rarog_ebpf_streams_begin() - @pid is the program; @runs: since @ns, else from its execve() on.
 * 0; -errno with message. */
int rarog_ebpf_streams_begin(struct rarog_ebpf_streams *streams, pid_t pid, bool runs, uint64_t ns);

/** rarog_ebpf_streams_program() - its number in the profile; RAROG_NONE: it was not started. */
uint32_t rarog_ebpf_streams_program(const struct rarog_ebpf_streams *streams);

/** rarog_ebpf_streams_take() - as rarog_ebpf_take. 0; errors of the recorder, with message. */
int rarog_ebpf_streams_take(void *streams, const struct rarog_ebpf_event *event);

/** rarog_ebpf_streams_finish() - there are no more events; what has not ended, ends at @ns. */
int rarog_ebpf_streams_finish(struct rarog_ebpf_streams *streams, uint64_t ns);

#endif
