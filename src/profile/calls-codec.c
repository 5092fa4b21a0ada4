/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls as four columns. Programs repeat themselves, clocks do not: ops become one byte each (the
 * rank of the op within the block, most frequent first), in which zstd finds the repeated call
 * patterns; deltas become one byte each, divided by the block's clock step, in which only the
 * distribution is worth anything (Huffman). What does not fit a byte is 255 and stands in a
 * column of escapes. doc/design/profile-format.md has the bytes and what else was measured.
 *
 *   n_open, open …   n_ops, ops …   step        head, LEB128
 *   n bytes                                     ranks, 255: escaped
 *   varints                                     escaped ranks - 255
 *   -------------------------------------------- split: a zstd frame of its own from here
 *   n bytes                                     deltas / step, 255: escaped
 *   varints                                     escaped deltas, undivided
 */
#include "profile/calls-codec.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

#define ESCAPE 255

void rarog_calls_encoder_release(struct rarog_calls_encoder *encoder)
{
	rarog_vec_release(&encoder->rank);
	rarog_vec_release(&encoder->ops);
	rarog_vec_release(&encoder->count);
	rarog_bytes_release(&encoder->escapes);
}

void rarog_calls_decoder_release(struct rarog_calls_decoder *decoder)
{
	rarog_vec_release(&decoder->ops);
	rarog_vec_release(&decoder->op);
	rarog_vec_release(&decoder->open);
	rarog_vec_release(&decoder->delta);
}

uint64_t rarog_calls_time(size_t n, const uint32_t op[], const uint64_t delta[])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += op[i] == RAROG_OP_WAIT || op[i] == RAROG_OP_LOST ? 0 : delta[i];
	return sum;
}

size_t rarog_calls_walk(size_t n, const uint32_t op[], size_t depth, uint32_t *stack)
{
	/* Without branches: calls and returns are what a predictor cannot know. */
	for (size_t i = 0; i < n; i++) {
		stack[depth] = op[i] - RAROG_OP_ENTRY;
		depth += op[i] >= RAROG_OP_ENTRY;
		depth -= (op[i] <= RAROG_OP_CLOSED) & (depth > 0);
	}
	return depth;
}

static int grow_by_op(struct rarog_calls_encoder *encoder, size_t ops)
{
	size_t old = encoder->count.n;

	if (ops <= old)
		return 0;
	if (rarog_vec_reserve(&encoder->count, ops) < 0 ||
	    rarog_vec_reserve(&encoder->rank, ops) < 0)
		return -ENOMEM;
	memset(encoder->count.v + old, 0, (ops - old) * sizeof(*encoder->count.v));
	encoder->count.n = ops;
	return 0;
}

static int count_ops(struct rarog_calls_encoder *encoder, const struct rarog_calls *calls)
{
	uint32_t most = 0;

	for (size_t i = 0; i < calls->n; i++)
		most = calls->op[i] > most ? calls->op[i] : most;
	int r = grow_by_op(encoder, (size_t)most + 1);

	encoder->ops.n = 0;
	for (size_t i = 0; r == 0 && i < calls->n; i++)
		if (encoder->count.v[calls->op[i]]++ == 0)
			r = rarog_vec_push(&encoder->ops, calls->op[i]);
	return r;
}

static int compare_rank(const void *a, const void *b, void *counts)
{
	const uint32_t *count = counts, x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (count[x] != count[y])
		return count[x] < count[y] ? 1 : -1;
	return x < y ? -1 : x > y;
}

