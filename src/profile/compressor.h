/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The block compressor: blocks go in, a compressed and indexed file comes out. Coding, compression
 * and writing run on a thread of their own, which takes blocks from a short queue, so that the
 * measuring thread is not kept waiting. Blocks stand in the file in the order in which they were
 * given: same input, same bytes.
 */
#ifndef RAROG_PROFILE_COMPRESSOR_H
#define RAROG_PROFILE_COMPRESSOR_H

#include "base/cleanup.h"
#include "profile/block.h"
#include "profile/profile.h"

struct rarog_compressor;

int rarog_compressor_new(const char *path, struct rarog_compressor **ret_compressor);
void rarog_compressor_free(struct rarog_compressor *compressor);
RAROG_DEFINE_FREEP(rarog_compressor);

/* Calls on their way: vectors that change hands with the press. */
struct rarog_compressor_calls {
	uint32_t strand;
	uint64_t start_ticks;
	RAROG_VEC(uint32_t) op, open;
	RAROG_VEC(uint64_t) delta;
};

void rarog_compressor_calls_release(struct rarog_compressor_calls *calls);

/**
 * rarog_compressor_block() - queue a block
 * @block: kind, version, count, first
 * @raw: its bytes; swapped for an empty buffer
 * Return: 0, or the first error of the press (-errno with message).
 */
int rarog_compressor_block(struct rarog_compressor *compressor, const struct rarog_block *block,
			   struct rarog_bytes *raw);

/** rarog_compressor_calls() - queue a block of calls; @calls is swapped for empty vectors. */
int rarog_compressor_calls(struct rarog_compressor *compressor,
			   struct rarog_compressor_calls *calls);

/** rarog_compressor_finish() - everything queued, the index and the trailer are written, synced and
 * the file has its name. @ret_bytes: its size. */
int rarog_compressor_finish(struct rarog_compressor *compressor, uint64_t *ret_bytes);

#endif
