/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the program, puts the agent into every program image that is to be measured before its first
 * instruction, and follows the process tree until the program has ended.
 */
#ifndef RAROG_COLLECT_TRACE_INLINE_TRACER_H
#define RAROG_COLLECT_TRACE_INLINE_TRACER_H

#include "collect/clock.h"
#include "collect/run.h"
#include "collect/trace/inline/module.h"
#include "collect/trace/recorder.h"

#define RAROG_CHUNKS_FIRST 128 /* of the program: 8 MiB of ring */

struct rarog_inline_result {
	uint64_t start_ticks, end_ticks; /* of the program */
	uint64_t install_ns;             /* reading, judging and patching, all images */
	uint64_t functions, patched;     /* wanted and patched, all modules */
	uint32_t images;                 /* program images measured */
	char others[256];                /* programs not measured, names: "sh, ls" */
	char no_cpu_time[256];           /* why it is not known, "": it is */
	bool explained;                  /* a warning said already why one is not measured */
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

#endif
