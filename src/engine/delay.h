/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Busy noise: how a delay in nanoseconds becomes the word of a gate, and what was spent becomes
 * nanoseconds again. The time-stamp counter is too coarse below RAROG_DELAY_TURNS_NS, where a loop
 * is turned instead.
 */
#ifndef RAROG_ENGINE_DELAY_H
#define RAROG_ENGINE_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/noise.h"

#define RAROG_DELAY_TURNS_NS 100

/** rarog_delay_most_ns() - the longest delay of one call */
uint64_t rarog_delay_most_ns(void);

/** rarog_delay_ticks() - of the time-stamp counter, in @ns */
uint64_t rarog_delay_ticks(uint64_t ns);

/** rarog_delay_word() - of a gate whose calls begin @ns late; 0: they are only counted. */
uint32_t rarog_delay_word(uint64_t ns);

/**
 * rarog_delay_spent_ns() - what @calls calls were late, all together
 * @word: of the gate, meanwhile; one that does not delay: 0
 * @amount: ticks or turns that the probe has noted
 *
 * With what surrounds the loop, which the loop cannot see.
 */
double rarog_delay_spent_ns(uint32_t word, uint64_t amount, uint64_t calls);

/** rarog_delay_around_ticks() - what surrounds the loop, of a delay of 100 ns and more */
uint32_t rarog_delay_around_ticks(void);

/** rarog_noise_word(), rarog_noise_spent_ns() - the same for any kind of noise (@noise: enum
 * rarog_noise). Others than BUSY note the ticks that have passed, whatever was asked. */
uint32_t rarog_noise_word(unsigned noise, uint64_t ns);
double rarog_noise_spent_ns(unsigned noise, uint32_t word, uint64_t amount, uint64_t calls);

/** rarog_noise_least_ns() - what a call takes at least that is to be late by next to nothing: of
 * sleep, measured anew; of others 0, they are as short as anybody may want. */
uint64_t rarog_noise_least_ns(unsigned noise);

/** rarog_gain_word() - of a gate whose calls gain @ns each, which other threads owe; @loses: and
 * are late by as much. */
uint32_t rarog_gain_word(uint64_t ns, bool loses);

/** rarog_gained_ns() - @ticks that were gained, or owed. */
double rarog_gained_ns(uint64_t ticks);

#endif
