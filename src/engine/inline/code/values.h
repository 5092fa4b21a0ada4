/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that the inline engine captures with the calls of a module's functions. */
#ifndef RAROG_ENGINE_INLINE_CODE_VALUES_H
#define RAROG_ENGINE_INLINE_CODE_VALUES_H

#include "engine/inline/code/area.h"
#include "engine/inline/code/module.h"

/** rarog_values_choose() - what the plan wants of the module's probes. 0, -ENOMEM. */
int rarog_values_choose(struct rarog_module *module, struct rarog_plan *plan);

/** rarog_values_size() - bytes of code area that they need. */
size_t rarog_values_size(const struct rarog_module *module);

/** rarog_values_announce() - to the recorder, when the module's locations are known. */
int rarog_values_announce(const struct rarog_module *module, struct rarog_recorder *recorder);

/** rarog_values_emit() - for @probe, whose stub was emitted just now. */
void rarog_values_emit(const struct rarog_module *module, const struct rarog_probe *probe,
		       struct rarog_emitter *emitter);

#endif
