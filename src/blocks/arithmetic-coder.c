/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Binary arithmetic coding (Witten, Neal and Cleary 1987), 32 bits of interval, no carries: bytes
 * leave as soon as both ends of the interval agree on them. Odds begin even, move by 1 / (n + 2)
 * when they were asked n times (Laplace), later by 1/16, and stay within 1/64
 * and 63/64: so a byte stands for at most some 350 decisions, which bounds what damaged bytes can
 * claim.
 */
#include "blocks/arithmetic-coder.h"

#include <errno.h>
#include <stdlib.h>

#define LEAST   1024 /* of 65536 */
#define SLOWEST 15

/* tests/tools/record-chances.c counts them */
#ifndef RAROG_CODER_SEES
#define RAROG_CODER_SEES(odds, bit)
#endif

void rarog_coder_write(struct rarog_coder *s)
{
	*s = (struct rarog_coder){ .high = UINT32_MAX };
}

static uint8_t next_byte(struct rarog_coder *s)
{
	if (s->at < s->end)
		return *s->at++;
	if (++s->behind > sizeof(uint32_t))
		s->error = -EINVAL;
	return 0;
}

void rarog_coder_read(struct rarog_coder *s, const uint8_t *bytes, size_t n)
{
	*s = (struct rarog_coder){
		.is_reading = true, .high = UINT32_MAX, .at = bytes, .end = bytes + n
	};
	for (size_t i = 0; i < sizeof(uint32_t); i++)
		s->value = s->value << 8 | next_byte(s);
}

static void put(struct rarog_coder *s, uint8_t byte)
{
	if (s->n == s->capacity) {
		size_t capacity = 2 * s->capacity + 64;
		uint8_t *bytes = realloc(s->bytes, capacity);

		if (!bytes) {
			s->error = -ENOMEM;
			return;
		}
		s->bytes = bytes;
		s->capacity = capacity;
	}
	s->bytes[s->n++] = byte;
}

/* Both ends have the same first byte: it is known. */
static void shift(struct rarog_coder *s)
{
	while ((s->low ^ s->high) >> 24 == 0) {
		if (s->is_reading)
			s->value = s->value << 8 | next_byte(s);
		else
			put(s, (uint8_t)(s->low >> 24));
		s->low <<= 8;
		s->high = s->high << 8 | 0xff;
	}
}

void rarog_coder_expect(struct rarog_odds *odds, unsigned of_one)
{
	odds->of_one = (int16_t)((int)of_one * 256 - 32768);
	odds->seen = 3;
}

static void learn(struct rarog_odds *odds, bool bit)
{
	int32_t half = 32768, goal = bit ? half - LEAST : LEAST - half;
	int32_t step = 2 * (goal - odds->of_one) / (2 * odds->seen + 4);

	odds->of_one = (int16_t)(odds->of_one + step);
	odds->seen += odds->seen < SLOWEST;
}

bool rarog_coder_bit(struct rarog_coder *s, struct rarog_odds *odds, bool bit)
{
	uint64_t range = s->high - s->low;
	uint32_t middle = s->low + (uint32_t)(range * (uint32_t)(odds->of_one + 32768) >> 16);

	if (s->error < 0)
		return false;
	if (s->is_reading)
		bit = s->value <= middle;
	RAROG_CODER_SEES(odds, bit);
	if (bit)
		s->high = middle;
	else
		s->low = middle + 1;
	shift(s);
	learn(odds, bit);
	return bit;
}

bool rarog_coder_even(struct rarog_coder *s, bool bit)
{
	struct rarog_odds odds = { 0 };

	return rarog_coder_bit(s, &odds, bit);
}

uint32_t rarog_coder_number(struct rarog_coder *s, struct rarog_number_odds *odds, uint32_t number)
{
	uint64_t plus_one = (uint64_t)number + 1, read = 1;
	int width = 0;

	while (width < 32 && rarog_coder_bit(s, &odds->width[width], plus_one >> (width + 1) != 0))
		width++;
	for (int i = width - 1; i >= 0; i--) {
		bool bit = plus_one >> i & 1;

		if (i == width - 1)
			bit = rarog_coder_bit(s, &odds->second[width], bit);
		else if (i == width - 2)
			bit = rarog_coder_bit(s, &odds->third[width][read & 1], bit);
		else
			bit = rarog_coder_even(s, bit);
		read = read << 1 | bit;
	}
	return (uint32_t)(read - 1);
}

uint32_t rarog_coder_near(struct rarog_coder *s, struct rarog_number_odds odds[2],
			  struct rarog_odds *is_below, uint32_t from, uint32_t value)
{
	bool below = rarog_coder_bit(s, is_below, (int32_t)(value - from) < 0);
	uint32_t distance =
		rarog_coder_number(s, &odds[below], below ? from - value - 1 : value - from);

	return below ? from - distance - 1 : from + distance;
}

/* As few bytes as name a place inside the interval, if zeros follow. */
static void put_end(struct rarog_coder *s)
{
	for (int n = 0; n <= 4; n++) {
		uint32_t place = n == 0 ? 0 : n == 4 ? s->high : s->high & ~(UINT32_MAX >> 8 * n);

		if (place < s->low)
			continue;
		for (int i = 0; i < n; i++)
			put(s, (uint8_t)(place >> (24 - 8 * i)));
		return;
	}
}

int rarog_coder_finish(struct rarog_coder *s)
{
	if (!s->is_reading && s->error == 0)
		put_end(s);
	if (s->is_reading && s->error == 0 && s->at != s->end)
		s->error = -EINVAL;
	return s->error;
}
