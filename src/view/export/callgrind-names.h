/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How callgrind's format names functions: binary, file, a number, and once the name. */
#ifndef RAROG_VIEW_EXPORT_CALLGRIND_NAMES_H
#define RAROG_VIEW_EXPORT_CALLGRIND_NAMES_H

#include <stdio.h>

#include "view/run.h"

struct rarog_callgrind_names {
	const struct rarog_run *run;
	bool *is_named; /* fn=(id) was given its name */
	FILE *out;
};

/** rarog_callgrind_names_init() - both borrowed; to be released. Return: 0; -ENOMEM. */
int rarog_callgrind_names_init(struct rarog_callgrind_names *ret_names, const struct rarog_run *run,
			       FILE *out);
void rarog_callgrind_names_release(struct rarog_callgrind_names *names);

/** rarog_callgrind_write_text() - a line "@key@text" without what is no text. */
void rarog_callgrind_write_text(FILE *out, const char *key, const char *text);

/** rarog_callgrind_location() - "(outside)" for what is none of the run. */
const struct rarog_location *rarog_callgrind_location(const struct rarog_run *run, uint32_t index);

/** rarog_callgrind_write_function() - @prefix: "" of the lines that follow, "c" of a call.
 * @location: at most n_locations, which is "(outside)". */
void rarog_callgrind_write_function(struct rarog_callgrind_names *names, const char *prefix,
				    uint32_t location);

#endif
