/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the sample collector is asked: options of `rarog collect`. */
#ifndef RAROG_ENGINE_SAMPLE_OPTIONS_H
#define RAROG_ENGINE_SAMPLE_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"

enum rarog_stacks { RAROG_STACKS_DWARF, RAROG_STACKS_FP, RAROG_STACKS_NONE };

#define RAROG_SAMPLE_RATE      997
#define RAROG_SAMPLE_RATE_MOST 50000
#define RAROG_SAMPLE_STACK     16384 /* bytes */
#define RAROG_SAMPLE_STACK_MAX 65528

struct rarog_sample_options {
	long rate, stack_size; /* a second of CPU time; bytes */
	int stacks;            /* enum rarog_stacks */
	bool kernel, off_cpu;
	bool follow; /* processes that it starts, too */
};

#define RAROG_SAMPLE_OPTIONS_DEFAULT                                                               \
	{                                                                                          \
		.rate = RAROG_SAMPLE_RATE, .stack_size = RAROG_SAMPLE_STACK, .follow = true        \
	}

/** rarog_stacks_names - "dwarf", "fp", "none", NULL at the end. */
extern const char *const rarog_stacks_names[];

#define RAROG_SAMPLE_OPTIONS(type, member)                                                         \
	RAROG_OPT_INT(0, "rate", type, member.rate, "HZ", 1, RAROG_SAMPLE_RATE_MOST,               \
		      "sample: look at each running thread HZ times a second (997)"),              \
		RAROG_OPT_CHOICE(0, "call-graph", type, member.stacks, "WAY", rarog_stacks_names,  \
				 "sample: how callers are found: dwarf: by unwind tables (the "    \
				 "default), fp: by frame pointers, none: not at all"),             \
		RAROG_OPT_INT(0, "stack-size", type, member.stack_size, "BYTES", 1024,             \
			      RAROG_SAMPLE_STACK_MAX,                                              \
			      "sample: copy BYTES of each stack for dwarf (16384)"),               \
		RAROG_OPT_FLAG(0, "kernel", type, member.kernel,                                   \
			       "sample: functions of the kernel, too"),                            \
		RAROG_OPT_FLAG(0, "off-cpu", type, member.off_cpu,                                 \
			       "sample: also the time that threads wait, and where")

#endif
