/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call graph of a binary, from the store where it was read before. */
#ifndef RAROG_RUN_CALL_GRAPH_KEPT_H
#define RAROG_RUN_CALL_GRAPH_KEPT_H

#include "binary/call-graph.h"
#include "store/store.h"

struct rarog_call_wanted {
	const char *path;
	bool libs; /* with the shared libraries that it starts with */
	struct rarog_call_options options;
	bool again; /* whatever is kept */
};

/** rarog_call_graph_kept_in() - read it, and keep it in @store, NULL: nothing is kept. Starts no
 * process. Errors as rarog_binary_open(), rarog_libraries_find(), rarog_call_graph_read(). */
int rarog_call_graph_kept_in(struct rarog_store *store, const struct rarog_call_wanted *wanted,
			     struct rarog_call_graph *ret_graph);

/** rarog_binary_key() - of the file @path as it is, wherever it is; @salt: what else the key
 * depends on. 0; -errno with message. */
int rarog_binary_key(const char *path, const char *salt, struct rarog_hash *ret_key);

#endif
