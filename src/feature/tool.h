/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plug-in of clang that finds regions. */
#ifndef RAROG_FEATURE_TOOL_H
#define RAROG_FEATURE_TOOL_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "feature/analysis.h"

struct rarog_feature_tool {
	const char *version; /* of clang */
	char plugin[PATH_MAX];
};

/** rarog_feature_tool_find() - the first version that is there as plug-in and compiler, and that
 * reads modules of clang @least; 0: none yet. 0; -ENOENT with message. */
int rarog_feature_tool_find(unsigned least, struct rarog_feature_tool *ret_tool);

/** rarog_feature_tool_of() - the plug-in for clang of @version. 0; -ENOENT with message. */
int rarog_feature_tool_of(const char *version, struct rarog_feature_tool *ret_tool);

/** rarog_feature_tool_run() - let it look at @n bytes of modules. @ret_text: JSON; the caller
 * frees. 0; -errno with message. */
int rarog_feature_tool_run(const struct rarog_feature_tool *tool, size_t n, const uint8_t *bytes,
			   const struct rarog_feature_choice *choice, char **ret_text);

#endif
