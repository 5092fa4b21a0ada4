/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prose on a terminal: words broken into lines.
 */
#ifndef RAROG_BASE_WRAP_H
#define RAROG_BASE_WRAP_H

#include <stdio.h>

/**
 * rarog_wrap() - write @text in lines of at most @width columns
 * @column: where the cursor stands; @indent: where following lines begin (spaces are written)
 *
 * A line break in @text is a space, an empty line separates paragraphs, a line that begins with a
 * space is kept as it is. Ends with a line break. Every code point counts as one column.
 */
void rarog_wrap(FILE *out, const char *text, int column, int indent, int width);

/** rarog_columns() - code points in the @n bytes at @text. */
int rarog_columns(const char *text, size_t n);

#endif
