/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Status flags that live across a call or into a function. Compilers keep none there, so a probe
 * may change them; code written by hand may.
 */
#ifndef RAROG_BINARY_LIVE_FLAGS_H
#define RAROG_BINARY_LIVE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * rarog_flags_live() - does straight-line code read a status flag that it did not write before?
 * @n: bytes of code, fewer than RAROG_FLAGS_REACH are enough
 *
 * Looks up to the first branch, call, return or system call, a conditional branch included; CF, PF,
 * AF, ZF, SF and OF count.
 */
bool rarog_flags_live(size_t n, const uint8_t code[n]);

#define RAROG_FLAGS_REACH 256 /* bytes that are looked at */

#endif
