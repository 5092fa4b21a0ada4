/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that are captured with calls by programs in the kernel. */
#ifndef RAROG_ENGINE_PROBED_VALUES_H
#define RAROG_ENGINE_PROBED_VALUES_H

#include "engine/probed/module.h"

/**
 * rarog_probed_values_choose() - what the plan wants of the function @index of @module
 * @place: of its probe; moved to the entry where values would be lost after it
 * @ret_values: the caller releases
 *
 * Return: 0 (also without debug information, see rarog_probed_values_say()), -ENOMEM.
 */
int rarog_probed_values_choose(struct rarog_probed_module *module, struct rarog_plan *plan,
			       uint32_t index, struct rarog_probe_place *place,
			       struct rarog_wanted_values *ret_values);

/** rarog_probed_values_say() - in a line each, what is not captured of @module, when its marks
 * are known, too. */
void rarog_probed_values_say(const struct rarog_probed_module *module);

#endif
