/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace collector's engine ebpf: one run under the kernel's probes, into one profile. */
#ifndef RAROG_ENGINE_EBPF_EBPF_H
#define RAROG_ENGINE_EBPF_EBPF_H

#include "engine/probed/run.h"

/** rarog_ebpf() - run the program, or watch one that runs, and write its profile. As
 * rarog_inline_measure(). */
int rarog_ebpf(const struct rarog_trace_options *options, struct rarog_probed_result *ret_result);

/** rarog_ebpf_check_libraries() - is what @plan asks of libraries possible? 0; -EINVAL with
 * message.
 */
int rarog_ebpf_check_libraries(const struct rarog_plan *plan,
			       const struct rarog_attachment *attachment);

#endif
