/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What captures values after a function's entry probe: a few stores where registers are all that
 * is asked for, else a call of the agent.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_EMIT_VALUES_H
#define RAROG_ENGINE_INLINE_CODE_EMIT_VALUES_H

#include "agent/value-set.h"
#include "engine/inline/code/emit.h"

/* Bytes that a function with captured values needs besides its stub, at most. */
#define RAROG_EMIT_VALUES_SIZE 2048

/**
 * rarog_emit_values() - capture @capture with the calls of the function that rarog_emit_stub() was
 * called for last
 *
 * Return: 0; -ENOSPC: its calls are recorded without.
 */
int rarog_emit_values(struct rarog_emitter *emitter, const struct rarog_value_set *capture);

#endif
