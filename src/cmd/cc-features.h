/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog cc --features: the compiler keeps what is needed to find features' regions. */
#ifndef RAROG_CMD_CC_FEATURES_H
#define RAROG_CMD_CC_FEATURES_H

#include <stdbool.h>

#include "cmd/cc-line.h"

struct rarog_cc_features {
	const char *regions; /* list of those that are compiled in; NULL: none */
	bool has_nops;       /* where they begin and end are only nops */
};

/** rarog_cc_features_line() - the call of clang (@compiler NULL: the usual one) with the plug-in.
 * 0; -ENOENT, -EINVAL, with message. */
int rarog_cc_features_line(const struct rarog_cc_features *features, const char *compiler,
			   bool is_cpp, size_t n, char *const argv[], struct rarog_cc_line *line);

#endif
