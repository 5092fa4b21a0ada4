/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The marks of a program under probes of the kernel. */
#ifndef RAROG_ENGINE_PROBED_MARKS_H
#define RAROG_ENGINE_PROBED_MARKS_H

#include "engine/probed/module.h"

/** rarog_probed_marks_choose() - of those that @module has, what cannot be probed without changing
 * the program is left out. 0; -ENOMEM, -EFBIG. */
int rarog_probed_marks_choose(struct rarog_plan *plan, struct rarog_probed_module *module);

/** rarog_probed_marks_offset() - where @address is in the file; 0: it is not. */
uint64_t rarog_probed_marks_offset(const struct rarog_probed_module *module, uint64_t address);

#endif
