/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a gate that makes calls begin late. */
#ifndef RAROG_ENGINE_INLINE_CODE_EMIT_DELAY_H
#define RAROG_ENGINE_INLINE_CODE_EMIT_DELAY_H

#include "engine/inline/code/emit.h"

#define RAROG_EMIT_DELAY_SIZE 160 /* bytes at most */

/* Readings of the clock that are further apart are not the loop's: something came in between. */
#define RAROG_DELAY_GAP_TICKS 8192

/* Each time that what is gained is written, other processors have to fetch it anew, which takes as
 * long as a short function does. So a thread tells of its own when that is so much, or when it is
 * about to wait or to wake another. */
#define RAROG_GAIN_STEP_TICKS 16384

/* A pause is longer than what was owed, by a turn of its loop. That is no gain: if it were told as
 * one the others would owe it, pause for longer than that, and so on. */
#define RAROG_GAIN_LEAST_TICKS 512

/**
 * rarog_emit_delay() - with the gate's word in %eax, and the function's own %rax pushed
 * @total: of a strand's counters, from their beginning: what was spent here, in ticks or turns
 * @body: where the call goes on
 */
void rarog_emit_delay(struct rarog_emitter *emitter, uint32_t total, size_t body);

/** rarog_emit_delay_account() - the end of such a part: on the stack is what was asked, and below
 * it what was saved; %rcx is what is left of it. Return: where there is nothing to note. */
size_t rarog_emit_delay_account(struct rarog_emitter *emitter, uint32_t total, size_t body);

/** rarog_emit_is_delay() - is the instruction at code[@at] one of the loops of such a part? All
 * other registers and counters are as before it then. */
bool rarog_emit_is_delay(size_t n, const uint8_t code[], size_t at);

#endif
