/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A probe need not be at the entry (probe-place.h): the instructions before it may have written to
 * the registers that hold arguments. Then it goes to the entry, even if the kernel has to
 * single-step what stands there. The stack is as it was.
 */
#include "engine/probed/values.h"

#include <errno.h>

#include "agent/value-set.h"
#include "base/error.h"
#include "base/log.h"
#include "plan/mark-values.h"

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
	r = rarog_value_requests_of(&plan->values, m->binary, index, RAROG_VALUES_MOST, ret_values);
	m->n_undescribed += r == -ENODATA;
	if (r < 0)
		return r == -ENODATA ? 0 : r;
	rarog_binary_functions(m->binary, &functions);
	count_vectors(m, functions[index].name, ret_values);
	keep_to_entry(functions[index].name, place, ret_values);
	return 0;
}

/* Bits of what the marks with a name tell of such registers; those of ends above the others. */
static unsigned vectors_of(const struct rarog_marks *marks, uint32_t name)
{
	const struct rarog_usdt_argument *values[RAROG_USDT_ARGUMENTS];
	unsigned bits = 0;

	for (size_t i = 0; i < marks->v.n; i++) {
		const struct rarog_mark *mark = &marks->v.v[i];
		unsigned first = rarog_mark_ends(mark) ? RAROG_USDT_ARGUMENTS : 0;
		size_t n = mark->name == name ? rarog_mark_values_of(marks, mark, values) : 0;

		for (size_t k = 0; k < n; k++)
			if (values[k] && values[k]->source == RAROG_USDT_VECTOR)
				bits |= 1u << (first + k);
	}
	return bits;
}

static size_t count_mark_vectors(const struct rarog_marks *marks)
{
	size_t n = 0;

	for (uint32_t i = 0; i < marks->names.n; i++) {
		int some = __builtin_popcount(vectors_of(marks, i));

		if (some > 0)
			rarog_debug(RAROG_LOG_SITE, "%s: values in vector registers stay unread",
				    marks->names.v[i].text);
		n += (size_t)some;
	}
	return n;
}

void rarog_probed_values_say(const struct rarog_probed_module *m)
{
	size_t n = m->n_vectors + count_mark_vectors(&m->marks);

	rarog_value_requests_say_undescribed(m->binary, m->name, m->n_undescribed);
	if (n > 0)
		rarog_warn("%s: %zu value%s in vector registers (float, double), which programs in "
			   "the kernel cannot see, stay%s unread; --engine=inline captures them",
			   m->name, n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}
