/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace collector's engine ebpf: one run under the kernel's probes, into one profile. */
#ifndef RAROG_COLLECT_EBPF_EBPF_H
#define RAROG_COLLECT_EBPF_EBPF_H

#include "collect/trace/trace.h"

struct rarog_ebpf_result {
	struct rarog_run_result run;
	struct rarog_recorder_totals totals;
	uint64_t profile_bytes;
	size_t functions, probes, slow; /* wanted; probed; of these single-stepped */
	uint64_t attach_ns, detach_ns;
};

/** rarog_ebpf() - run the program, or watch one that runs, and write its profile. As
 * rarog_trace(). */
int rarog_ebpf(const struct rarog_trace_options *options, struct rarog_ebpf_result *ret_result);

#endif
