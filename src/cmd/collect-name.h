/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of rarog collect are called: as the user says, by a template, and numbered. */
#ifndef RAROG_CMD_COLLECT_NAME_H
#define RAROG_CMD_COLLECT_NAME_H

#include <stdbool.h>

#include "plan/plan.h"
#include "process/header.h"

/* What a name is made from. */
struct rarog_collect_name {
	const char *given;  /* a file, or a template (store/template.h) … */
	bool may_have_tags; /* … if the user wrote it */
	char *const *argv;  /* of the program */
	void (*write_parameters)(struct rarog_json *json, const struct rarog_plan *plan);
	const struct rarog_plan *plan;
	struct rarog_provenance *provenance;
};

/**
 * rarog_collect_name() - of the profile of run @number of several, 0: the only one
 *
 * "a/x.rarog", 3 becomes "a/x.3.rarog", unless the template has %counter%. The caller frees.
 * Return: 0; -EINVAL the template is none.
 */
int rarog_collect_name(const struct rarog_collect_name *name, long number, char **ret_path);

#endif
