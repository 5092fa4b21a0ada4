/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/project-graph.h"

#include "cmd/project.h"

int rarog_call_graph_kept(const struct rarog_context *context,
			  const struct rarog_call_wanted *wanted,
			  struct rarog_call_graph *ret_graph)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	int r = rarog_project_open(context, RAROG_NEED_STORE_IF_ANY, &project);

	return r < 0 ? r : rarog_call_graph_kept_in(project.store, wanted, ret_graph);
}
