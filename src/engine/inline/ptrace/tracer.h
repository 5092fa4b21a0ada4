/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the program, puts the agent into every program image that is to be measured before its first
 * instruction, and follows the process tree until the program has ended.
 */
#ifndef RAROG_ENGINE_INLINE_PTRACE_TRACER_H
#define RAROG_ENGINE_INLINE_PTRACE_TRACER_H

#include "engine/inline/code/module.h"
#include "engine/request.h"
#include "events/recorder.h"
#include "process/clock.h"
#include "process/running.h"

#define RAROG_CHUNKS_FIRST 128 /* of the program: 8 MiB of ring */

struct rarog_inline_result {
	uint64_t start_ticks, end_ticks; /* of the program */
	uint64_t install_ns;             /* reading, judging and patching, all images */
	uint64_t functions, patched;     /* wanted and patched, all modules */
	uint64_t marks;                  /* places of USDT probes, all modules */
	uint32_t images;                 /* program images measured */
	char others[256];                /* programs not measured, names: "sh, ls" */
	char no_cpu_time[256];           /* why it is not known, "": it is */
	bool explained;                  /* a warning said already why one is not measured */
	/* Of an attachment: */
	bool detached;        /* the program goes on */
	bool has_rest;        /* something was left in it, a warning said what */
	uint64_t stood_ns[2]; /* how long it stood still, for attaching and for detaching */
	uint32_t avoided;     /* functions that could not be patched just then */
};

/**
 * rarog_inline_run() - run @command under the plan
 * @modules: gets every binary touched; for source lines after the run
 * @watch: looked at while the program runs
 * @ret_run: how the program ended; set when 0 is returned
 *
 * Return: 0 the program ran, whatever its status; negative: it did not (message says why);
 * its own state then is as rarog_launch() says.
 */
int rarog_inline_run(const struct rarog_command_line *command, struct rarog_modules *modules,
		     struct rarog_recorder *recorder, struct rarog_clock_watch *watch,
		     struct rarog_run_result *ret_run, struct rarog_inline_result *ret_inline);

/**
 * rarog_inline_attach() - measure a program that runs, and leave it as it was
 * @command: gives the name of the program, argv[0]
 * Otherwise as rarog_inline_run().
 *
 * Return: 0: it was measured, until it ended or was let go; negative: not attached, with message.
 */
int rarog_inline_attach(const struct rarog_attachment *attachment,
			const struct rarog_command_line *command, struct rarog_modules *modules,
			struct rarog_recorder *recorder, struct rarog_clock_watch *watch,
			struct rarog_run_result *ret_run, struct rarog_inline_result *ret_inline);

#endif
