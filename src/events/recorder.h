/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a trace engine delivers to: processes, strands, their event streams, call counts. Keeps the
 * raw streams in a spool file while the program runs and assembles them afterwards (detail calls),
 * or assembles them at once (detail summary, or when the spool has reached its bound).
 * Thread-safe: every call takes the recorder's lock.
 */
#ifndef RAROG_EVENTS_RECORDER_H
#define RAROG_EVENTS_RECORDER_H

#include "base/cleanup.h"
#include "events/off-cpu.h"
#include "plan/marks.h"
#include "plan/plan.h"
#include "profile/writer.h"

struct rarog_recorder;

struct rarog_recorder_options {
	struct rarog_profile_writer *writer;  /* borrowed */
	const struct rarog_plan *plan;        /* borrowed */
	const char *directory;                /* for the spool */
	uint64_t compensate, compensate_self; /* ticks, see assemble.h */
};

int rarog_recorder_new(const struct rarog_recorder_options *options,
		       struct rarog_recorder **ret_recorder);
void rarog_recorder_free(struct rarog_recorder *recorder);
RAROG_DEFINE_FREEP(rarog_recorder);

/* Locations: @n functions of @binary at once; texts are copied; demangled names are made by
 * rarog_recorder_finish(). Return: the location of the first. */
long rarog_recorder_add_locations(struct rarog_recorder *r,
				  const struct rarog_profile_binary *binary, size_t n,
				  const struct rarog_location locations[n]);
struct rarog_place_rows;

/** rarog_recorder_add_places() - the same of @rows, which say how each is measured, too. */
long rarog_recorder_add_places(struct rarog_recorder *r, const struct rarog_profile_binary *binary,
			       const struct rarog_place_rows *rows);
struct rarog_wanted_values;

/** rarog_recorder_add_values() - @values are captured with the calls of @location; before the first
 * of them. */
int rarog_recorder_add_values(struct rarog_recorder *r, uint32_t location,
			      const struct rarog_wanted_values *values);

/** rarog_recorder_add_mark_values() - those of all names of @marks; @first: location of the first.
 * 0; errors of rarog_recorder_add_values(). */
int rarog_recorder_add_mark_values(struct rarog_recorder *recorder, const struct rarog_marks *marks,
				   uint32_t first);

/** rarog_recorder_set_source() - @location comes from @file:@line; before finish. */
int rarog_recorder_set_source(struct rarog_recorder *r, uint32_t location, const char *file,
			      uint32_t line);

/** rarog_recorder_set_mark_sources() - those of all names of @marks; @first: location of the first.
 * 0; errors of rarog_recorder_set_source(). */
int rarog_recorder_set_mark_sources(struct rarog_recorder *recorder,
				    const struct rarog_marks *marks, struct rarog_binary *binary,
				    uint32_t first);

/** rarog_recorder_set_pruned_sources() - likewise those of the functions that @set leaves out,
 * which are the last rows of their file; @first: location of the first. */
int rarog_recorder_set_pruned_sources(struct rarog_recorder *recorder,
				      const struct rarog_place_set *set,
				      struct rarog_binary *binary, uint32_t first);
long rarog_recorder_add_process(struct rarog_recorder *r, const struct rarog_process *process);
int rarog_recorder_end_process(struct rarog_recorder *r, uint32_t process, uint64_t end_ticks,
			       int wait_status);

/* Function ids of a stream to profile locations; grows while the program runs (dlopen). Lives as
 * long as the recorder. */
struct rarog_id_map {
	uint32_t n;
	uint32_t *locations; /* locations[capacity] */
};

/** rarog_recorder_id_map() - a new empty map with room for @capacity ids; borrowed. NULL: memory.
 */
struct rarog_id_map *rarog_recorder_id_map(struct rarog_recorder *r, uint32_t capacity);

/** rarog_recorder_id_map_full() - nothing more will be added to @map: keep what it has only. */
void rarog_recorder_id_map_full(struct rarog_recorder *r, struct rarog_id_map *map);

/** rarog_recorder_add_strand() - a strand whose stream uses the ids of @map. Return: its index. */
long rarog_recorder_add_strand(struct rarog_recorder *r, const struct rarog_strand *strand,
			       const struct rarog_id_map *map);

/** rarog_recorder_set_pulse() - call @function at least once for each block of words that is taken
 * or assembled, however long all of them take: the engine shows that it lives. NULL: none. */
