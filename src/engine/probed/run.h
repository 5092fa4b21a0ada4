/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run under probes of the kernel, as far as all engines of these share it: the programs
 * whose functions get probes, and the profile from its beginning to its end. The engine does what
 * is between.
 */
#ifndef RAROG_ENGINE_PROBED_RUN_H
#define RAROG_ENGINE_PROBED_RUN_H

#include "engine/probed/module.h"
#include "engine/probed/streams.h"
#include "engine/steps.h"

struct rarog_probed_result {
	struct rarog_recorder_totals totals;
	size_t functions, probes, slow; /* wanted; probed; of these single-stepped */
	size_t marks;                   /* places of USDT probes */
	size_t captured;                /* functions with values */
};

struct rarog_probed {
	struct rarog_engine_run base;
	const char *engine; /* its name, borrowed */
	/** write() - members of the header that only this engine has; NULL: none */
	void (*write)(struct rarog_json *json, struct rarog_probed *run);
	/** choose_marks() - which of those that were found this engine can measure; 0, -errno with
	 * message */
	int (*choose_marks)(struct rarog_plan *plan, struct rarog_probed_module *module);
	unsigned actions;   /* it can do these: bits of enum rarog_action */
	bool at_entries;    /* its probes are there, whatever that costs */
	bool tells_skipped; /* it counts calls that it does not tell: rarog_probed_streams_skipped()
			     */
	bool tells_faults;  /* it sees those of the program: of calls that do not get to their probe
			     */
	/* From here on made by the functions below. */
	RAROG_VEC(struct rarog_probed_module) modules;
	uint32_t n_probes;
	struct rarog_profile_writer *writer;
	struct rarog_recorder *recorder;
	struct rarog_id_map *map;
	bool *has_results, *are_sampled; /* [n_probes], for .streams */
	struct rarog_probed_streams *streams;
	struct rarog_software software;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; set by the engine, as … */
	uint64_t epoch_ns;         /* … CLOCK_REALTIME at the start */
	bool is_finished;          /* the totals are known */
	struct rarog_probed_result result;
};

/** rarog_probed_find() - the programs that are meant, and which of their functions get probes. 0;
 * -ENOENT …: not found or not executable, base.collected says so; -ENOTSUP: cannot be
 * measured so; with message. */
int rarog_probed_find(struct rarog_probed *run);

/** rarog_probed_allows() - may @program (or the one of @attachment; NULL: it is started) be
 * measured by @engine under @plan? What cannot be found is left to rarog_probed_find(), which has
 * the right status for it. 0; -ENOTSUP …: with message why not. */
int rarog_probed_allows(const char *engine, const struct rarog_plan *plan, const char *program,
			const struct rarog_attachment *attachment);

/** rarog_probed_begin() - the profile: its file, recorder, functions; .streams take events from
 * here on. 0; -errno with message. */
int rarog_probed_begin(struct rarog_probed *run);

/** rarog_probed_say_marks() - as rarog_marks_say(), of all modules. */
void rarog_probed_say_marks(const struct rarog_probed *run);

/** rarog_probed_say_unmatched() - warn of a pattern that meant nothing. 0 or -ENOMEM. */
int rarog_probed_say_unmatched(struct rarog_probed *run);

/** rarog_probed_find_place() - which module of .modules, and which of its probes, @change is about;
 * names of marks follow these. * 0; -ENOENT with message. */
int rarog_probed_find_place(const struct rarog_probed *run, const struct rarog_place_change *change,
			    size_t *ret_module, size_t *ret_probe);

/** rarog_probed_end() - everything is delivered: write the profile, fill in base.collected. 0;
 * -errno with message. */
int rarog_probed_end(struct rarog_probed *run);

void rarog_probed_release(struct rarog_probed *run);

/** rarog_probed_write_left() - member "left_out": functions that have no probe, and why. */
void rarog_probed_write_left(struct rarog_json *json, const struct rarog_probed *run);

#endif
