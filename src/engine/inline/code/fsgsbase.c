/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/code/fsgsbase.h"

#include <asm/prctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/error.h"

#define HAS_FSGSBASE 2 /* in AT_HWCAP2 */

bool rarog_fsgsbase(void)
{
	const char *without = getenv("RAROG_TEST_WITHOUT");

	return (getauxval(AT_HWCAP2) & HAS_FSGSBASE) && !(without && strstr(without, "fsgsbase"));
}

uint64_t rarog_gs_base(void)
{
	uint64_t base = 0;

	if (rarog_fsgsbase())
		return _readgsbase_u64();
	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	return base;
}

int rarog_gs_set_base(uint64_t base)
{
	if (rarog_fsgsbase())
		_writegsbase_u64(base);
	else if (syscall(SYS_arch_prctl, ARCH_SET_GS, base) < 0)
		return rarog_fail_errno("this machine has no FSGSBASE, and arch_prctl, which is "
					"needed instead, is refused");
	return 0;
}