void rarog_recorder_set_pulse(struct rarog_recorder *r, void (*function)(void *context),
			      void *context);

/** rarog_recorder_words() - the strand's next words. On -ENOSPC the events are counted as lost. */
int rarog_recorder_words(struct rarog_recorder *r, uint32_t strand, size_t n,
			 const uint16_t words[n]);
int rarog_recorder_end_strand(struct rarog_recorder *r, uint32_t strand, uint64_t end_ticks);

/** rarog_recorder_know_off_cpu() - the engine tells when strands were off-CPU
 * (rarog_recorder_off_cpu()): CPU time is known. Before the first strand. */
void rarog_recorder_know_off_cpu(struct rarog_recorder *r);

/** rarog_recorder_off_cpu() - as rarog_assembler_off_cpu(). */
int rarog_recorder_off_cpu(struct rarog_recorder *r, uint32_t strand, size_t n,
			   const struct rarog_off_cpu_span spans[n]);

/** rarog_recorder_off_cpu_unknown() - as rarog_assembler_off_cpu_unknown(). */
void rarog_recorder_off_cpu_unknown(struct rarog_recorder *r, uint32_t strand);

/** rarog_recorder_count() - @count more calls of @location (detail count). */
int rarog_recorder_count(struct rarog_recorder *r, uint32_t location, uint64_t count);
/** rarog_recorder_sample() - of @location every @every-th call of a strand is delivered, the first
 * of them first. 0 or -ENOMEM. */
int rarog_recorder_sample(struct rarog_recorder *r, uint32_t location, uint32_t every);

/** rarog_recorder_rest() - at the end of @strand, the next call of @location to be delivered would
 * have come after @n others. 0 or -ENOMEM. */
int rarog_recorder_rest(struct rarog_recorder *r, uint32_t location, uint32_t strand, uint64_t n);

/** rarog_recorder_skipped() - instead of both: @n calls of @location by @strand were counted and
 * not delivered. 0 or -ENOMEM. */
int rarog_recorder_skipped(struct rarog_recorder *r, uint32_t location, uint32_t strand,
			   uint64_t n);

/** rarog_recorder_epoch() - with --overhead: from @ticks on the gate of @location says @word;
 * @skipped: of its calls were not recorded before. 0 or -ENOMEM. */
int rarog_recorder_epoch(struct rarog_recorder *r, uint32_t location, uint64_t ticks, uint32_t word,
			 uint64_t skipped);

struct rarog_sums;

/** rarog_recorder_sums() - what the engine has summed up by itself (sums.h), after everything else
 * that is to be known of its calls. As rarog_assembler_sums(). */
int rarog_recorder_sums(struct rarog_recorder *r, const struct rarog_sums *sums);

/** rarog_recorder_lose() - @count of @what (a static text) are missing in the profile. */
void rarog_recorder_lose(struct rarog_recorder *r, const char *what, uint64_t count);

/*
 * Nothing is lost by these. Ends of regions that had not begun: a place, a loop's head for one, may
 * be passed by ways that the beginning is not on. Calls on stacks that are not known: they may
 * be shown below others than their callers. Processes that the program leaves behind: they are
 * measured until it ends.
 */
enum rarog_doubt { RAROG_DOUBT_UNBEGUN, RAROG_DOUBT_ASTRAY, RAROG_DOUBT_OUTLIVING, RAROG_DOUBTS };

/** rarog_recorder_doubt() - there were @n. */
void rarog_recorder_doubt(struct rarog_recorder *r, enum rarog_doubt doubt, uint64_t n);

struct rarog_recorder_totals {
	uint64_t calls, events, raw_bytes, lost;
	uint64_t open, unwound, wait_ticks;
	uint64_t doubts[RAROG_DOUBTS];
	uint64_t all_calls;   /* recorded or not, if … */
	bool is_sampled;      /* … there are some that were not */
	uint64_t assemble_ns; /* time that assembling took */
	size_t nodes;
	bool knows_off_cpu;       /* CPU time is known … */
	uint64_t strands_unknown; /* … but for so many strands */
	uint64_t clamped;         /* calls that were shorter than the cost of the probes in them */
	bool became_summary;      /* the bound of the spool was reached */
	bool had_no_room;         /* the disk was full: no single calls, only sums */
};

/** rarog_recorder_finish() - assemble what is spooled, write tree, summaries, losses. */
int rarog_recorder_finish(struct rarog_recorder *r, uint64_t end_ticks,
			  struct rarog_recorder_totals *ret_totals);

#endif
