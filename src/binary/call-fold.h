/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions of a binary were one function in the source: parts and clones with their origin.
 */
#ifndef RAROG_BINARY_CALL_FOLD_H
#define RAROG_BINARY_CALL_FOLD_H

#include "binary/binary.h"

/**
 * rarog_call_fold() - by names: f.cold, f.part.0, f.constprop.1 belong to f of the same source file
 * @keep_parts: every function is its own
 * @ret_origin: [functions]: the index of the one that stands for it. If f itself is nowhere it is
 * the first of its clones.
 *
 * Return: 0, -ENOMEM.
 */
int rarog_call_fold(const struct rarog_binary *binary, bool keep_parts, uint32_t ret_origin[]);

/** rarog_call_fold_name() - how much of the name of a clone or part is its origin's. */
size_t rarog_call_fold_name(const struct rarog_function *function);

#endif
