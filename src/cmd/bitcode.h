/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the linker compiles what it is given, whatever the options say. */
#ifndef RAROG_CMD_BITCODE_H
#define RAROG_CMD_BITCODE_H

#include <stdbool.h>

#include "base/vec.h"

/* What -L and -l say, in order; zeroed: nothing. */
struct rarog_library_words {
	RAROG_VEC(char *) folders, names;
};

/** rarog_bitcode_in() - is @path LLVM's bitcode, an object that has some beside its code
 * (-ffat-lto-objects), or an archive (also a thin one) with either? What
 * cannot be read has none. */
bool rarog_bitcode_in(const char *path);

/** rarog_library_words_add() - a folder of -L, or a name of -l, copied; without memory it is left
 * out. */
void rarog_library_words_add_folder(struct rarog_library_words *words, const char *folder);
void rarog_library_words_add_name(struct rarog_library_words *words, const char *name);
void rarog_library_words_release(struct rarog_library_words *words);

/** rarog_library_words_bitcode() - is any of the libraries an archive with bitcode? They are looked
 * for in the folders that were named, as the linker does; @is_static: without shared ones. */
bool rarog_library_words_bitcode(const struct rarog_library_words *words, bool is_static);

#endif
