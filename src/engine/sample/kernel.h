/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the kernel, as /proc/kallsyms names them. */
#ifndef RAROG_ENGINE_SAMPLE_KERNEL_H
#define RAROG_ENGINE_SAMPLE_KERNEL_H

#include <stdint.h>

#include "base/vec.h"

struct rarog_kernel_symbol {
	uint64_t address;
	char *name; /* owned */
};

struct rarog_kernel {
	RAROG_VEC(struct rarog_kernel_symbol) symbols; /* by address */
};

/** rarog_kernel_read() - @path: "/proc/kallsyms". 0, also where the kernel hides its addresses
 * (nothing is found then); -ENOMEM. */
int rarog_kernel_read(const char *path, struct rarog_kernel *ret_kernel);

/** rarog_kernel_find() - index of the symbol that @address is after; -1: none. */
long rarog_kernel_find(const struct rarog_kernel *kernel, uint64_t address);
void rarog_kernel_release(struct rarog_kernel *kernel);

#endif
