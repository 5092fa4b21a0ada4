/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/trace/inline/values.h"

#include <errno.h>

#include "base/error.h"
#include "base/log.h"
#include "collect/trace/inline/emit-values.h"

_Static_assert((int)RAROG_VALUE_GENERAL == RAROG_WAY_GENERAL &&
		       (int)RAROG_VALUE_VECTOR == RAROG_WAY_VECTOR &&
		       (int)RAROG_VALUE_STACK == RAROG_WAY_STACK &&
		       (int)RAROG_VALUE_PLAIN == RAROG_WAY_PLAIN &&
		       (int)RAROG_VALUE_LENGTH == RAROG_WAY_LENGTH &&
		       (int)RAROG_VALUE_DIFFERENCE == RAROG_WAY_DIFFERENCE &&
		       RAROG_VALUE_STEPS == RAROG_WAY_STEPS,
	       "both sides count alike");

static int choose(struct rarog_module *m, struct rarog_plan *plan, struct rarog_probe *probe)
{
	struct rarog_wanted_values values;
	int r = rarog_value_wishes_of(&plan->values, m->binary, probe->function, RAROG_VALUES_MOST,
				      &values);

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
		int r = choose(module, plan, &module->probes.v[i]);

		unknown += r == -ENODATA;
		if (r < 0 && r != -ENODATA)
			return r;
	}
	if (unknown)
		rarog_warn("%s: no debug information of %zu function%s: no arguments of %s are "
			   "captured; compile with -g, or install the debug symbols",
			   module->path, unknown, unknown == 1 ? "" : "s",
			   unknown == 1 ? "it" : "them");
	return 0;
}

size_t rarog_values_size(const struct rarog_module *module)
{
	return (module->values.n * RAROG_EMIT_VALUES_SIZE + 4095) & ~(size_t)4095;
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
	return r;
}

static struct rarog_value_way way_of(const struct rarog_value_path *path)
{
	struct rarog_value_way way = {
		.source = path->source,
		.finish = path->finish,
		.number = path->number,
		.n_steps = path->n_steps,
		.bytes = path->bytes,
		.stack = path->stack,
		.other = path->other,
	};

	for (int i = 0; i < RAROG_VALUE_STEPS; i++)
		way.steps[i] = path->steps[i];
	return way;
}

void rarog_values_emit(const struct rarog_module *module, const struct rarog_probe *probe,
		       struct rarog_emitter *emitter)
{
	const struct rarog_wanted_values *values;
	struct rarog_value_set set = { 0 };

	if (!probe->values)
		return;
	values = &module->values.v[probe->values - 1];
	set.n_enter = (uint8_t)values->n_enter;
	set.n_leave = (uint8_t)values->n_leave;
	for (size_t i = 0; i < values->all.n; i++) {
		const struct rarog_value_path *path = &values->all.v[i].path;
		bool reads = path->n_steps > 0 || path->finish != RAROG_VALUE_PLAIN;

		set.values[i] = way_of(path);
		*(i < values->n_enter ? &set.reads_enter : &set.reads_leave) |= reads;
	}
	if (rarog_emit_values(emitter, &set) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "%s: no room for values", module->path);
}
