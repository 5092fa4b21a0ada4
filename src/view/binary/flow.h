/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rarog binary cfg prints: the blocks of a function and where control goes on. */
#ifndef RAROG_VIEW_BINARY_FLOW_H
#define RAROG_VIEW_BINARY_FLOW_H

#include <stdio.h>

#include "binary/flow-tables.h"

struct rarog_flow_view {
	struct rarog_binary *binary;
	const struct rarog_function *function;
	struct rarog_code_graph graph;
	struct rarog_flow_tables tables;
	int width;
	bool colour;
};

/** rarog_flow_view_read() - of the function @name of the file at @path; errors as
 * rarog_binary_open(), -ENOENT, -ENOTSUP with message. Release in any case. */
int rarog_flow_view_read(const char *path, const char *name, struct rarog_flow_view *ret_view);
void rarog_flow_view_release(struct rarog_flow_view *view); /* fits rarog_cleanup() */

/** rarog_flow_print(), rarog_flow_json(), rarog_flow_svg() - 0, -ENOMEM, -EIO. */
int rarog_flow_print(const struct rarog_flow_view *view, FILE *out);
int rarog_flow_json(const struct rarog_flow_view *view, FILE *out);
int rarog_flow_svg(const struct rarog_flow_view *view, FILE *out);

#endif
