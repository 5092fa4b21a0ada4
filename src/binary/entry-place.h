/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the debug information says that a parameter is at a function's first instruction. */
#ifndef RAROG_BINARY_ENTRY_PLACE_H
#define RAROG_BINARY_ENTRY_PLACE_H

#include <elfutils/libdw.h>

#include "binary/abi-class.h"

enum rarog_entry_place {
	RAROG_ENTRY_UNKNOWN, /* it says nothing of that instruction, or nothing that is understood
			      */
	RAROG_ENTRY_KNOWN,
	RAROG_ENTRY_LATER, /* its place is one that the function's prologue fills */
};

/**
 * rarog_entry_place() - of @parameter at @address, the first instruction of @function
 * @size: of the parameter, bytes
 * @ret_place: of KNOWN only: a register of each eightbyte, or the stack
 */
enum rarog_entry_place rarog_entry_place(Dwarf_Die *function, Dwarf_Die *parameter,
					 uint64_t address, uint64_t size,
					 struct rarog_abi_place *ret_place);

/** rarog_entry_agrees() - is what was @seen what the ABI says? What was seen may be a part. */
bool rarog_entry_agrees(const struct rarog_abi_place *abi, const struct rarog_abi_place *seen);

#endif
