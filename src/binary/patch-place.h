/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in a function the jump may be written, by what the compiler left there: rules and reasons
 * are in doc/design/sleds.md.
 */
#ifndef RAROG_BINARY_PATCH_PLACE_H
#define RAROG_BINARY_PATCH_PLACE_H

#include "binary/code-map.h"
#include "binary/patch-site.h"

/* A function that is judged. */
struct rarog_judged {
	const struct rarog_code_map *map;
	const struct rarog_function *function;
	const struct rarog_sled *sled; /* NULL: the compiler left no place */
	uint64_t next;                 /* the next function's entry; UINT64_MAX: none */
	const uint8_t *bytes;          /* at the entry */
	size_t available;              /* bytes from there to the end of the code region */
};

/**
 * rarog_place_find() - the best place for a jump in a function
 * @site: zeroed; gets kind, offset and length
 *
 * Return: RAROG_SITE_OK, or what is against the one that comes nearest.
 */
enum rarog_site_verdict rarog_place_find(const struct rarog_judged *judge, struct rarog_site *site);

/** rarog_place_sled() - the sled of the function at @entry, NULL: it has none; borrowed. */
const struct rarog_sled *rarog_place_sled(const struct rarog_binary *binary, uint64_t entry);

#endif
