/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_ENGINE_INLINE_CODE_FSGSBASE_H
#define RAROG_ENGINE_INLINE_CODE_FSGSBASE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * rarog_fsgsbase() - may programs set the base of %gs by an instruction, and does the kernel keep
 * what they set?
 *
 * The kernel alone knows (bit 1 of AT_HWCAP2, Linux 5.9): where it does not keep the base the
 * instruction may be executed all the same. RAROG_TEST_WITHOUT=fsgsbase in the environment denies
 * it, so that tests can take the other way on every machine.
 */
bool rarog_fsgsbase(void);

/** rarog_gs_base() - that of the calling thread. */
uint64_t rarog_gs_base(void);

/** rarog_gs_set_base() - set it, by the instruction or by the kernel. 0; -errno with message. */
int rarog_gs_set_base(uint64_t base);

#endif