static int rank_ops(struct rarog_calls_encoder *encoder, const struct rarog_calls *calls)
{
	int r = count_ops(encoder, calls);

	if (r == 0 && encoder->ops.n > 0)
		qsort_r(encoder->ops.v, encoder->ops.n, sizeof(*encoder->ops.v), compare_rank,
			encoder->count.v);
	for (size_t i = 0; i < encoder->ops.n; i++) {
		encoder->rank.v[encoder->ops.v[i]] = (uint32_t)i;
		encoder->count.v[encoder->ops.v[i]] = 0;
	}
	return r;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * The step in which the clock advances: the divisor that nearly all deltas share. Counters often
 * advance in steps (every second tick, a multiplier), with exceptions where the strand moved to
 * another processor; those are escaped. Found on samples of 16 neighbours, by majority; 1 if there
 * is none. Above 1024 a common factor is chance.
 */
static uint64_t clock_step(size_t n, const uint64_t delta[])
{
	uint64_t best = 1;
	int votes = 0;

	for (size_t s = 0; s < 64; s++) {
		size_t at = n / 64 * s;
		uint64_t step = 0;

		for (size_t i = at; i < at + 16 && i < n; i++)
			step = common_divisor(delta[i], step);
		if (step == 0 || step > 1024)
			continue;
		votes += step == best ? 1 : -1;
		if (votes < 0) {
			best = step;
			votes = 1;
		}
	}
	return best;
}

static int encode_head(const struct rarog_calls_encoder *encoder, const struct rarog_calls *calls,
		       uint64_t step, struct rarog_bytes *out)
{
	int r = rarog_bytes_room(out, (calls->n_open + encoder->ops.n + 3) * RAROG_VARINT_MAX);

	if (r < 0)
		return r;
	uint8_t *to = rarog_put_varint(out->v + out->n, calls->n_open);

	for (size_t i = 0; i < calls->n_open; i++)
		to = rarog_put_varint(to, calls->open[i]);
	to = rarog_put_varint(to, encoder->ops.n);
	for (size_t i = 0; i < encoder->ops.n; i++)
		to = rarog_put_varint(to, encoder->ops.v[i]);
	to = rarog_put_varint(to, step);
	out->n = (size_t)(to - out->v);
	return 0;
}

/* Room for a column of @n bytes and its escapes. */
static int column_room(struct rarog_calls_encoder *encoder, size_t n, struct rarog_bytes *out)
{
	encoder->escapes.n = 0;
	if (rarog_bytes_room(&encoder->escapes, n * RAROG_VARINT_MAX) < 0)
		return -ENOMEM;
	return rarog_bytes_room(out, n);
}

static int encode_ops(struct rarog_calls_encoder *encoder, const struct rarog_calls *calls,
		      struct rarog_bytes *out)
{
	int r = column_room(encoder, calls->n, out);

	if (r < 0)
		return r;
	const uint32_t *rank = encoder->rank.v;
	uint8_t *to = out->v + out->n, *escape = encoder->escapes.v;

	for (size_t i = 0; i < calls->n; i++) {
		uint32_t value = rank[calls->op[i]];

		to[i] = value < ESCAPE ? (uint8_t)value : ESCAPE;
		if (value >= ESCAPE)
			escape = rarog_put_varint(escape, value - ESCAPE);
	}
	out->n += calls->n;
	return rarog_bytes_add(out, (size_t)(escape - encoder->escapes.v), encoder->escapes.v);
}

static int encode_deltas(struct rarog_calls_encoder *encoder, const struct rarog_calls *calls,
			 uint64_t step, struct rarog_bytes *out)
{
	int r = column_room(encoder, calls->n, out);

	if (r < 0)
		return r;
	/* Division by multiplication, right for delta < 2^16 and step < 2^16 (and below 255 * step
	 * no other matter). */
	const uint64_t inverse = ((UINT64_C(1) << 32) + step - 1) / step, limit = ESCAPE * step;
	uint8_t *to = out->v + out->n, *escape = encoder->escapes.v;

	for (size_t i = 0; i < calls->n; i++) {
		uint64_t delta = calls->delta[i], value = delta < limit ? delta * inverse >> 32 : 0;

		if (value * step == delta) {
			to[i] = (uint8_t)value;
		} else {
			to[i] = ESCAPE;
			escape = rarog_put_varint(escape, delta);
		}
	}
	out->n += calls->n;
	return rarog_bytes_add(out, (size_t)(escape - encoder->escapes.v), encoder->escapes.v);
}

int rarog_calls_encode(struct rarog_calls_encoder *encoder, const struct rarog_calls *calls,
		       struct rarog_bytes *out, size_t *ret_split)
{
	uint64_t step = clock_step(calls->n, calls->delta);
	int r = rank_ops(encoder, calls);

	if (r == 0)
		r = encode_head(encoder, calls, step, out);
	if (r == 0)
		r = encode_ops(encoder, calls, out);
	if (r < 0)
		return r;
	*ret_split = out->n;
	return encode_deltas(encoder, calls, step, out);
}

static int decode_list(struct rarog_byte_cursor *bytes, uint64_t limit, uint32_t **v, size_t *n,
		       size_t *capacity)
{
	uint64_t count = rarog_get_varint(bytes);

	*n = 0;
	if (count > (size_t)(bytes->end - bytes->at)) /* a varint is a byte at least */
		return -EBADMSG;
	int r = rarog_vec_grow_((void **)v, capacity, count, sizeof(**v));

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		uint64_t value = rarog_get_varint(bytes);

		if (value >= limit)
			return -EBADMSG;
		(*v)[i] = (uint32_t)value;
	}
	*n = count;
	return 0;
}

