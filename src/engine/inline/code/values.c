/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/code/values.h"

#include <errno.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/inline/code/emit-values.h"
#include "plan/mark-values.h"
#include "plan/value-set.h"

static int choose(struct rarog_module *m, struct rarog_plan *plan, struct rarog_probe *probe)
{
	struct rarog_wanted_values values;
	int r = rarog_value_requests_of(&plan->values, m->binary, probe->function,
					RAROG_VALUES_MOST, &values);

	if (r < 0 || values.all.n == 0)
		return r;
	r = rarog_vec_push(&m->values, values);
	if (r < 0)
		rarog_wanted_values_release(&values);
	else
		probe->values = (uint32_t)m->values.n;
	return r;
}

int rarog_values_choose(struct rarog_module *module, struct rarog_plan *plan)
{
	size_t unknown = 0;

	for (size_t i = 0; plan->values.all.n > 0 && i < module->probes.n; i++) {
		int r = 0;

		if (module->probes.v[i].has_values)
			r = choose(module, plan, &module->probes.v[i]);
		unknown += r == -ENODATA;
		if (r < 0 && r != -ENODATA)
			return r;
	}
	rarog_value_requests_say_undescribed(module->binary, module->path, unknown);
	return 0;
}

size_t rarog_values_size(const struct rarog_module *module)
{
	size_t size = module->values.n * RAROG_EMIT_VALUES_SIZE;

	for (size_t i = 0; i < module->marks.v.n; i++)
		if (module->marks.names.v[module->marks.v.v[i].name].values.all.n > 0)
			size += RAROG_EMIT_MARK_VALUES_SIZE;
	return (size + 4095) & ~(size_t)4095;
}

int rarog_values_announce(const struct rarog_module *module, struct rarog_recorder *recorder)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < module->probes.n; i++) {
		uint32_t values = module->probes.v[i].values;

		if (values)
			r = rarog_recorder_add_values(recorder,
						      (uint32_t)(module->locations + (long)i),
						      &module->values.v[values - 1]);
	}
	return r < 0 ? r
		     : rarog_recorder_add_mark_values(
			       recorder, &module->marks,
			       (uint32_t)(module->locations + (long)module->probes.n));
}

void rarog_values_emit(const struct rarog_module *module, const struct rarog_probe *probe,
		       struct rarog_emitter *emitter)
{
	struct rarog_value_set set;

	if (!probe->values)
		return;
	rarog_value_set_make(&module->values.v[probe->values - 1], &set);
	if (rarog_emit_values(emitter, &set) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "%s: no room for values", module->path);
}
