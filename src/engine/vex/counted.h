/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file of the Valgrind tool (vex/record.h), checked, with open calls closed. */
#ifndef RAROG_ENGINE_VEX_COUNTED_H
#define RAROG_ENGINE_VEX_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "vex/record.h"

/* Records are borrowed from the file's bytes. Objects and functions stand at their id; [0] is NULL,
 * and so is any whose record is missing. */
struct rarog_vex_counted {
	size_t n_bytes;
	uint8_t *bytes; /* writable, private */
	const struct rarog_vex_head *head;
	RAROG_VEC(const struct rarog_vex_object *) objects;
	RAROG_VEC(const struct rarog_vex_function *) functions;
	RAROG_VEC(const struct rarog_vex_block *) blocks;
	RAROG_VEC(const struct rarog_vex_access *) accesses;
	RAROG_VEC(const struct rarog_vex_call *) calls;
	RAROG_VEC(struct rarog_vex_node *) nodes; /* parents come first; [0] is the root */
	uint64_t instructions;                    /* of all strands */
	uint64_t *exclusive;                      /* [nodes.n], of calls and of the root */
	uint64_t *open;                           /* [nodes.n], calls */
};

/**
 * rarog_vex_counted_read() - read the file @path
 *
 * Return: 0; -EINVAL with message: cut off or damaged; -errno.
 */
int rarog_vex_counted_read(const char *path, struct rarog_vex_counted **ret_counted);
void rarog_vex_counted_free(struct rarog_vex_counted *counted);
RAROG_DEFINE_FREEP(rarog_vex_counted);

#endif
