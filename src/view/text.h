/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names as they may be shown. What a binary calls its functions is outside data: control bytes,
 * bytes that are not UTF-8 and characters that reorder or hide text never reach a terminal.
 */
#ifndef RAROG_VIEW_TEXT_H
#define RAROG_VIEW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"
#include "profile/profile.h"

/** rarog_location_title() - demangled name, else symbol, else "?"; borrowed, not cleaned. */
const char *rarog_location_title(const struct rarog_location *location);

/**
 * rarog_text_add_clean() - append @text with what is unsafe written as \xNN or \u{NNNN}
 * @ascii: write everything beyond ASCII so
 *
 * Return: 0 or -ENOMEM.
 */
int rarog_text_add_clean(struct rarog_str *to, const char *text, bool ascii);

/** rarog_text_add_utf8() - append @text with invalid bytes as U+FFFD, all else as it is. */
int rarog_text_add_utf8(struct rarog_str *to, const char *text);

/** rarog_text_fit_name() - @text, a clean name, by its short form (base/short-name.h) if it has
 * more than @columns columns. Return: 0 or -ENOMEM. */
int rarog_text_fit_name(struct rarog_str *text, int columns, bool ascii);

/** rarog_text_elide() - cut clean @text to @columns columns in the middle, as tables do; "~" is the
 * mark in ASCII. Return: 0 or -ENOMEM. */
int rarog_text_elide(struct rarog_str *text, int columns, bool ascii);

/** rarog_xml_add() - @text, cleaned, as text of an element or value of an attribute. 0 or -ENOMEM.
 */
int rarog_xml_add(FILE *out, const char *text);

/** rarog_markdown_add() - @text such that nothing in it is taken for markup. 0 or -ENOMEM. */
int rarog_markdown_add(FILE *out, const char *text);

#endif
