/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file tells the loader: its PT_DYNAMIC. */
#ifndef RAROG_BINARY_DYNAMIC_H
#define RAROG_BINARY_DYNAMIC_H

#include <elf.h>

#include "binary/binary.h"

/* The tags that are needed, indexed by tag; the few above that range have their own members. */
struct rarog_dynamic {
	uint64_t value[DT_NUM]; /* 0: it has none */
	uint64_t flags_1;
};

/** rarog_dynamic_read() - Return: is there any? If not, all are 0. */
bool rarog_dynamic_read(const struct rarog_binary *binary, struct rarog_dynamic *ret_dynamic);

#endif
