/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing a profile: one pass, in constant memory, compressed as it goes. The file has no name
 * until rarog_profile_writer_commit(): whatever happens before, nothing is left behind.
 * Errors are sticky: adders return them, commit returns the first.
 */
#ifndef RAROG_PROFILE_WRITER_H
#define RAROG_PROFILE_WRITER_H

#include "base/cleanup.h"
#include "profile/profile.h"

struct rarog_profile_writer;

/**
 * rarog_profile_writer_new() - begin a profile that will be called @path
 *
 * The directory must exist; O_TMPFILE where the file system has it, else a hidden name that is
 * removed on every exit path that runs. Return: 0, -errno with message.
 */
int rarog_profile_writer_new(const char *path, struct rarog_profile_writer **ret_writer);
void rarog_profile_writer_free(struct rarog_profile_writer *writer); /* uncommitted: all gone */
RAROG_DEFINE_FREEP(rarog_profile_writer);

/* Tables; each returns the new index (>= 0) or -errno. Texts are copied and de-duplicated. */
long rarog_profile_add_binary(struct rarog_profile_writer *w,
			      const struct rarog_profile_binary *row);
long rarog_profile_add_location(struct rarog_profile_writer *w, const struct rarog_location *row);
long rarog_profile_add_process(struct rarog_profile_writer *w, const struct rarog_process *row);
long rarog_profile_add_strand(struct rarog_profile_writer *w, const struct rarog_strand *row);
/* An entry may be replaced until commit (end times are known late). */
int rarog_profile_set_location(struct rarog_profile_writer *w, uint32_t index,
			       const struct rarog_location *row);
int rarog_profile_set_process(struct rarog_profile_writer *w, uint32_t index,
			      const struct rarog_process *row);
int rarog_profile_set_strand(struct rarog_profile_writer *w, uint32_t index,
			     const struct rarog_strand *row);

int rarog_profile_add_calls(struct rarog_profile_writer *w, const struct rarog_calls *calls);
int rarog_profile_add_nodes(struct rarog_profile_writer *w, size_t n, const struct rarog_node *v);
int rarog_profile_add_summaries(struct rarog_profile_writer *w, size_t n,
				const struct rarog_summary *v);
int rarog_profile_add_inlined(struct rarog_profile_writer *w, size_t n,
			      const struct rarog_inlined_into *rows);
int rarog_profile_add_losses(struct rarog_profile_writer *w, size_t n,
			     const struct rarog_loss *rows);
int rarog_profile_add_quantities(struct rarog_profile_writer *w, size_t n,
				 const struct rarog_quantity *rows);
int rarog_profile_add_off_cpu(struct rarog_profile_writer *w, size_t n,
			      const struct rarog_off_cpu *rows);
int rarog_profile_add_nodes_off_cpu(struct rarog_profile_writer *w, size_t n,
				    const struct rarog_node_off_cpu *rows);
int rarog_profile_add_blocks(struct rarog_profile_writer *w, size_t n,
			     const struct rarog_block_count *rows);
int rarog_profile_add_edges(struct rarog_profile_writer *w, size_t n,
			    const struct rarog_edge_count *rows);
int rarog_profile_add_block_lines(struct rarog_profile_writer *w, size_t n,
				  const struct rarog_block_line *rows);
long rarog_profile_add_frame(struct rarog_profile_writer *w, const struct rarog_inline_frame *row);
int rarog_profile_add_machine(struct rarog_profile_writer *w, size_t n,
			      const struct rarog_machine_count *rows);
int rarog_profile_add_unrolled(struct rarog_profile_writer *w, size_t n,
			       const struct rarog_unrolled *rows);
int rarog_profile_add_trips(struct rarog_profile_writer *w, size_t n,
			    const struct rarog_trips *rows);
int rarog_profile_add_trip_buckets(struct rarog_profile_writer *w, size_t n,
				   const struct rarog_trip_bucket *rows);
/* @more: its further blocks, path->n_more of them. */
int rarog_profile_add_path(struct rarog_profile_writer *w, const struct rarog_path *path,
			   const uint32_t *more);
int rarog_profile_add_origin(struct rarog_profile_writer *w, const struct rarog_block_origin *row);
int rarog_profile_add_part(struct rarog_profile_writer *w, const struct rarog_block_part *row);
int rarog_profile_add_accesses(struct rarog_profile_writer *w,
			       const struct rarog_block_accesses *row);
/** rarog_profile_add_argument() - its row; what has values comes before them. */
long rarog_profile_add_argument(struct rarog_profile_writer *w, const struct rarog_argument *row);
int rarog_profile_add_argument_sum(struct rarog_profile_writer *w,
				   const struct rarog_argument_sum *row);
int rarog_profile_add_values(struct rarog_profile_writer *w, size_t n,
			     const struct rarog_call_value *rows);
int rarog_profile_add_block_times(struct rarog_profile_writer *w, size_t n,
				  const struct rarog_block_time *rows);
int rarog_profile_add_allocations(struct rarog_profile_writer *w, size_t n,
				  const struct rarog_allocation *rows);
int rarog_profile_add_bounds(struct rarog_profile_writer *w, size_t n,
			     const struct rarog_bound *rows);
int rarog_profile_add_regions(struct rarog_profile_writer *w, size_t n,
			      const struct rarog_region *rows);
int rarog_profile_add_experiments(struct rarog_profile_writer *w, size_t n,
				  const struct rarog_experiment *rows);
int rarog_profile_add_snapshots(struct rarog_profile_writer *w, size_t n,
				const struct rarog_snapshot *rows);
int rarog_profile_add_measured(struct rarog_profile_writer *w, size_t n,
			       const struct rarog_measured *rows);
int rarog_profile_add_absences(struct rarog_profile_writer *w, size_t n,
			       const struct rarog_absence *rows);
int rarog_profile_add_trials(struct rarog_profile_writer *w, size_t n,
			     const struct rarog_trial *rows);
/** rarog_profile_add_note() - keep a text of any length under @key; it is UTF-8 without NUL. */
int rarog_profile_add_note(struct rarog_profile_writer *w, const char *key, size_t n,
			   const char *text);
void rarog_profile_set_clock(struct rarog_profile_writer *w, const struct rarog_clock *clock);

/** rarog_profile_set_header() - @json: the header object (command, args, workload, collector,
 * engine, parameters, machine, timings …), see doc/design/profile-format.md; copied. */
int rarog_profile_set_header(struct rarog_profile_writer *w, const char *json);

/** rarog_profile_writer_commit() - write the tables and the index, sync, give the file its name
 * (replacing an older one atomically). @ret_bytes: size of the file, may be NULL. */
int rarog_profile_writer_commit(struct rarog_profile_writer *w, uint64_t *ret_bytes);

#endif
