/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that look at their own return address: setjmp, getcontext and vfork under whatever
 * name, coroutine switches, users of __builtin_return_address(0).
 */
#ifndef RAROG_BINARY_RETURN_SLOT_H
#define RAROG_BINARY_RETURN_SLOT_H

#include "binary/code-map.h"

/**
 * rarog_return_slot_used() - does the code at @entry use the word that the caller's CALL pushed,
 * other than by returning?
 *
 * Follows one path: straight on, through direct jumps and calls of profiling hooks, up to any other
 * call, return or change of the stack pointer that is not by a constant, and at most
 * RAROG_RETURN_SLOT_REACH instructions. @entry must be a function's, so that rsp points to the word
 * there.
 *
 * Telling it to the hooks of -finstrument-functions is no use: they can be told the truth
 * (doc/design/sleds.md). A call of the program's own mcount() is one: that looks for itself.
 */
bool rarog_return_slot_used(const struct rarog_code_map *map, uint64_t entry);

#define RAROG_RETURN_SLOT_REACH 64

#endif
