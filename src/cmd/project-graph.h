/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call graph of a binary, from the store of the current directory where it was read before. */
#ifndef RAROG_CMD_PROJECT_GRAPH_H
#define RAROG_CMD_PROJECT_GRAPH_H

#include "cmd/command.h"
#include "run/call-graph-kept.h"

/** rarog_call_graph_kept() - as rarog_call_graph_kept_in() of that store, if there is one. */
int rarog_call_graph_kept(const struct rarog_context *context,
			  const struct rarog_call_wanted *wanted,
			  struct rarog_call_graph *ret_graph);

#endif
