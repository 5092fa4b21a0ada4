/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of a file: what has a name, and how far what has none goes. */
#ifndef RAROG_BINARY_CODE_OBJECTS_H
#define RAROG_BINARY_CODE_OBJECTS_H

#include "base/vec.h"
#include "binary/binary.h"
#include "binary/text-pool.h"

struct rarog_code_object {
	uint64_t address, size;
	const char *name; /* without the number that compilers append; no other one has it */
};

struct rarog_code_objects {
	const struct rarog_binary *binary;
	struct rarog_text_pool texts;
	RAROG_VEC(struct rarog_code_object) v; /* by address, disjoint beginnings */
	RAROG_VEC(uint64_t) starts;            /* where code refers to data; sorted by settle() */
};

/** rarog_code_objects_read() - 0, -ENOMEM, -EINVAL. Release in any case. */
int rarog_code_objects_read(const struct rarog_binary *binary,
			    struct rarog_code_objects *ret_objects);
void rarog_code_objects_release(struct rarog_code_objects *objects); /* fits rarog_cleanup() */

/** rarog_code_objects_settle() - all starts are there. */
void rarog_code_objects_settle(struct rarog_code_objects *objects);

/** rarog_code_objects_at() - the named one that contains @address; NULL: none. */
const struct rarog_code_object *rarog_code_objects_at(const struct rarog_code_objects *objects,
						      uint64_t address);

/**
 * rarog_code_objects_extent() - the bytes of what begins at @address and has no name: a text with
 * its end, or all until something else begins
 * @most: an instruction reads no more than these; 0: its address is taken
 *
 * NULL: it has none in the file.
 */
const uint8_t *rarog_code_objects_extent(const struct rarog_code_objects *objects, uint64_t address,
					 size_t most, size_t *ret_n);

/** rarog_plain_name() - the length of @name without what compilers append: "f.part.0", "x.1234". */
size_t rarog_plain_name(const char *name);

#endif