static bool decode_ops(struct rarog_calls_decoder *decoder, size_t n, const uint8_t *ranks,
		       struct rarog_byte_cursor *bytes)
{
	uint32_t table[256] = { 0 };
	size_t known = decoder->ops.n < ESCAPE ? decoder->ops.n : ESCAPE;
	unsigned most = 0;

	for (size_t i = 0; i < known; i++)
		table[i] = decoder->ops.v[i];
	for (size_t i = 0; i < n; i++) {
		decoder->op.v[i] = table[ranks[i]];
		most = ranks[i] > most ? ranks[i] : most;
	}
	if (most < ESCAPE)
		return n == 0 || most < known;
	for (size_t i = 0; i < n; i++) {
		if (ranks[i] < ESCAPE)
			continue;
		uint64_t rank = rarog_get_varint(bytes);

		if (rank >= decoder->ops.n - known)
			return false;
		decoder->op.v[i] = decoder->ops.v[ESCAPE + rank];
	}
	return known == ESCAPE && !bytes->bad;
}

static bool decode_deltas(struct rarog_calls_decoder *decoder, size_t n, uint64_t step,
			  const uint8_t *quotients, struct rarog_byte_cursor *bytes)
{
	uint64_t *delta = decoder->delta.v;

	for (size_t i = 0; i < n; i++) {
		delta[i] = quotients[i] * step;
		if (quotients[i] == ESCAPE)
			delta[i] = rarog_get_varint(bytes);
	}
	return !bytes->bad && bytes->at == bytes->end;
}

static bool ops_valid(const struct rarog_calls_decoder *decoder)
{
	for (size_t i = 0; i < decoder->ops.n; i++)
		if (decoder->ops.v[i] > RAROG_OP_LOST && decoder->ops.v[i] < RAROG_OP_ENTRY)
			return false;
	return true;
}

static int decode_head(struct rarog_calls_decoder *decoder, struct rarog_byte_cursor *bytes,
		       size_t n_locations, uint64_t *ret_step)
{
	int r = decode_list(bytes, n_locations, &decoder->open.v, &decoder->open.n,
			    &decoder->open.capacity);

	if (r == 0)
		r = decode_list(bytes, (uint64_t)n_locations + RAROG_OP_ENTRY, &decoder->ops.v,
				&decoder->ops.n, &decoder->ops.capacity);
	if (r < 0)
		return r;
	*ret_step = rarog_get_varint(bytes);
	return ops_valid(decoder) ? 0 : -EBADMSG;
}

int rarog_calls_decode(struct rarog_calls_decoder *decoder, struct rarog_byte_cursor *bytes,
		       size_t n, size_t n_locations, struct rarog_calls *ret_calls)
{
	uint64_t step;
	int r = decode_head(decoder, bytes, n_locations, &step);
	const uint8_t *column = r < 0 ? NULL : rarog_get_bytes(bytes, n);

	if (r < 0 || !column)
		return r < 0 ? r : -EBADMSG;
	if (rarog_vec_reserve(&decoder->op, n) < 0 || rarog_vec_reserve(&decoder->delta, n) < 0)
		return -ENOMEM;
	if (!decode_ops(decoder, n, column, bytes))
		return -EBADMSG;
	column = rarog_get_bytes(bytes, n);
	if (!column || !decode_deltas(decoder, n, step, column, bytes))
		return -EBADMSG;
	*ret_calls = (struct rarog_calls){
		.n_open = decoder->open.n,
		.open = decoder->open.v,
		.n = n,
		.op = decoder->op.v,
		.delta = decoder->delta.v,
	};
	return 0;
}
