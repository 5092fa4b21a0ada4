/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog feature diff: what features cost in two runs. */
#ifndef RAROG_CMD_FEATURE_DIFF_H
#define RAROG_CMD_FEATURE_DIFF_H

#include "cmd/command.h"

/** rarog_feature_diff() - of the profiles or versions @older and @newer. An exit code or -errno. */
int rarog_feature_diff(const struct rarog_context *context, const char *older, const char *newer,
		       bool json);

#endif
