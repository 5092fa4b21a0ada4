/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers in hardly more bits than they are surprising: an arithmetic coder whose odds learn from
 * what was coded. One description of what is coded serves both directions: each function takes the
 * value to be written and returns it, or ignores it and returns the one that was read.
 */
#ifndef RAROG_BLOCKS_ARITHMETIC_CODER_H
#define RAROG_BLOCKS_ARITHMETIC_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a bit in one situation. All zero: even, and nothing was seen. */
struct rarog_odds {
	int16_t of_one; /* less one half, in 1/65536 */
	uint8_t seen;
};

/* Of a number: how many bits it has, then the first two after the highest. */
struct rarog_number_odds {
	struct rarog_odds width[33], second[33], third[33][2];
};

struct rarog_coder {
	bool is_reading;
	int error; /* the first: -ENOMEM; reading: -EINVAL */
	uint32_t low, high, value;
	uint8_t *bytes; /* written */
	size_t n, capacity;
	const uint8_t *at, *end; /* to be read */
	unsigned behind;         /* bytes that were taken from after the end */
};

/* What each of these returns while there is an error is in bounds, and means nothing. */
void rarog_coder_write(struct rarog_coder *s);
void rarog_coder_read(struct rarog_coder *s, const uint8_t *bytes, size_t n);

/* Before the first: a 1 comes in about @of_one of 256 cases, 4 to 252. */
void rarog_coder_expect(struct rarog_odds *odds, unsigned of_one);

bool rarog_coder_bit(struct rarog_coder *s, struct rarog_odds *odds, bool bit);
/* One that nothing is known of. */
bool rarog_coder_even(struct rarog_coder *s, bool bit);
uint32_t rarog_coder_number(struct rarog_coder *s, struct rarog_number_odds *odds, uint32_t number);
/* @value by its difference from @from; negative ones are other numbers. */
uint32_t rarog_coder_near(struct rarog_coder *s, struct rarog_number_odds odds[2],
			  struct rarog_odds *is_below, uint32_t from, uint32_t value);

/**
 * rarog_coder_finish() - after the last
 *
 * Return: 0; -ENOMEM; reading: -EINVAL, these bytes do not end here. Without message. What was
 * written is @s->bytes, the caller's to free, also after an error.
 */
int rarog_coder_finish(struct rarog_coder *s);

#ifdef __cplusplus
}
#endif
#endif
