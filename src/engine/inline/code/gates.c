/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/code/gates.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "engine/inline/code/known-areas.h"

static bool is_late(uint32_t word)
{
	return word & RAROG_GATE_DELAY && word != RAROG_GATE_COUNTED;
}

void rarog_gates_set(struct rarog_probe *probe, uint32_t word)
{
	probe->gate = word;
	if (is_late(word))
		probe->delay = word;
}

void rarog_gates_set_mark(struct rarog_module *m, size_t name, uint32_t word)
{
	m->mark_gates[name].word = word;
	if (is_late(word))
		m->mark_gates[name].delay = word;
}

static void set_mark(const struct rarog_plan *plan, struct rarog_module *m, size_t name,
		     const struct rarog_place_change *change)
{
	uint32_t planned = rarog_mark_planned(plan, &m->marks.names.v[name]);

	rarog_gates_set_mark(m, name, rarog_place_word(change, planned));
}

static void change_all(const struct rarog_plan *plan, struct rarog_module *m,
		       const struct rarog_place_change *change)
{
	for (size_t i = 0; i < m->probes.n; i++)
		rarog_gates_set(&m->probes.v[i], rarog_place_word(change, m->probes.v[i].every));
	for (size_t i = 0; i < m->marks.names.n; i++)
		set_mark(plan, m, i, change);
}

bool rarog_gates_are_wanted(const struct rarog_plan *plan)
{
	return plan->switches || plan->delays || plan->overhead > 0 ||
	       plan->probing.threshold > 0 || plan->judge.decide ||
	       rarog_call_sampling_is_any(&plan->every);
}

void rarog_gates_emit(struct rarog_emitter *emitter, const struct rarog_module *m,
		      const struct rarog_plan *plan)
{
	emitter->delays = plan->delays;
	emitter->noise = plan->noise;
	emitter->has_chance = plan->overhead > 0;
	if (m->has_gates)
		rarog_emit_gates(emitter, (uint32_t)(m->probes.n + m->marks.names.n));
}

void rarog_gates_add_module(struct rarog_modules *modules, struct rarog_module *take_module)
{
	rarog_known_lock();
	take_module->has_gates = take_module->is_probed && rarog_gates_are_wanted(modules->plan);
	if (modules->is_switched)
		change_all(modules->plan, take_module, &modules->last);
	take_module->next = modules->first;
	modules->first = take_module;
	rarog_known_unlock();
}

/* Probes are in the order of functions. */
static long find_probe(const struct rarog_module *m, uint64_t address)
{
	const struct rarog_function *functions;
	long function = rarog_binary_find(m->binary, address);
	size_t n;

	rarog_binary_functions(m->binary, &functions);
	if (function < 0 || functions[function].address != address)
		return -ENOENT;
	n = rarog_lower_bound(i, m->probes.n, m->probes.v[i].function < (uint32_t)function);
	return n < m->probes.n && m->probes.v[n].function == (uint32_t)function ? (long)n : -ENOENT;
}

/* A function's probe, or after all of them the name of a mark. */
static long find_place(const struct rarog_module *m, uint64_t address)
{
	long probe = find_probe(m, address), name = rarog_marks_at(&m->marks, address);

	return probe < 0 && name >= 0 ? (long)m->probes.n + name : probe;
}

static struct rarog_module *find_module(struct rarog_modules *modules, const char *path)
{
	struct rarog_module *m = modules->first;

	while (m && (!m->is_probed || strcmp(m->path, path) != 0))
		m = m->next;
	return m;
}

static int change_one(struct rarog_modules *modules, const struct rarog_place_change *change,
		      struct rarog_gate_change *ret_change)
{
	struct rarog_module *m = find_module(modules, change->module);
	long n = m ? find_place(m, change->address) : -ENOENT;

	if (n < 0)
		return rarog_fail(-ENOENT, "%s: nothing at %#llx is measured", change->module,
				  (unsigned long long)change->address);
	if ((size_t)n >= m->probes.n)
		set_mark(modules->plan, m, (size_t)n - m->probes.n, change);
	else
		rarog_gates_set(&m->probes.v[n], rarog_place_word(change, m->probes.v[n].every));
	*ret_change = (struct rarog_gate_change){ m, (uint32_t)n };
	return 0;
}

int rarog_gates_change(struct rarog_modules *modules, const struct rarog_place_change *change,
		       void (*write)(void *context, const struct rarog_gate_change *change),
		       void *context)
{
	struct rarog_gate_change what = { .number = RAROG_GATES };
	int r = rarog_place_check("inline", modules->plan, change);

	if (r < 0)
		return r;
	rarog_known_lock();
	if (change->module) {
		r = change_one(modules, change, &what);
		if (r == 0)
			write(context, &what);
	} else {
		modules->is_switched = true;
		modules->last = *change;
		for (struct rarog_module *m = modules->first; m; m = m->next) {
			change_all(modules->plan, m, change);
			what.module = m;
			if (m->has_gates)
				write(context, &what);
		}
	}
	rarog_known_unlock();
	return r;
}
