/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small facts about the run that several views need.
 */
#ifndef RAROG_VIEW_RUN_H
#define RAROG_VIEW_RUN_H

#include "profile/reader.h"

/* The tables, all borrowed from the profile. */
struct rarog_run {
	struct rarog_profile *profile;
	const struct rarog_clock *clock;
	size_t n_binaries, n_locations, n_processes, n_strands;
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	const struct rarog_process *processes;
	const struct rarog_strand *strands;
	uint64_t start_ticks, end_ticks; /* of the whole run */
};

/** rarog_run_load() - Return: 0, -EBADMSG on a damaged section. */
int rarog_run_load(struct rarog_profile *profile, struct rarog_run *ret_run);

/** rarog_run_ns() - nanoseconds from the start of the run to @ticks; differences of two of these
 * are durations that add up. */
uint64_t rarog_run_ns(const struct rarog_run *run, uint64_t ticks);

/** rarog_run_wall_ns() - when the run began, ns since the epoch. */
uint64_t rarog_run_wall_ns(const struct rarog_run *run);

/** rarog_run_process() - the process of a strand, NULL when the table lacks it. */
const struct rarog_process *rarog_run_process(const struct rarog_run *run, uint32_t strand);

/** rarog_run_pid() - its pid, 0 when unknown. */
uint32_t rarog_run_pid(const struct rarog_run *run, uint32_t strand);

/** rarog_strand_title() - "process 12, thread 13"; the caller frees it. NULL: no memory. */
char *rarog_strand_title(const struct rarog_run *run, uint32_t strand);

/** rarog_run_binary() - path of a location's binary, NULL when unknown. */
const char *rarog_run_binary(const struct rarog_run *run, const struct rarog_location *location);

/** rarog_run_build_id() - of a location's binary, NULL when unknown. */
const char *rarog_run_build_id(const struct rarog_run *run, const struct rarog_location *location);

/* What tells functions of one name apart, the first that differs. */
enum rarog_place_part {
	RAROG_PLACE_SOURCE,      /* file and line, both unknown where there are none */
	RAROG_PLACE_BINARY_NAME, /* without its folder */
	RAROG_PLACE_BINARY,
	RAROG_PLACE_PARTS,
};

/** rarog_run_order_places() - of two locations, by one part of their place. 0: it is the same. */
int rarog_run_order_places(const struct rarog_run *run, enum rarog_place_part part, uint32_t a,
			   uint32_t b);

/** rarog_run_title() - what ran, in one line: the command of the first process, or of all processes
 * of a file (--every-process) that and how many they were; where nothing is known, the profile's
 * path. NULL: no memory; the caller frees. */
char *rarog_run_title(const struct rarog_run *run);

/** rarog_run_first_strand() - the first strand of the same thread: its main stack. */
uint32_t rarog_run_first_strand(const struct rarog_run *run, uint32_t strand);

/** rarog_run_has_calls() - single calls are there, or there were none: not only their sums. */
bool rarog_run_has_calls(struct rarog_profile *profile);

/* Said wherever something of a profile is shown of which not all calls were recorded. */
#define RAROG_SAMPLED_NOTE                                                                         \
	"calls are sampled: of those that were not recorded nothing is here, and what they "       \
	"called stands at their callers"

/** rarog_run_has_times() - durations were measured, or nothing was: not only counts of calls. */
bool rarog_run_has_times(struct rarog_profile *profile);

/** rarog_run_has_contexts() - it knows callers. */
bool rarog_run_has_contexts(struct rarog_profile *profile);

/** rarog_run_is_of_program() - the time collector made it: nothing is known of functions. */
bool rarog_run_is_of_program(const struct rarog_profile *profile);

/** rarog_run_was_noisy() - others kept the machine busy meanwhile: wall times may be too long. */
bool rarog_run_was_noisy(const struct rarog_profile *profile);

/** rarog_run_counts_samples() - counts of functions and contexts are not calls but samples: of
 * functions those in which it was on the stack, of nodes those in the function itself. Times are
 * estimates. */
bool rarog_run_counts_samples(const struct rarog_profile *profile);

/** rarog_run_writes_probes() - its probes were written into the code: not each function has room
 * for one. */
bool rarog_run_writes_probes(const struct rarog_profile *profile);

/** rarog_run_is_compensated() - are sums less the cost of probes? Single calls never are. */
bool rarog_run_is_compensated(const struct rarog_profile *profile);

/* By which a traced call takes longer, and how much of that is in its own duration; 0: none has
 * probes, or it is not known. */
struct rarog_probe_ticks {
	double call, self;
	bool is_compensated;
};

/** rarog_run_probe_ticks() - as calibrated before the run */
struct rarog_probe_ticks rarog_run_probe_ticks(const struct rarog_profile *profile);

/** rarog_run_compensation() - what was taken off sums, of all calls together, in ticks. */
uint64_t rarog_run_compensation(const struct rarog_profile *profile);

/** rarog_run_counts_machine_code() - its instructions are the machine's (engines rewrite and vex),
 * not the compiler's intermediate ones. */
bool rarog_run_counts_machine_code(const struct rarog_profile *profile);

/** rarog_run_knows_only_executed() - it has blocks, of whatever runs and as it ran (engine vex): no
 * blocks or functions that did not, and no edges between them. */
bool rarog_run_knows_only_executed(const struct rarog_profile *profile);

/** rarog_end_name() - "returned", "unwound" or "closed" for an enum rarog_op. */
const char *rarog_end_name(uint32_t end);

#endif
