/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The coding of one block of calls (struct rarog_calls ↔ bytes before compression).
 */
#ifndef RAROG_PROFILE_CALLS_CODEC_H
#define RAROG_PROFILE_CALLS_CODEC_H

#include "profile/bytes.h"
#include "profile/profile.h"

#define RAROG_CALLS_BLOCK 131072 /* events that a writer puts into a block */

/* Scratch of the encoder, kept from block to block; zeroed is valid. */
struct rarog_calls_encoder {
	RAROG_VEC(uint32_t) rank;  /* by op; 0 between blocks while counting */
	RAROG_VEC(uint32_t) ops;   /* the block's distinct ops, most frequent first */
	RAROG_VEC(uint32_t) count; /* by op */
	struct rarog_bytes escapes;
};

void rarog_calls_encoder_release(struct rarog_calls_encoder *encoder);

/**
 * rarog_calls_encode() - append the columns of @calls to @out
 * @ret_split: where the delta columns begin; both parts are compressed on their own, as they
 *	differ in nature
 */
int rarog_calls_encode(struct rarog_calls_encoder *encoder, const struct rarog_calls *calls,
		       struct rarog_bytes *out, size_t *ret_split);

/* Decoded arrays, kept from block to block; zeroed is valid. */
struct rarog_calls_decoder {
	RAROG_VEC(uint32_t) ops, op, open;
	RAROG_VEC(uint64_t) delta;
};

void rarog_calls_decoder_release(struct rarog_calls_decoder *decoder);

/**
 * rarog_calls_decode() - the calls in @bytes; strand and start_ticks are the caller's
 * @n: events in the block
 * @n_locations: ops and open calls beyond are refused
 * @ret_calls: arrays borrowed from @decoder
 *
 * Return: 0, -EBADMSG (no message), -ENOMEM.
 */
int rarog_calls_decode(struct rarog_calls_decoder *decoder, struct rarog_byte_cursor *bytes,
		       size_t n, size_t n_locations, struct rarog_calls *ret_calls);

/** rarog_calls_time() - ticks that pass during @n events (waits and losses are no time). */
uint64_t rarog_calls_time(size_t n, const uint32_t op[], const uint64_t delta[]);

/**
 * rarog_calls_walk() - what is open after @n events
 * @stack: the locations open before; has room for @n more
 * Return: how many are open.
 */
size_t rarog_calls_walk(size_t n, const uint32_t op[], size_t depth, uint32_t *stack);

#endif
