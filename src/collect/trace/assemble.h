/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From events to measurements. Every trace engine delivers its events here, in the word stream of
 * agent/abi.h; out come the calls (if a writer wants them), per-location summaries and the context
 * tree. Nothing after this point knows the engine.
 */
#ifndef RAROG_COLLECT_TRACE_ASSEMBLE_H
#define RAROG_COLLECT_TRACE_ASSEMBLE_H

#include "base/cleanup.h"
#include "profile/writer.h"

struct rarog_assembler;

struct rarog_assembler_options {
	struct rarog_profile_writer *writer; /* borrowed */
	size_t max_nodes; /* context tree bound; deeper contexts fold into their ancestor; 0: 4 Mi
			   */
	uint64_t compensate; /* ticks of probe cost inside a parent per child call to subtract; 0:
				no */
	uint64_t compensate_self; /* ticks of probe cost inside a call's own duration */
};

int rarog_assembler_new(const struct rarog_assembler_options *options,
			struct rarog_assembler **ret_assembler);
void rarog_assembler_free(struct rarog_assembler *assembler);
RAROG_DEFINE_FREEP(rarog_assembler);

/**
 * rarog_assembler_strand() - announce a strand
 * @strand: its index in the profile's strand table
 * @n, @locations: locations[n] maps function ids of this strand's stream to profile locations;
 *	borrowed until the assembler is freed
 * @keep_calls: write calls (else only summaries and tree); may be changed by announcing again
 */
int rarog_assembler_strand(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			   const uint32_t locations[n], bool keep_calls);

/**
 * rarog_assembler_feed() - the strand's next words
 *
 * A record may be cut by the end of @words; the rest is expected with the next call.
 * Return: 0; -EBADMSG malformed stream (message names strand and offset); writer errors.
 */
int rarog_assembler_feed(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			 const uint16_t words[n]);

/** rarog_assembler_end() - no more events of @strand: open calls are closed at @end_ticks, marked.
 */
int rarog_assembler_end(struct rarog_assembler *assembler, uint32_t strand, uint64_t end_ticks);

struct rarog_assembler_totals {
	uint64_t events, calls, lost_events, left_out_calls, open, unwound;
	uint64_t wait_ticks;
	size_t nodes;
};

/** rarog_assembler_finish() - ends all strands still open, writes tree and summaries to the writer.
 */
int rarog_assembler_finish(struct rarog_assembler *assembler, uint64_t end_ticks,
			   struct rarog_assembler_totals *ret_totals);

#endif
