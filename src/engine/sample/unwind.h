/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack of a thread that is not there any more: from its registers and a copy of the stack's
 * top, by the unwind tables of what was mapped (libdw). Frame pointers are followed where there are
 * no tables.
 */
#ifndef RAROG_ENGINE_SAMPLE_UNWIND_H
#define RAROG_ENGINE_SAMPLE_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "engine/sample/images.h"
#include "engine/sample/records.h"

struct rarog_sample_stack {
	const uint64_t *registers; /* [RAROG_SAMPLE_REGISTERS] */
	size_t size;               /* bytes copied from the stack pointer on */
	const uint8_t *bytes;
};

struct rarog_unwinder;

/** rarog_unwinder_new() - @spaces, @images: borrowed; they may grow. 0 or -ENOMEM. */
int rarog_unwinder_new(const struct rarog_spaces *spaces, struct rarog_images *images,
		       struct rarog_unwinder **ret_unwinder);
void rarog_unwinder_free(struct rarog_unwinder *unwinder);
RAROG_DEFINE_FREEP(rarog_unwinder);

/**
 * rarog_unwind() - addresses of a stack, innermost first; return addresses are one too high, less
 * one, so that they lie in the call
 * @ret_is_cut: the copy ended before the stack did
 *
 * Return: how many of @max are filled in, at least 1.
 */
size_t rarog_unwind(struct rarog_unwinder *unwinder, const struct rarog_space *space,
		    const struct rarog_sample_stack *stack, size_t max, uint64_t ret_addresses[max],
		    int *ret_is_cut);

#endif
