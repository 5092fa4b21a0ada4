/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which status flags are live in a function, so that counters need not preserve those that are not.
 */
#ifndef RAROG_ENGINE_REWRITE_FLAGS_H
#define RAROG_ENGINE_REWRITE_FLAGS_H

#include "engine/rewrite/shape.h"

#define RAROG_FLAG_BITS  0x3f /* CF, PF, AF, ZF, SF, OF … */
#define RAROG_FLAG_CARRY 0x01 /* … of which INC leaves this */

/**
 * rarog_flags_solve() - fill in live of all blocks
 * @is_entry: begins a function at this address? Compilers pass no flags to one.
 */
int rarog_flags_solve(struct rarog_rewrite_shape *shape, const struct rarog_binary *binary);

/**
 * rarog_flags_place() - where in a block a counter need not preserve flags
 *
 * Return: offset in the function of an instruction of the block, before which no flag but CF is
 * live; UINT32_MAX: there is none.
 */
uint32_t rarog_flags_place(const struct rarog_rewrite_shape *shape, uint32_t block);

#endif
