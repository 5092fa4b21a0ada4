/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog cc --hooks: places for probes at the beginning of functions (doc/design/hooks.md). */
#ifndef RAROG_CMD_CC_HOOKS_H
#define RAROG_CMD_CC_HOOKS_H

#include <stdbool.h>

#include "base/options.h"
#include "cmd/cc-line.h"

/* Which functions are to have them. Texts are borrowed from what was asked. */
struct rarog_cc_hooks {
	struct rarog_strings functions, excluded; /* rules for collect complexity */
	struct rarog_strings files, excluded_files;
	struct rarog_strings sizes; /* FUNC:PATH */
	bool inlines;               /* as the compiler likes */
};

/**
 * rarog_cc_hooks_line() - the call of a compiler that leaves places for hooks
 * @compiler: gcc or clang, also with a folder and a version; NULL: gcc, or what cc is
 * @n, @argv: the words after the compiler's name
 *
 * Return: 0; -EINVAL a rule is none; -ENOENT rarog is not installed as a whole.
 */
int rarog_cc_hooks_line(const struct rarog_cc_hooks *hooks, const char *compiler, bool is_cpp,
			size_t n, char *const argv[], struct rarog_cc_line *line);

#endif
