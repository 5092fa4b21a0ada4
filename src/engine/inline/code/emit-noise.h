/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a gate for noise that is not only busy: in the place of emit-delay.h's. */
#ifndef RAROG_ENGINE_INLINE_CODE_EMIT_NOISE_H
#define RAROG_ENGINE_INLINE_CODE_EMIT_NOISE_H

#include "engine/inline/code/emit.h"

#define RAROG_EMIT_LATE_SIZE 704 /* bytes at most of rarog_emit_late() */

/** rarog_emit_noise() - of emitter->noise, not BUSY; else as rarog_emit_delay(). */
void rarog_emit_noise(struct rarog_emitter *emitter, uint32_t total, size_t body);

/** rarog_emit_late() - the one of the two that emitter->noise says. */
void rarog_emit_late(struct rarog_emitter *emitter, uint32_t total, size_t body);

/** rarog_emit_is_noise() - is the instruction at code[@at] one of such a part, before it notes
 * anything? */
bool rarog_emit_is_noise(size_t n, const uint8_t code[], size_t at);

#endif
