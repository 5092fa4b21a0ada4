/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call graph as bytes, to be kept. */
#ifndef RAROG_BINARY_CALL_GRAPH_BYTES_H
#define RAROG_BINARY_CALL_GRAPH_BYTES_H

#include "binary/call-graph.h"

/* Changes with the bytes and with what is found: what is kept under another one is not read. */
#define RAROG_CALL_GRAPH_VERSION 1

/** rarog_call_graph_pack() - the caller frees; 0, -ENOMEM. */
int rarog_call_graph_pack(const struct rarog_call_graph *graph, char **ret_bytes, size_t *ret_n);

/** rarog_call_graph_unpack() - 0; -EBADMSG without message: these are not the bytes of one;
 * -ENOMEM.
 */
int rarog_call_graph_unpack(size_t n, const char *bytes, struct rarog_call_graph *ret_graph);

#endif
