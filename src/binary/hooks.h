/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions at whose entry the compiler left a place for probes (-fpatchable-function-entry), and
 * what rarog cc --hooks noted in the file of those that are meant (doc/design/hooks.md).
 */
#ifndef RAROG_BINARY_HOOKS_H
#define RAROG_BINARY_HOOKS_H

#include "binary/binary.h"

/* The section that files with such places have, also when they are stripped … */
#define RAROG_HOOKS_TABLE "__patchable_function_entries"
/* … and that of the notes: texts, a NUL after each. */
#define RAROG_HOOKS_NOTES ".rarog.hooks"

/** rarog_hooks_any() - has any function of @binary a place? */
bool rarog_hooks_any(const struct rarog_binary *binary);

/** rarog_hooks_at() - has the function that begins at @entry? */
bool rarog_hooks_at(const struct rarog_binary *binary, uint64_t entry);

/** rarog_hooks_note() - the note after @last (NULL: the first), NULL: there is none; borrowed. */
const char *rarog_hooks_note(const struct rarog_binary *binary, const char *last);

#endif
