/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A probe need not be at the entry (probe-place.h): the instructions before it may have written to
 * the registers that hold arguments. Then it goes to the entry, even if the kernel has to
 * single-step what stands there. The stack is as it was.
 */
#include "collect/probed/values.h"

#include <errno.h>

#include "agent/value-set.h"
#include "base/error.h"
#include "base/log.h"

/* Bits of the general registers that hold what is wanted at the entry. */
static unsigned registers_of(const struct rarog_wanted_values *values)
{
	unsigned used = 0;

	for (unsigned i = 0; i < values->n_enter; i++)
		if (values->all.v[i].path.source == RAROG_VALUE_GENERAL)
			used |= 1u << values->all.v[i].path.number;
	return used;
}

static void count_vectors(struct rarog_probed_module *m, const char *function,
			  const struct rarog_wanted_values *values)
{
	for (size_t i = 0; i < values->all.n; i++) {
		if (values->all.v[i].path.source != RAROG_VALUE_VECTOR)
			continue;
		rarog_debug(RAROG_LOG_SITE, "%s: '%s' is in a vector register: stays unread",
			    function, values->all.v[i].name);
		m->n_vectors++;
	}
}

static void keep_to_entry(const char *function, struct rarog_probe_place *place,
			  struct rarog_wanted_values *values)
{
	if (!(registers_of(values) & place->written))
		return;
	if (place->may_be_entry) {
		place->offset = 0;
		place->is_quick = false;
		return;
	}
	rarog_warn("%s: nothing is captured: the kernel cannot single-step its first instruction; "
		   "--engine=inline captures it",
		   function);
	rarog_wanted_values_release(values);
}

int rarog_probed_values_choose(struct rarog_probed_module *m, struct rarog_plan *plan,
			       uint32_t index, struct rarog_probe_place *place,
			       struct rarog_wanted_values *ret_values)
{
	const struct rarog_function *functions;
	int r;

	if (plan->values.all.n == 0)
		return 0;
	r = rarog_value_wishes_of(&plan->values, m->binary, index, RAROG_VALUES_MOST, ret_values);
	m->n_undescribed += r == -ENODATA;
	if (r < 0)
		return r == -ENODATA ? 0 : r;
	rarog_binary_functions(m->binary, &functions);
	count_vectors(m, functions[index].name, ret_values);
	keep_to_entry(functions[index].name, place, ret_values);
	return 0;
}

void rarog_probed_values_say(const struct rarog_probed_module *m)
{
	rarog_value_wishes_say_undescribed(m->path, m->n_undescribed);
	if (m->n_vectors > 0)
		rarog_warn("%s: %zu value%s in vector registers (float, double), which programs in "
			   "the kernel cannot see, stay%s unread; --engine=inline captures them",
			   m->path, m->n_vectors, m->n_vectors == 1 ? "" : "s",
			   m->n_vectors == 1 ? "s" : "");
}
