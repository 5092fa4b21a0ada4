/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linking a library whose blocks are counted. */
#ifndef RAROG_CMD_CC_LIBRARY_H
#define RAROG_CMD_CC_LIBRARY_H

#include "cmd/cc-line.h"

/**
 * rarog_cc_library_link() - runs the compiler, and looks at @line->library
 *
 * What was compiled without -fPIC counts where a program's threads count, which is somewhere else:
 * such a library is removed again.
 *
 * Return: the compiler's exit status (it ends with the compiler's signal if that had one); -EINVAL
 * code that counts as a program's, or another error, with a message.
 */
int rarog_cc_library_link(const struct rarog_cc_line *line);

#endif
