/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of the word stream of agent/abi.h: where a record ends and how payloads are read.
 */
#ifndef RAROG_COLLECT_TRACE_STREAM_H
#define RAROG_COLLECT_TRACE_STREAM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/abi.h"

#define RAROG_STREAM_RECORD_MAX 6 /* words of the longest record: an escape with 64 bits */
#define RAROG_STREAM_ESCAPES    8

/* Words of payload by escape kind; kind 0 does not exist. */
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

/**
 * rarog_stream_escape() - write an escape of @kind with @value as its payload
 * @ret_words: RAROG_STREAM_RECORD_MAX of room
 *
 * Return: its length in words.
 */
size_t rarog_stream_escape(uint16_t kind, uint64_t value, uint16_t *ret_words);

#endif
