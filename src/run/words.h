/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command line as words, quoted as a shell does it ('…', "…", \), but nothing is expanded: what
 * only a shell could do is an error, not a surprise.
 */
#ifndef RAROG_RUN_WORDS_H
#define RAROG_RUN_WORDS_H

#include <stddef.h>

#include "base/str.h"
#include "base/vec.h"

/* Zeroed: none. The words are the struct's own; a NULL stands after the last. */
struct rarog_words {
	RAROG_VEC(char *) list;
};

/** rarog_words_split() - append the words of @text. Return: 0; -EINVAL an open quote, or a
 * character that only a shell understands; -ENOMEM. */
int rarog_words_split(const char *text, struct rarog_words *words);

/** rarog_words_add() - append one word as it is. 0 or -ENOMEM. */
int rarog_words_add(struct rarog_words *words, const char *word);

void rarog_words_release(struct rarog_words *words);

/** rarog_text_replace() - append @text with every @what replaced by @with. Return: how often, or
 * -ENOMEM. */
int rarog_text_replace(const char *text, const char *what, const char *with,
		       struct rarog_str *result);

#endif
