/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compilers that can count blocks, and what of Rarog's they need for it. */
#ifndef RAROG_CMD_CC_TOOLS_H
#define RAROG_CMD_CC_TOOLS_H

#include <limits.h>
#include <stdbool.h>

extern const char *const rarog_cc_versions[]; /* of clang, the usual one first; NULL-terminated */

/** rarog_cc_version_of() - which of them @compiler is, by its name, or by that of the file that it
 * leads to ("clang" may be a link to .../llvm-14/bin/clang). NULL: none of them. */
const char *rarog_cc_version_of(const char *compiler);

struct rarog_cc_tools {
	const char *version;
	char plugin[PATH_MAX];
	char runtime[PATH_MAX]; /* the folder */
};

/** rarog_cc_tools_find() - the plug-in for clang of @version (one of the above) and the runtime
 * that goes with it. false: the plug-in is not there. */
bool rarog_cc_tools_find(const char *version, struct rarog_cc_tools *ret_tools);

/** rarog_cc_tools_has_runtime() - is the runtime there? errno says why not. */
bool rarog_cc_tools_has_runtime(const struct rarog_cc_tools *tools);

/** rarog_cc_tools_has_compiler() - is clang-VERSION in PATH? */
bool rarog_cc_tools_has_compiler(const char *version);

#endif
