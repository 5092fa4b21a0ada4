/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an address of a copy is in the original, and the other way. All are in the file's numbering.
 */
#ifndef RAROG_ENGINE_REWRITE_MAPPING_H
#define RAROG_ENGINE_REWRITE_MAPPING_H

#include "engine/rewrite/module.h"

/** rarog_rewrite_mapping_sample() - a thread was at @address. Return: is that code of the module
 * which has been rewritten? */
bool rarog_rewrite_mapping_sample(struct rarog_rewrite_module *module, uint64_t address);

/** rarog_rewrite_mapping_original() - what @address is in the original, where a thread stands in a
 * copy, or at a jump that stands in the original in place of other instructions. Return: 0:
 * neither, or it is midway. */
uint64_t rarog_rewrite_mapping_original(const struct rarog_rewrite_module *module,
					uint64_t address);

/** rarog_rewrite_mapping_is_midway() - does a thread at @address stand between instructions of ours
 * that move the stack pointer? */
bool rarog_rewrite_mapping_is_midway(const struct rarog_rewrite_module *module, uint64_t address);

/** rarog_rewrite_mapping_copied() - where the instruction at @address of the original stands in a
 * copy. Return: 0: nowhere, or a jump leads there from @address itself. */
uint64_t rarog_rewrite_mapping_copied(const struct rarog_rewrite_module *module, uint64_t address);

#endif
