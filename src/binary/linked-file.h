/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file among those of a process, for the call graph of all (call-link.c). */
#ifndef RAROG_BINARY_LINKED_FILE_H
#define RAROG_BINARY_LINKED_FILE_H

#include "base/vec.h"
#include "binary/call-scan.h"

struct rarog_exported {
	const char *name;
	uint32_t function; /* of its file */
};

struct rarog_linked_file {
	struct rarog_call_scan scan;
	uint32_t *callee;                         /* [functions]: origins only */
	uint32_t *import;                         /* [imports]: callee */
	bool *is_taken, *is_exported;             /* [functions] */
	RAROG_VEC(struct rarog_exported) exports; /* by name */
};

/** rarog_linked_file_open() - @keep_parts: as rarog_call_scan_read(). 0, -ENOMEM, -errno; close in
 * any case. */
int rarog_linked_file_open(struct rarog_linked_file *file, const struct rarog_binary *binary,
			   bool keep_parts);
/** rarog_linked_file_export() - the function that others know as @name; -1: it has none. */
long rarog_linked_file_export(const struct rarog_linked_file *file, const char *name);
void rarog_linked_file_close(struct rarog_linked_file *file);

#endif
