/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts, each kept once and numbered from 1 in the order of their coming; 0 is NULL.
 */
#ifndef RAROG_PROFILE_STRINGS_H
#define RAROG_PROFILE_STRINGS_H

#include "base/index.h"
#include "profile/bytes.h"

struct rarog_string_table {
	struct rarog_bytes text;  /* all texts, each with its NUL */
	RAROG_VEC(size_t) offset; /* by number - 1, into text */
	struct rarog_index index;
};

/** rarog_string_add() - the number of @text, which is copied if it is new; -ENOMEM. */
long rarog_string_add(struct rarog_string_table *table, const char *text);

/** rarog_string_is_new() - 1: @text was not there, and is now; 0: it was; -ENOMEM. */
int rarog_string_is_new(struct rarog_string_table *table, const char *text);

/* rarog_string_end(): offset after the first @n texts. */
size_t rarog_string_end(const struct rarog_string_table *table, size_t n);

void rarog_string_table_release(struct rarog_string_table *table);

#endif
