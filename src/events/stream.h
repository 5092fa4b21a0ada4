/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of the word stream of agent/abi.h: where a record ends and how payloads are read.
 */
#ifndef RAROG_EVENTS_STREAM_H
#define RAROG_EVENTS_STREAM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/abi.h"

#define RAROG_STREAM_RECORD_MAX (4 + 4 * RAROG_VALUES_COUNT) /* words of the longest record */
#define RAROG_STREAM_ESCAPES    (RAROG_ESCAPE_VALUES + 1)

/* Words of payload by escape kind; of values without them. 0: there is no such kind. */
extern const uint8_t rarog_stream_payload[RAROG_STREAM_ESCAPES];

static inline uint32_t rarog_stream_u32(const uint16_t words[2])
{
	return (uint32_t)words[1] << 16 | words[0];
}

static inline uint64_t rarog_stream_u64(const uint16_t words[4])
{
	return (uint64_t)rarog_stream_u32(words + 2) << 32 | rarog_stream_u32(words);
}

/**
 * rarog_stream_record() - length of the record that begins at words[0]
 * @n: words that are there
 *
 * Return: its length in words; 0 if it is cut off after @n words; -EBADMSG for an unknown escape.
 */
int rarog_stream_record(size_t n, const uint16_t *words);

/** rarog_stream_length() - length of an escape whose first three words are there. */
static inline size_t rarog_stream_length(const uint16_t words[3])
{
	size_t values = words[1] == RAROG_ESCAPE_VALUES ? words[2] & RAROG_VALUES_COUNT : 0;

	return 2 + rarog_stream_payload[words[1]] + 4 * values;
}

/**
 * rarog_stream_escape() - write an escape of @kind with @value as its payload
 * @kind: not VALUES
 * @ret_words: RAROG_STREAM_RECORD_MAX of room
 *
 * Return: its length in words.
 */
size_t rarog_stream_escape(uint16_t kind, uint64_t value, uint16_t *ret_words);

#endif
