/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of a file: what has a name, what lies between such things, and how far a text goes. What
 * is called the same in two versions is the same thing: a name stands for one object only.
 */
#ifndef RAROG_BINARY_CODE_OBJECTS_H
#define RAROG_BINARY_CODE_OBJECTS_H

#include "base/vec.h"
#include "binary/binary.h"
#include "binary/text-pool.h"

enum rarog_object_kind {
	RAROG_OBJECT_NAMED,
	RAROG_OBJECT_SHARED, /* several of one source file are called so: the number counts them */
	RAROG_OBJECT_GAP,    /* what lies after another one, or begins its section; no name says
			      * where anything in it begins or ends */
};

struct rarog_code_object {
	uint64_t address, size;
	const char *name;   /* "=x", of local ones "=x@file.c", "=x@file.c#1"; of gaps "=x~" */
	uint8_t kind;       /* enum rarog_object_kind */
	bool is_constant;   /* nothing writes to it after the loader */
	bool is_local;      /* only its source file knows the name */
	bool is_pointed_to; /* a start lies in it; after settle() */
};

struct rarog_code_objects {
	const struct rarog_binary *binary;
	RAROG_VEC(struct rarog_code_object) v; /* by address */
	RAROG_VEC(uint64_t) starts; /* where code and data refer to data; sorted by settle() */
};

/** rarog_code_objects_read() - their names are in @texts. 0, -ENOMEM, -EINVAL. Release in any case.
 */
int rarog_code_objects_read(const struct rarog_binary *binary, struct rarog_text_pool *texts,
			    struct rarog_code_objects *ret_objects);
void rarog_code_objects_release(struct rarog_code_objects *objects); /* fits rarog_cleanup() */

/** rarog_code_objects_settle() - all starts are there. */
void rarog_code_objects_settle(struct rarog_code_objects *objects);

/** rarog_code_objects_is_start() - does anything refer to one of @n bytes at @address? After
 * settle(). */
bool rarog_code_objects_is_start(const struct rarog_code_objects *objects, uint64_t address,
				 uint64_t n);

/** rarog_code_objects_at() - the one that contains @address; NULL: none, it is no data. */
const struct rarog_code_object *rarog_code_objects_at(const struct rarog_code_objects *objects,
						      uint64_t address);

/**
 * rarog_code_objects_text() - the text that begins at @address of the constant gap @gap
 * @ret_n: bytes, with its end and what follows up to the next thing that somebody refers to, since
 * that may belong to it: a list of texts, or letters that are a table
 *
 * NULL: it is none, so nobody knows where it ends.
 */
const uint8_t *rarog_code_objects_text(const struct rarog_code_objects *objects,
				       const struct rarog_code_object *gap, uint64_t address,
				       size_t *ret_n);

#endif
