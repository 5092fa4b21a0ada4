/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an instruction begins at an address that no note of a compiler vouches for. */
#ifndef RAROG_BINARY_INSTRUCTION_START_H
#define RAROG_BINARY_INSTRUCTION_START_H

#include "binary/binary.h"

/**
 * rarog_instruction_starts() - does one begin at @address?
 *
 * Only where all of the function that has it can be read as instructions, one after the other, and
 * no direct jump of its own leads between two of them: functions may have data in them.
 */
bool rarog_instruction_starts(const struct rarog_binary *binary, uint64_t address);

#endif
