/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with a use of its own for %gs, set by the instruction wrgsbase (SET_WRGSBASE), by the C
 * library's arch_prctl() (SET_ARCH_PRCTL) or by a system call (SET_SYSCALL).
 */
#include "expect.h"
#include <sys/syscall.h>
#include <unistd.h>

#define ARCH_SET_GS 0x1001

int arch_prctl(int code, unsigned long address);

static unsigned long area[2] = { 0, 4711 };

static void set_gs(unsigned long base)
{
#if defined(SET_WRGSBASE)
	__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
#elif defined(SET_ARCH_PRCTL)
	arch_prctl(ARCH_SET_GS, base);
#else
	syscall(SYS_arch_prctl, ARCH_SET_GS, base);
#endif
}

TRACED unsigned long through_gs(void)
{
	unsigned long value;

	CALLED();
	__asm__ volatile("mov %%gs:8, %0" : "=r"(value) : : "memory");
	return value;
}

TRACED int run(unsigned n)
{
	int wrong = 0;

	CALLED();
	for (unsigned i = 0; i < n; i++)
		wrong += through_gs() != 4711;
	return wrong;
}

int main(void)
{
	set_gs((unsigned long)area);
	printf("%s\n", run(1000) ? "%gs was changed" : "%gs holds what was put there");
	expect_print();
	return 3;
}
