/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs that an operand of rarog check names. */
#ifndef RAROG_CMD_CHECK_OPERAND_H
#define RAROG_CMD_CHECK_OPERAND_H

#include "check/run-set.h"
#include "cmd/project.h"

/** rarog_run_set_of_version() - all whole profiles of @commit, of which only .name is looked at;
 * @name: for people. 0; -ENOENT: it has none. The lot is released before the project. */
int rarog_run_set_of_version(const struct rarog_project *project, const char *name,
			     const struct rarog_commit *commit, struct rarog_run_set *ret_run_set);

/** rarog_run_set_of() - of a version, a profile, several (0@i-9@i) or a directory with a slash in
 * its name. 0; as rarog_targets_find(), rarog_run_set_add_folder(). */
int rarog_run_set_of(const struct rarog_project *project, const char *text,
		     struct rarog_run_set *ret_run_set);

#endif
