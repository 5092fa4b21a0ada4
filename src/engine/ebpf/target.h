/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of rarog's own that probes are tried on. */
#ifndef RAROG_ENGINE_EBPF_TARGET_H
#define RAROG_ENGINE_EBPF_TARGET_H

#include <stdint.h>

/** rarog_ebpf_target_quick(), rarog_ebpf_target_slow() - do nothing; the first instruction of one
 * is worked out by kernels, that of the other single-stepped. */
void rarog_ebpf_target_quick(void);
void rarog_ebpf_target_slow(void);

/** rarog_ebpf_target_offset() - of the quick one in /proc/self/exe. */
uint64_t rarog_ebpf_target_offset(void);

/** rarog_ebpf_target_slow_offset() - of the other one. */
uint64_t rarog_ebpf_target_slow_offset(void);

#endif
