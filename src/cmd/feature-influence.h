/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog feature influence, predict and plan: what options cost, and which to measure. */
#ifndef RAROG_CMD_FEATURE_INFLUENCE_H
#define RAROG_CMD_FEATURE_INFLUENCE_H

#include "cmd/command.h"
#include "cmd/option-choice.h"

struct rarog_feature_influence_options {
	const char *of, *job, *collector;
	struct rarog_option_choice predicted;
	bool json;
};

/** rarog_feature_influence() - from the runs of n @operands; @predicts: what those options would
 * take, else the model. 0; -errno with message. */
int rarog_feature_influence(const struct rarog_context *context,
			    struct rarog_feature_influence_options *options, bool predicts,
			    size_t n, char *const operands[]);

#endif
