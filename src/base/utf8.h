/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UTF-8 text on a terminal. Names come from binaries, so any bytes are taken: what is not valid or
 * not printable (escape sequences above all) counts and prints as one U+FFFD.
 */
#ifndef RAROG_BASE_UTF8_H
#define RAROG_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** rarog_utf8_length() - bytes of the valid sequence at the start of @n > 0 bytes (no surrogates,
 * no overlong forms), 0 if there is none. */
size_t rarog_utf8_length(size_t n, const char *bytes);

/** rarog_utf8_next() - bytes of the character at @text (> 0 unless at the end), @ret_columns its
 * width by wcwidth(); 1 byte and 1 column when it cannot be shown. */
size_t rarog_utf8_next(const char *text, int *ret_columns);

/** rarog_utf8_columns() - columns that @text takes. */
int rarog_utf8_columns(const char *text);

/** rarog_utf8_print() - write @text in at most @width columns, what is too long cut in the middle
 * and marked "…" (both ends of a C++ name tell more than one). Return: columns written. */
int rarog_utf8_print(FILE *out, const char *text, int width);

/** rarog_utf8_is_spoken() - does the user's terminal take UTF-8, by its environment? main() made
 * the process itself speak it. */
bool rarog_utf8_is_spoken(void);

#endif
