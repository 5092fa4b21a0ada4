/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rarog probes --args`: what of functions' arguments and results can be captured. */
#ifndef RAROG_VIEW_PROBES_ARGUMENTS_H
#define RAROG_VIEW_PROBES_ARGUMENTS_H

#include "base/table.h"
#include "view/probes/list.h"

/** rarog_probe_arguments_table() - a row for each argument and result of the traceable functions of
 * @list; the caller frees. 0, -ENOMEM. */
int rarog_probe_arguments_table(const struct rarog_probe_list *list,
				struct rarog_table **ret_table);

/** rarog_probe_arguments_json() - members "arguments" and "arguments_reason" of @probe's object. */
void rarog_probe_arguments_json(struct rarog_json *json, const struct rarog_probe_list *list,
				const struct rarog_listed_probe *probe);

#endif
