/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words by which code finds variables that each thread has for itself, and what these begin with.
 */
#ifndef RAROG_BINARY_THREAD_WORDS_H
#define RAROG_BINARY_THREAD_WORDS_H

#include "base/vec.h"
#include "binary/instruction.h"

struct rarog_binary;

struct rarog_thread_word {
	uint64_t word, type; /* R_X86_64_DTPMOD64, _DTPOFF64, _TPOFF64, _TLSDESC */
	int64_t addend;
	const char *name; /* of the variable, borrowed from the binary; "": it is this file's */
};

struct rarog_thread_words {
	RAROG_VEC(struct rarog_thread_word) list; /* by word */
	uint64_t start;                           /* of what the variables begin with … */
	size_t n;                                 /* … bytes; all others begin with 0 */
	bool is_there;                            /* this file has such variables */
};

/** rarog_thread_words_read() - 0, -ENOMEM. Release in any case. */
int rarog_thread_words_read(const struct rarog_binary *binary,
			    struct rarog_thread_words *ret_words);
void rarog_thread_words_release(struct rarog_thread_words *words); /* fits rarog_cleanup() */

/** rarog_thread_words_find() - at @word; NULL: it is none. */
const struct rarog_thread_word *rarog_thread_words_find(const struct rarog_thread_words *words,
							uint64_t word);

/** rarog_reads_thread_data() - does the instruction use what the thread has for itself? Not the
 * number against smashed stacks. True also of a few that do not. */
bool rarog_reads_thread_data(const struct rarog_instruction *in, const uint8_t *code);

#endif
