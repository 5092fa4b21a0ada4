/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that mean something to the judgement of entries, wherever they lead: to a function of the
 * file, or through the linkage table to one of another file.
 */
#ifndef RAROG_BINARY_CODE_LINKS_H
#define RAROG_BINARY_CODE_LINKS_H

#include "binary/code-map.h"

/** rarog_code_link() - what is called by a CALL or JMP to @target; RAROG_LINK_NONE: nothing special
 */
enum rarog_link_kind rarog_code_link(const struct rarog_code_map *map, uint64_t target);

/** rarog_code_link_word() - … by one through the word of memory at @word. */
enum rarog_link_kind rarog_code_link_word(const struct rarog_code_map *map, uint64_t word);

/** rarog_code_link_named() - the kind of a function of that name in another file. */
enum rarog_link_kind rarog_code_link_named(const char *name);

/** rarog_is_instrument_hook() - is it __cyg_profile_func_enter or _exit? */
bool rarog_is_instrument_hook(const struct rarog_function *function);

#endif
