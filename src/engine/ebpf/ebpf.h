/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace collector's engine ebpf: one run under the kernel's probes, into one profile. */
#ifndef RAROG_ENGINE_EBPF_EBPF_H
#define RAROG_ENGINE_EBPF_EBPF_H

#include "engine/probed/run.h"

extern const struct rarog_engine_steps rarog_ebpf_steps;

/** rarog_ebpf_check_libraries() - is what @plan asks of libraries possible? 0; -EINVAL with
 * message.
 */
int rarog_ebpf_check_libraries(const struct rarog_plan *plan,
			       const struct rarog_attachment *attachment);

#endif
