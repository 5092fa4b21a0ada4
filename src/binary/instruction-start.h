/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an instruction begins at an address that no note of a compiler vouches for. */
#ifndef RAROG_BINARY_INSTRUCTION_START_H
#define RAROG_BINARY_INSTRUCTION_START_H

#include "binary/binary.h"

/* What is known of the function that was asked for last. Zeroed: nothing. */
struct rarog_instruction_starts {
	const struct rarog_function *function; /* borrowed of the binary */
	bool *is_start;                        /* by offset */
	bool is_sound;
};

/**
 * rarog_instruction_starts_at() - does one begin at @address?
 *
 * Only where all of the function that has it can be read as instructions, one after the other, and
 * no direct jump of its own leads between two of them: functions may have data in them.
 *
 * Return: 1, 0, -ENOMEM.
 */
int rarog_instruction_starts_at(struct rarog_instruction_starts *starts,
				const struct rarog_binary *binary, uint64_t address);
void rarog_instruction_starts_release(struct rarog_instruction_starts *starts);

#endif
