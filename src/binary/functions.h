/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of a binary, put together from its symbols and its .eh_frame.
 */
#ifndef RAROG_BINARY_FUNCTIONS_H
#define RAROG_BINARY_FUNCTIONS_H

#include "binary/binary.h"
#include "binary/code-ranges.h"
#include "binary/eh-frame.h"
#include "binary/sleds.h"
#include "binary/symbols.h"

struct rarog_functions {
	struct rarog_function *v; /* sorted by address */
	size_t n, capacity;
	const char **aliases; /* what the functions' aliases point into */
};

/**
 * rarog_functions_build() - functions with names, bounds and flags
 * @elf: the program, for its code
 * @symbols: is sorted here
 * @texts: keeps names made here
 * @sleds: are told their entries here
 */
int rarog_functions_build(const struct rarog_elf *elf, struct rarog_symbols *symbols,
			  const struct rarog_eh_frame *frame, const struct rarog_code_ranges *code,
			  struct rarog_text_pool *texts, struct rarog_sleds *sleds,
			  struct rarog_functions *functions);
void rarog_functions_release(struct rarog_functions *functions);

#endif
