/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Busy noise: how a delay in nanoseconds becomes the word of a gate, and what was spent becomes
 * nanoseconds again. The time-stamp counter is too coarse below RAROG_DELAY_TURNS_NS, where a loop
 * is turned instead.
 */
#ifndef RAROG_ENGINE_DELAY_H
#define RAROG_ENGINE_DELAY_H

#include <stdint.h>

#define RAROG_DELAY_TURNS_NS 100

/** rarog_delay_most_ns() - the longest delay of one call */
uint64_t rarog_delay_most_ns(void);

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

/** rarog_gain_word() - of a gate whose calls gain @ns each, which other threads owe. */
uint32_t rarog_gain_word(uint64_t ns);

/** rarog_gained_ns() - @ticks that were gained, or owed. */
double rarog_gained_ns(uint64_t ticks);

#endif
