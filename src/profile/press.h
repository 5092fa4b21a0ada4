/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The press: blocks go in, a compressed and indexed file comes out. Coding, compression and writing
 * run on a thread of its own behind a short queue, so whoever measures is not kept waiting. Blocks
 * stand in the file in the order in which they were given: same input, same bytes.
 */
#ifndef RAROG_PROFILE_PRESS_H
#define RAROG_PROFILE_PRESS_H

#include "base/cleanup.h"
#include "profile/block.h"
#include "profile/profile.h"

struct rarog_press;

int rarog_press_new(const char *path, struct rarog_press **ret_press);
void rarog_press_free(struct rarog_press *press);
RAROG_DEFINE_FREEP(rarog_press);

/* Calls on their way: vectors that change hands with the press. */
struct rarog_press_calls {
	uint32_t strand;
	uint64_t start_ticks;
	RAROG_VEC(uint32_t) op, open;
	RAROG_VEC(uint64_t) delta;
};

void rarog_press_calls_release(struct rarog_press_calls *calls);

/**
 * rarog_press_block() - queue a block
 * @block: kind, version, count, first
 * @raw: its bytes; swapped for an empty buffer
 * Return: 0, or the first error of the press (-errno with message).
 */
int rarog_press_block(struct rarog_press *press, const struct rarog_block *block,
		      struct rarog_bytes *raw);

/** rarog_press_calls() - queue a block of calls; @calls is swapped for empty vectors. */
int rarog_press_calls(struct rarog_press *press, struct rarog_press_calls *calls);

/** rarog_press_finish() - everything queued, the index and the trailer are written, synced and the
 * file has its name. @ret_bytes: its size. */
int rarog_press_finish(struct rarog_press *press, uint64_t *ret_bytes);

#endif
