/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether bytes of a function may be replaced by a jump: the window's own part of the proof. */
#ifndef RAROG_BINARY_PATCH_WINDOW_H
#define RAROG_BINARY_PATCH_WINDOW_H

#include "binary/code-map.h"
#include "binary/patch-site.h"

/* Bytes to be replaced, in the function that begins at @entry, where the stack is as a CALL left
 * it.
 */
struct rarog_window {
	const struct rarog_code_map *map;
	uint64_t entry;
	uint64_t end;   /* of the function */
	uint64_t next;  /* the next function's entry; UINT64_MAX: none */
	uint64_t start; /* of the window */
	size_t size;    /* of the jump */
};

/**
 * rarog_window_judge() - may @window be replaced?
 * @ret_length: bytes of whole instructions that cover it; only set with RAROG_SITE_OK
 */
enum rarog_site_verdict rarog_window_judge(const struct rarog_window *window, size_t *ret_length);

#endif
