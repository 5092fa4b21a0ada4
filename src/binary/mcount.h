/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C library's mcount() and __fentry__(), which programs built with -pg call at every entry, by
 * their code: a stripped libc.so.6 does not name the function that they pass their two addresses
 * to.
 */
#ifndef RAROG_BINARY_MCOUNT_H
#define RAROG_BINARY_MCOUNT_H

#include "binary/binary.h"

/**
 * rarog_mcount_callee() - what the function at @address calls with (caller's caller, caller), if
 * it is glibc's mcount() or __fentry__()
 *
 * Return: the address of that function, __mcount_internal(); 0: @address is something else.
 */
uint64_t rarog_mcount_callee(const struct rarog_binary *binary, uint64_t address);

/**
 * rarog_mcount_is_blind() - does the function at @address see nothing of its caller's stack?
 *
 * Only code that goes straight to its return and uses the stack by push and pop alone is believed
 * to.
 */
bool rarog_mcount_is_blind(const struct rarog_binary *binary, uint64_t address);

#endif
