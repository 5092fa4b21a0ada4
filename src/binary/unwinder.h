/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwinders that have no names: libgcc's, in a stripped program or library that it was linked into
 * statically. What raises an exception goes on in a handler at the end, which is written in the
 * unwind information.
 */
#ifndef RAROG_BINARY_UNWINDER_H
#define RAROG_BINARY_UNWINDER_H

#include "binary/binary.h"

/** rarog_unwinder_raises() - does @f raise exceptions, resume or force them on? As far as it is
 * gcc's; LLVM's functions of this kind cannot be told from others. */
bool rarog_unwinder_raises(const struct rarog_binary *binary, const struct rarog_function *f);

#define RAROG_UNWINDER_ENDS 4

struct rarog_unwinder_end {
	uint64_t address;
	uint8_t length;
};

/**
 * rarog_unwinder_ends() - the instructions that take down @f's frame before it returns
 * @ret_ends: instructions at least as long as a patch; nothing is below the stack pointer there
 *
 * Return: how many; 0: it returns in another way, too, or more often.
 */
size_t rarog_unwinder_ends(const struct rarog_binary *binary, const struct rarog_function *f,
			   struct rarog_unwinder_end ret_ends[RAROG_UNWINDER_ENDS]);

#endif
