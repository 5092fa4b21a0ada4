/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From events to measurements. Every trace engine delivers its events here, in the word stream of
 * agent/abi.h; out come the calls (if they are kept), per-location summaries and the context
 * tree. Nothing after this point knows the engine. doc/design/assemble.md has the rules.
 */
#ifndef RAROG_EVENTS_ASSEMBLE_H
#define RAROG_EVENTS_ASSEMBLE_H

#include "base/cleanup.h"
#include "events/off-cpu.h"
#include "events/sink.h"

struct rarog_assembler;
struct rarog_value_table;

struct rarog_epochs;
struct rarog_weights;

struct rarog_assembler_options {
	struct rarog_assembler_sink sink; /* as a rule rarog_assembler_to_writer() */
	struct rarog_value_table *values; /* what is captured with calls: columns may be added,
					     sums are; borrowed; NULL: nothing */
	size_t max_nodes;    /* bound of the context tree, the root included; deeper contexts fold
				into an ancestor; 0: 4 Mi */
	uint64_t compensate; /* ticks of probe cost to subtract from a call for every call traced
				inside it, at any depth; 0: none */
	uint64_t compensate_self; /* ticks of probe cost inside a call's own duration; 0: none */
	struct rarog_weights *weights; /* of sampled calls; NULL: every call was recorded */
	struct rarog_epochs *epochs;   /* what was recorded is added; NULL: weights stay */
};

int rarog_assembler_new(const struct rarog_assembler_options *options,
			struct rarog_assembler **ret_assembler);
void rarog_assembler_free(struct rarog_assembler *assembler);
RAROG_DEFINE_FREEP(rarog_assembler);

/**
 * rarog_assembler_strand() - announce a strand
 * @strand: its index in the profile's strand table
 * @n, @locations: locations[n] maps function ids of this strand's stream to profile locations, all
 *	different; copied
 * @keep_calls: give the calls to the sink (else only summaries and tree)
 *
 * Announcing again may append functions (dlopen) and end the keeping of calls; once ended, it does
 * not begin again.
 *
 * Return: 0, -EINVAL, -ENOMEM, errors of the sink.
 */
int rarog_assembler_strand(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			   const uint32_t *locations, bool keep_calls);

/**
 * rarog_assembler_feed() - the strand's next words
 *
 * A record may be cut by the end of @words; the rest is expected with the next call.
 *
 * Return: 0; -EBADMSG malformed stream (message names strand and word offset; the strand takes no
 * more words, its calls are closed at its end); -EINVAL not announced or already ended; -ENOMEM;
 * errors of the sink.
 */
int rarog_assembler_feed(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			 const uint16_t *words);

/** rarog_assembler_know_off_cpu() - off-CPU spans are delivered, of all strands but those that
 * rarog_assembler_off_cpu_unknown() names; before any strand ends. */
void rarog_assembler_know_off_cpu(struct rarog_assembler *assembler);

/**
 * rarog_assembler_off_cpu() - the spans in which the strand's thread was off-CPU
 *
 * In order, disjoint; each before the words whose time lies beyond its beginning. A strand that has
 * ended takes none. Return: 0, -EINVAL not announced, -ENOMEM.
 */
int rarog_assembler_off_cpu(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			    const struct rarog_off_cpu_span spans[n]);

/** rarog_assembler_off_cpu_unknown() - some off-CPU time of the strand was lost; before its end.
 */
void rarog_assembler_off_cpu_unknown(struct rarog_assembler *assembler, uint32_t strand);

/**
 * rarog_assembler_end() - no more events of @strand
 *
 * Open calls are closed at @end_ticks (not before the strand's last event), marked; the strand's
 * summaries go to the sink. A record cut off at the end counts as one lost event.
 */
int rarog_assembler_end(struct rarog_assembler *assembler, uint32_t strand, uint64_t end_ticks);

struct rarog_sums;

/** rarog_assembler_sums() - what an engine has summed up by itself. 0, -ENOMEM, errors of the sink.
 */
int rarog_assembler_sums(struct rarog_assembler *assembler, const struct rarog_sums *sums);

struct rarog_assembler_totals {
	uint64_t events; /* entries and exits taken */
	uint64_t calls;  /* entries */
	uint64_t lost_events;
	uint64_t open, unwound;   /* calls that were closed at the end, that did not return */
	uint64_t wait_ticks;      /* subtracted from open calls */
	uint64_t folded_calls;    /* their context has no node of its own: the tree was full */
	uint64_t strands_unknown; /* whose off-CPU time is not known */
	uint64_t clamped_calls;   /* probe cost exceeded their time; they keep what they called */
	uint64_t compensate, compensate_self; /* as in the options: summaries and tree are
						 compensated by it, written calls never are */
	size_t nodes;
};

/**
 * rarog_assembler_finish() - end all strands still open; tree, summaries and losses to the sink
 *
 * Losses named here, when not zero: "events", "contexts folded". The caller does not add these
 * again.
 */
int rarog_assembler_finish(struct rarog_assembler *assembler, uint64_t end_ticks,
			   struct rarog_assembler_totals *ret_totals);

#endif
