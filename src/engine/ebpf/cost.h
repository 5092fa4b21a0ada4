/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a probe costs on this machine, measured on functions of rarog's own. */
#ifndef RAROG_ENGINE_EBPF_COST_H
#define RAROG_ENGINE_EBPF_COST_H

/* ns of a call, whose function does nothing. */
struct rarog_ebpf_cost {
	/* where the kernel works the instruction out */
	double counted_ns, recorded_ns, summed_ns;
	double slow_ns; /* counted where it single-steps */
};

/** rarog_ebpf_cost_measure() - in a few hundredths of a second. 0; as rarog_ebpf_kernel_new(). */
int rarog_ebpf_cost_measure(struct rarog_ebpf_cost *ret_cost);

#endif
