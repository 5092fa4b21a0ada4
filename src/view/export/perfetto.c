/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perfetto's native trace: a sequence of TracePackets, each strand a packet sequence of its own
 * with its own track. Three things keep it small: function names are interned (sent once a
 * sequence, then a number), time is a clock that counts from packet to packet, and the track is the
 * sequence's default. Packets are gathered and deflated into compressed_packets, which must stay
 * below 512 KiB; that brings a call to a few bytes.
 *
 * Order within a sequence: clock and defaults, then for each event its packet, with the name it
 * is first to use. Tracks are described before, in packets of no sequence.
 *
 * Reference: the .proto files of perfetto.dev (trace_packet, track_event, clock_snapshot, …).
 */
#include <zlib.h>

#include "base/error.h"
#include "view/export/export.h"
#include "view/export/proto.h"
#include "view/run.h"
#include "view/sieve.h"
#include "view/text.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_COMPRESSED = 50,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { SNAPSHOT_CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_INCREMENTAL = 3 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6, CLOCK_OURS = 64 };
enum { EVENT_ANNOTATIONS = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11 };
enum { TYPE_BEGIN = 1, TYPE_END = 2 };
enum { ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };
enum { INTERNED_NAMES = 2, NAME_ID = 1, NAME_TEXT = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

#define BATCH_BYTES (256 * 1024)

struct perfetto {
	struct rarog_run run;
	FILE *out;
	struct rarog_proto batch;               /* packets waiting to be compressed */
	struct rarog_proto packet, part, inner; /* being built, each a field of the one before */
	char *deflated;
	size_t deflated_size;
	uint32_t strand;    /* of the sequence being written, RAROG_NONE: none yet */
	uint64_t at;        /* its clock, ns */
	uint32_t *interned; /* by location: the last strand + 1 that was told its name */
};

/* Track ids: odd processes, even strands, so that they never meet. */
static uint64_t process_track(uint32_t process)
{
	return 2 * (uint64_t)process + 1;
}

static uint64_t strand_track(uint32_t strand)
{
	return 2 * (uint64_t)strand + 2;
}

static int deflate_batch(struct perfetto *p, size_t *ret_n)
{
	size_t bound = compressBound(p->batch.bytes.length);
	uLongf n = bound;

	if (bound > p->deflated_size) {
		char *grown = realloc(p->deflated, bound);

		if (!grown)
			return rarog_oom();
		p->deflated = grown;
		p->deflated_size = bound;
	}
	if (compress2((Bytef *)p->deflated, &n, (const Bytef *)p->batch.bytes.text,
		      p->batch.bytes.length, Z_DEFAULT_COMPRESSION) != Z_OK)
		return rarog_oom();
	*ret_n = n;
	return 0;
}

static int flush_batch(struct perfetto *p)
{
	rarog_cleanup(rarog_proto_release) struct rarog_proto packet = { 0 }, trace = { 0 };
	size_t n = 0;

	if (p->batch.bytes.length == 0)
		return p->batch.error;
	int r = deflate_batch(p, &n);

	if (r < 0)
		return r;
	rarog_proto_bytes(&packet, PACKET_COMPRESSED, n, p->deflated);
	rarog_proto_message(&trace, TRACE_PACKET, &packet);
	fwrite(rarog_str_text(&trace.bytes), 1, trace.bytes.length, p->out);
	rarog_str_clear(&p->batch.bytes);
	return trace.error;
}

/* The packet being built is complete. */
static int end_packet(struct perfetto *p)
{
	size_t after = p->batch.bytes.length + p->packet.bytes.length;
	int r = after > BATCH_BYTES ? flush_batch(p) : 0;

	rarog_proto_message(&p->batch, TRACE_PACKET, &p->packet);
	return r < 0 ? r : p->batch.error;
}

static int describe_process(struct perfetto *p, uint32_t index)
{
	const struct rarog_process *of = &p->run.processes[index];

	rarog_proto_uint(&p->inner, PROCESS_PID, of->pid);
	rarog_proto_text(&p->inner, PROCESS_COMMAND, of->command);
	rarog_proto_text(&p->inner, PROCESS_NAME, of->command);
	rarog_proto_uint(&p->part, TRACK_UUID, process_track(index));
	rarog_proto_message(&p->part, TRACK_PROCESS, &p->inner);
	rarog_proto_message(&p->packet, PACKET_TRACK, &p->part);
	return end_packet(p);
}

static void describe_thread(struct perfetto *p, uint32_t index)
{
	uint32_t pid = rarog_run_pid(&p->run, index), tid = p->run.strands[index].tid;
	char name[32];

	snprintf(name, sizeof(name), pid == tid ? "main" : "thread %u", tid);
	rarog_proto_uint(&p->inner, THREAD_PID, pid);
	rarog_proto_uint(&p->inner, THREAD_TID, tid);
	rarog_proto_text(&p->inner, THREAD_NAME, name);
	rarog_proto_uint(&p->part, TRACK_PARENT, process_track(p->run.strands[index].process));
	rarog_proto_message(&p->part, TRACK_THREAD, &p->inner);
}

/* A thread's first strand is its track; further stacks (of signal handlers, coroutines) hang below
 * it, for a thread has only one track. */
static int describe_strand(struct perfetto *p, uint32_t index)
{
	uint32_t first = rarog_run_first_strand(&p->run, index);

	rarog_proto_uint(&p->part, TRACK_UUID, strand_track(index));
	if (first == index) {
		describe_thread(p, index);
	} else {
		rarog_proto_uint(&p->part, TRACK_PARENT, strand_track(first));
		rarog_proto_text(&p->part, TRACK_NAME, "another stack");
	}
	rarog_proto_message(&p->packet, PACKET_TRACK, &p->part);
	return end_packet(p);
}

static void add_clock(struct perfetto *p, uint32_t id, uint64_t time)
{
	rarog_proto_uint(&p->inner, CLOCK_ID, id);
	rarog_proto_uint(&p->inner, CLOCK_TIME, time);
	if (id == CLOCK_OURS)
		rarog_proto_uint(&p->inner, CLOCK_INCREMENTAL, 1);
	rarog_proto_message(&p->part, SNAPSHOT_CLOCKS, &p->inner);
}

/* The packet that begins a sequence: its clock, its track. */
static int begin_sequence(struct perfetto *p, uint32_t strand)
{
	p->strand = strand;
	p->at = rarog_run_ns(&p->run, p->run.strands[strand].start_ticks);
	rarog_proto_uint(&p->packet, PACKET_SEQUENCE, strand + 1);
	rarog_proto_uint(&p->packet, PACKET_FLAGS, FLAG_CLEARED);
	add_clock(p, CLOCK_BOOTTIME_ID, p->at);
	add_clock(p, CLOCK_REALTIME_ID, rarog_run_wall_ns(&p->run) + p->at);
	add_clock(p, CLOCK_OURS, p->at);
	rarog_proto_message(&p->packet, PACKET_CLOCK_SNAPSHOT, &p->part);
	rarog_proto_uint(&p->inner, EVENT_TRACK, strand_track(strand));
	rarog_proto_uint(&p->part, PACKET_CLOCK, CLOCK_OURS);
	rarog_proto_message(&p->part, PACKET_TRACK_EVENT, &p->inner);
	rarog_proto_message(&p->packet, PACKET_DEFAULTS, &p->part);
	return end_packet(p);
}

static void intern_name(struct perfetto *p, uint32_t location)
{
	if (p->interned[location] == p->strand + 1)
		return;
	p->interned[location] = p->strand + 1;
	rarog_proto_uint(&p->inner, NAME_ID, location + 1);
	rarog_proto_text(&p->inner, NAME_TEXT, rarog_location_title(&p->run.locations[location]));
	rarog_proto_message(&p->part, INTERNED_NAMES, &p->inner);
	rarog_proto_message(&p->packet, PACKET_INTERNED, &p->part);
}

static void annotate_end(struct perfetto *p, uint32_t end)
{
	rarog_proto_text(&p->inner, ANNOTATION_NAME, "end");
	rarog_proto_text(&p->inner, ANNOTATION_TEXT, rarog_end_name(end));
	rarog_proto_message(&p->part, EVENT_ANNOTATIONS, &p->inner);
}

static void add_begin(struct perfetto *p, const struct rarog_moment *m)
{
	intern_name(p, m->location);
	rarog_proto_uint(&p->part, EVENT_TYPE, TYPE_BEGIN);
	rarog_proto_uint(&p->part, EVENT_NAME, m->location + 1);
	rarog_proto_message(&p->packet, PACKET_TRACK_EVENT, &p->part);
}

static void add_end(struct perfetto *p, const struct rarog_moment *m)
{
	rarog_proto_uint(&p->part, EVENT_TYPE, TYPE_END);
	if (m->end != RAROG_OP_RETURN)
		annotate_end(p, m->end);
	rarog_proto_message(&p->packet, PACKET_TRACK_EVENT, &p->part);
}

static int write_event(struct perfetto *p, const struct rarog_moment *m)
{
	uint64_t at = rarog_run_ns(&p->run, m->ticks), delta;
	int r = 0;

	if (m->kind == RAROG_MOMENT_LOST)
		return 0;
	if (m->strand != p->strand)
		r = begin_sequence(p, m->strand);
	delta = at > p->at ? at - p->at : 0;
	p->at += delta;
	rarog_proto_uint(&p->packet, PACKET_TIMESTAMP, delta);
	rarog_proto_uint(&p->packet, PACKET_SEQUENCE, m->strand + 1);
	rarog_proto_uint(&p->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	if (m->kind == RAROG_MOMENT_ENTER)
		add_begin(p, m);
	else
		add_end(p, m);
	return r < 0 ? r : end_packet(p);
}

static int write_all(struct perfetto *p, struct rarog_sieve *sieve)
{
	struct rarog_moment moment;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < p->run.n_processes; i++)
		r = describe_process(p, i);
	for (uint32_t i = 0; r == 0 && i < p->run.n_strands; i++)
		r = describe_strand(p, i);
	while (r == 0 && !ferror(p->out) && (r = rarog_sieve_next(sieve, &moment)) > 0)
		r = write_event(p, &moment);
	return r < 0 ? r : flush_batch(p);
}

static int perfetto_write(struct rarog_profile *profile, const struct rarog_export_options *options,
			  FILE *out)
{
	rarog_cleanup(rarog_sieve_freep) struct rarog_sieve *sieve = NULL;
	struct perfetto p = { .out = out, .strand = RAROG_NONE };
	int r = rarog_run_load(profile, &p.run);

	if (r == 0)
		r = rarog_sieve_new(&p.run, &options->sieve, &sieve);
	if (r < 0)
		return r;
	p.interned = calloc(p.run.n_locations + 1, sizeof(*p.interned));
	r = p.interned ? write_all(&p, sieve) : rarog_oom();
	free(p.interned);
	free(p.deflated);
	rarog_proto_release(&p.batch);
	rarog_proto_release(&p.packet);
	rarog_proto_release(&p.part);
	rarog_proto_release(&p.inner);
	return r;
}

const struct rarog_export_format rarog_export_perfetto = {
	.name = "perfetto",
	.summary = "compressed native trace for ui.perfetto.dev and trace_processor",
	.is_binary = true,
	.needs_calls = true,
	.write = perfetto_write,
};
