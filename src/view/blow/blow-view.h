/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came of noise, as a table and as JSON. */
#ifndef RAROG_VIEW_BLOW_BLOW_VIEW_H
#define RAROG_VIEW_BLOW_BLOW_VIEW_H

#include <stdio.h>

#include "base/json-writer.h"
#include "blow/blow.h"

struct rarog_blow_view {
	const struct rarog_blow_options *options;
	const struct rarog_blow_result *result;
	int width;
	bool colour, is_mangled;
};

/** rarog_blow_print() - the table, what noise has broken, and what was done. 0; -ENOMEM. */
int rarog_blow_print(const struct rarog_blow_view *view, FILE *out);

/** rarog_blow_json() - members of an object (doc/design/json.md). 0; -ENOMEM. */
int rarog_blow_json(const struct rarog_blow_view *view, struct rarog_json *json);

/* Which functions were called, and which of them would get noise, and no more. */
void rarog_blow_print_functions(const struct rarog_blow_view *view, FILE *out);
void rarog_blow_json_functions(const struct rarog_blow_view *view, struct rarog_json *json);

#endif
