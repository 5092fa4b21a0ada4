/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a profile. Opening reads the index and the small tables only; the rest is read when
 * asked for, block by block. Any bytes are survived: errors name the file and the section.
 */
#ifndef RAROG_PROFILE_READER_H
#define RAROG_PROFILE_READER_H

#include "base/cleanup.h"
#include "profile/profile.h"

struct rarog_profile;

/**
 * rarog_profile_open() - open a profile file
 *
 * A file without its index (cut off) is recovered by scanning; rarog_profile_is_partial() is true
 * then and what was whole is there. Return: 0; -ENOENT …; -EINVAL "PATH: not a rarog profile";
 * -EBADMSG a section is damaged (named); -EPROTONOSUPPORT written by a newer rarog.
 */
int rarog_profile_open(const char *path, struct rarog_profile **ret_profile);

/** rarog_profile_open_canonical() - a profile in memory, in its plain form (plain.h).
 * @name: for messages. @take_bytes: malloc'd; the profile's from here on, also on failure. */
int rarog_profile_open_canonical(const char *name, uint8_t *take_bytes, size_t n,
				 struct rarog_profile **ret_profile);
void rarog_profile_free(struct rarog_profile *profile);
RAROG_DEFINE_FREEP(rarog_profile);

const char *rarog_profile_path(const struct rarog_profile *profile);
bool rarog_profile_is_partial(const struct rarog_profile *profile);
const char *rarog_profile_header(const struct rarog_profile *profile); /* JSON text */
const struct rarog_clock *rarog_profile_clock(const struct rarog_profile *profile);

/* Tables: return the count, set the borrowed array; negative on a damaged section. */
long rarog_profile_binaries(struct rarog_profile *p, const struct rarog_profile_binary **ret);
long rarog_profile_locations(struct rarog_profile *p, const struct rarog_location **ret);
long rarog_profile_processes(struct rarog_profile *p, const struct rarog_process **ret);
long rarog_profile_strands(struct rarog_profile *p, const struct rarog_strand **ret);
long rarog_profile_nodes(struct rarog_profile *p, const struct rarog_node **ret);
long rarog_profile_summaries(struct rarog_profile *p, const struct rarog_summary **ret);
long rarog_profile_inlined(struct rarog_profile *p, const struct rarog_inlined_into **ret);
long rarog_profile_losses(struct rarog_profile *p, const struct rarog_loss **ret);
long rarog_profile_quantities(struct rarog_profile *p, const struct rarog_quantity **ret);
long rarog_profile_notes(struct rarog_profile *p, const struct rarog_note **ret);
long rarog_profile_off_cpu(struct rarog_profile *p, const struct rarog_off_cpu **ret);
long rarog_profile_nodes_off_cpu(struct rarog_profile *p, const struct rarog_node_off_cpu **ret);
long rarog_profile_blocks(struct rarog_profile *p, const struct rarog_block_count **ret);
long rarog_profile_edges(struct rarog_profile *p, const struct rarog_edge_count **ret);
long rarog_profile_block_lines(struct rarog_profile *p, const struct rarog_block_line **ret);
long rarog_profile_frames(struct rarog_profile *p, const struct rarog_inline_frame **ret);
long rarog_profile_machine(struct rarog_profile *p, const struct rarog_machine_count **ret);
long rarog_profile_unrolled(struct rarog_profile *p, const struct rarog_unrolled **ret);
long rarog_profile_trips(struct rarog_profile *p, const struct rarog_trips **ret);
long rarog_profile_trip_buckets(struct rarog_profile *p, const struct rarog_trip_bucket **ret);
long rarog_profile_paths(struct rarog_profile *p, const struct rarog_path **ret);
long rarog_profile_path_blocks(struct rarog_profile *p, const struct rarog_path_block **ret);
long rarog_profile_origins(struct rarog_profile *p, const struct rarog_block_origin **ret);
long rarog_profile_parts(struct rarog_profile *p, const struct rarog_block_part **ret);
long rarog_profile_accesses(struct rarog_profile *p, const struct rarog_block_accesses **ret);
long rarog_profile_arguments(struct rarog_profile *p, const struct rarog_argument **ret);
long rarog_profile_argument_sums(struct rarog_profile *p, const struct rarog_argument_sum **ret);
long rarog_profile_values(struct rarog_profile *p, const struct rarog_call_value **ret);
long rarog_profile_block_times(struct rarog_profile *p, const struct rarog_block_time **ret);
long rarog_profile_allocations(struct rarog_profile *p, const struct rarog_allocation **ret);
long rarog_profile_bounds(struct rarog_profile *p, const struct rarog_bound **ret);
long rarog_profile_regions(struct rarog_profile *p, const struct rarog_region **ret);
long rarog_profile_experiments(struct rarog_profile *p, const struct rarog_experiment **ret);
long rarog_profile_snapshots(struct rarog_profile *p, const struct rarog_snapshot **ret);
long rarog_profile_measured(struct rarog_profile *p, const struct rarog_measured **ret);
long rarog_profile_absences(struct rarog_profile *p, const struct rarog_absence **ret);
long rarog_profile_trials(struct rarog_profile *p, const struct rarog_trial **ret);

/** rarog_profile_note() - all of the text kept under @key; the caller frees. -ENOENT without
 * message: there is none. */
int rarog_profile_note(struct rarog_profile *p, const char *key, char **ret_text, size_t *ret_n);

/* Sums that were computed instead of read; the arrays are malloc'd. */
struct rarog_profile_sums {
	size_t n_nodes, n_summaries, n_losses;
	struct rarog_node *nodes;
	struct rarog_summary *summaries;
	struct rarog_histogram_bucket *buckets; /* what the summaries point into */
	struct rarog_loss *losses; /* their texts outlive the profile, or are its own */
	uint64_t calls;            /* from which they were computed */
};

/** rarog_profile_take_sums() - these tables instead of the file's; the arrays are the profile's
 * from now on. Not after the tables were asked for by a caller that still uses them. */
void rarog_profile_take_sums(struct rarog_profile *profile,
			     const struct rarog_profile_sums *take_sums);

/** rarog_profile_rebuilt_from() - calls from which the sums were computed; -1: they were read. */
int64_t rarog_profile_rebuilt_from(const struct rarog_profile *profile);

bool rarog_profile_has_calls(const struct rarog_profile *profile);

struct rarog_calls_cursor;

/**
 * rarog_calls_cursor_new() - walk the call blocks
 * @strand: of this strand only, RAROG_NONE: of all, in file order
 */
int rarog_calls_cursor_new(struct rarog_profile *p, uint32_t strand,
			   struct rarog_calls_cursor **ret_cursor);
void rarog_calls_cursor_free(struct rarog_calls_cursor *cursor);
RAROG_DEFINE_FREEP(rarog_calls_cursor);

/** rarog_calls_next() - the next block; its arrays are borrowed until the next call.
 * Return: 1 a block, 0 the end, negative on a damaged block (the following one can still be read).
 */
int rarog_calls_next(struct rarog_calls_cursor *cursor, struct rarog_calls *ret_calls);

#endif
