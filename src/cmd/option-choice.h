/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --option NAME=VALUE: of all that was measured, only what was with these options of the program.
 */
#ifndef RAROG_CMD_OPTION_CHOICE_H
#define RAROG_CMD_OPTION_CHOICE_H

#include "check/run-set.h"
#include "cmd/project.h"
#include "store/configuration.h"

/* Zeroed: nothing was chosen. */
struct rarog_option_choice {
	struct rarog_strings given; /* the command line's */
	struct rarog_configuration options;
	char *json; /* of .options */
};

#define RAROG_OPTION_CHOICE(type, member, help)                                                    \
	RAROG_OPT_STRINGS(0, "option", type, member.given, "NAME=VALUE", help)

/** rarog_option_choice_read() - what was given. 0; -EINVAL as a usage error. */
int rarog_option_choice_read(struct rarog_option_choice *choice);
void rarog_option_choice_release(struct rarog_option_choice *choice); /* not what was .given */

/** rarog_option_choice_apply() - names in @project are of what was chosen from here on; @choice
 * outlives it. 0; -EINVAL: nothing in its store has such an option or value. */
int rarog_option_choice_apply(const struct rarog_option_choice *choice,
			      struct rarog_project *project);

/** rarog_option_choice_fits() - 0; -ENOENT: @job, of what people call @name, has others. */
int rarog_option_choice_fits(const struct rarog_option_choice *choice, const char *name,
			     const struct rarog_job *job);

#endif
