/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line that a compiler is called with. */
#ifndef RAROG_CMD_CC_LINE_H
#define RAROG_CMD_CC_LINE_H

#include <stddef.h>

#include "base/vec.h"

/* Zeroed: empty. */
struct rarog_cc_line {
	RAROG_VEC(char *) words; /* all owned */
	char *library;           /* with counters, that it links; NULL: none; owned */
};

void rarog_cc_line_release(struct rarog_cc_line *line);

/** rarog_cc_line_add() - takes the text, which may be NULL for want of memory. 0, -ENOMEM. */
int rarog_cc_line_add(struct rarog_cc_line *line, char *take_text);

/** rarog_cc_line_add_all() - copies of argv[n]. 0, -ENOMEM. */
int rarog_cc_line_add_all(struct rarog_cc_line *line, size_t n, char *const argv[]);

/** rarog_cc_line_add_files() - of argv[n] all but the first, which is "--": words of ours come
 * after, and a name that looks like an option becomes a path. 0, -ENOMEM. */
int rarog_cc_line_add_files(struct rarog_cc_line *line, size_t n, char *const argv[]);

#endif
