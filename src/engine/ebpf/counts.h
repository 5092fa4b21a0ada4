/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each processor has counted in the kernel, added up. */
#ifndef RAROG_ENGINE_EBPF_COUNTS_H
#define RAROG_ENGINE_EBPF_COUNTS_H

#include "engine/ebpf/kernel.h"

/** rarog_ebpf_counts() - calls of each of the @n probes, into counts[n]. 0; -errno with message. */
int rarog_ebpf_counts(const struct rarog_ebpf_kernel *kernel, size_t n, uint64_t counts[n]);

/** rarog_ebpf_lost() - how many of @what (RAROG_EBPF_LOST_…). */
uint64_t rarog_ebpf_lost(const struct rarog_ebpf_kernel *kernel, uint32_t what);

#endif
