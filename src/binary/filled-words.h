/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What words of a file's memory hold when the loader is done, as far as that is the file's own. */
#ifndef RAROG_BINARY_FILLED_WORDS_H
#define RAROG_BINARY_FILLED_WORDS_H

#include "base/vec.h"
#include "binary/binary.h"

struct rarog_filled {
	uint64_t word, value;
	bool is_resolver; /* the value is the address of what says the value */
};

struct rarog_filled_words {
	const struct rarog_binary *binary;
	RAROG_VEC(struct rarog_filled) list; /* by word */
};

/** rarog_filled_words_read() - from relocations; 0, -ENOMEM. Release in any case. */
int rarog_filled_words_read(const struct rarog_binary *binary,
			    struct rarog_filled_words *ret_words);
void rarog_filled_words_release(struct rarog_filled_words *words); /* fits rarog_cleanup() */

/** rarog_filled_words_at() - how @word is filled; NULL: as it is in the file. */
const struct rarog_filled *rarog_filled_words_at(const struct rarog_filled_words *words,
						 uint64_t word);

/** rarog_filled_words_value() - what @word holds; 0: not in the file, or a resolver says. */
uint64_t rarog_filled_words_value(const struct rarog_filled_words *words, uint64_t word);

/** rarog_word_is_constant() - does nothing write to @word after the loader? */
bool rarog_word_is_constant(const struct rarog_binary *binary, uint64_t word);

#endif
