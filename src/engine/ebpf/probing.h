/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dynamic probing by probes of the kernel. */
#ifndef RAROG_ENGINE_EBPF_PROBING_H
#define RAROG_ENGINE_EBPF_PROBING_H

#include <stdatomic.h>

#include "engine/ebpf/kernel.h"
#include "engine/probed/run.h"
#include "plan/probing.h"

struct rarog_ebpf_probing {
	struct rarog_probing how;
	struct rarog_budget budget;  /* of places by the numbers of their probes */
	atomic_uint_fast64_t *calls; /* [probes] that were told; NULL: it is not on */
	uint64_t begin_ns;
};

/** rarog_ebpf_probing_begin() - of all probes of @run that the plan does not keep, and that it does
 * not thin already. 0, -ENOMEM. Release in any case. */
int rarog_ebpf_probing_begin(struct rarog_ebpf_probing *probing, const struct rarog_probed *run);
void rarog_ebpf_probing_release(struct rarog_ebpf_probing *probing);

/** rarog_ebpf_probing_call() - @event was told; by any thread. */
void rarog_ebpf_probing_call(struct rarog_ebpf_probing *probing,
			     const struct rarog_probed_event *event);

/**
 * rarog_ebpf_probing_look() - switch what was called often enough
 * @functions: [probes], as the kernel knows them
 *
 * What goes wrong leaves the probe as it is. Return: ns until the next look; 0: it is not on.
 */
long rarog_ebpf_probing_look(struct rarog_ebpf_probing *probing, const struct rarog_probed *run,
			     struct rarog_ebpf_kernel *kernel,
			     struct rarog_ebpf_function functions[]);

#endif
