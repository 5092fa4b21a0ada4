/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gates stand before the stubs of functions and marks of which not every call is recorded, or may
 * not be later: each has a word, which the probe reads and rarog writes. No code is patched a
 * second time.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_GATES_H
#define RAROG_ENGINE_INLINE_CODE_GATES_H

#include "engine/inline/code/module.h"

#define RAROG_GATES UINT32_MAX /* all of a module */

/** rarog_gates_set() - what the gate of @probe says from here on; nothing is written yet. */
void rarog_gates_set(struct rarog_probe *probe, uint32_t word);

/** rarog_gates_set_mark() - the same of all places of the mark @name of @m. */
void rarog_gates_set_mark(struct rarog_module *m, size_t name, uint32_t word);

/** rarog_gates_are_wanted() - has a module under @plan gates? */
bool rarog_gates_are_wanted(const struct rarog_plan *plan);

/** rarog_gates_add_module() - @take_module is one of @modules from here on; its gates are as those
 * of all modules are. */
void rarog_gates_add_module(struct rarog_modules *modules, struct rarog_module *take_module);

/** rarog_gates_emit() - make room for the words of @module's gates, if it has any; what is emitted
 * later is as @plan wants them. */
void rarog_gates_emit(struct rarog_emitter *emitter, const struct rarog_module *module,
		      const struct rarog_plan *plan);

/* What a change means to a module. */
struct rarog_gate_change {
	const struct rarog_module *module;
	uint32_t number; /* of the probe, then of the mark's name; RAROG_GATES */
};

/**
 * rarog_gates_change() - note what becomes of the calls of one place, or of all
 * @write: called for each module that is concerned: its probes have the words for gates
 *
 * No module is added meanwhile. Return: 0; -ENOENT, -ENOTSUP with message: nothing has changed.
 */
int rarog_gates_change(struct rarog_modules *modules, const struct rarog_place_change *change,
		       void (*write)(void *context, const struct rarog_gate_change *change),
		       void *context);

#endif
