/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/section.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define MAGIC "RAROGBC1"
#define WORD  8

static uint64_t read_word(const uint8_t bytes[WORD])
{
	uint64_t value = 0;

	for (unsigned i = 0; i < WORD; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

/* Bytes of the module at @bytes, with what is before and after it; 0: there is none. */
static size_t module_size(size_t n, const uint8_t *bytes)
{
	static const uint8_t bitcode[] = { 'B', 'C', 0xc0, 0xde };
	uint64_t size;

	if (n < 2 * WORD + sizeof(bitcode) || memcmp(bytes, MAGIC, WORD) != 0)
		return 0;
	size = read_word(bytes + WORD);
	if (size < sizeof(bitcode) || size > n - 2 * WORD ||
	    memcmp(bytes + 2 * WORD, bitcode, sizeof(bitcode)) != 0)
		return 0;
	size = 2 * WORD + ((size + WORD - 1) & ~(uint64_t)(WORD - 1));
	return size < n ? (size_t)size : n;
}

/* Linkers fill up with zeros, a word at a time. */
static bool is_filling(size_t n, const uint8_t *bytes)
{
	for (size_t i = 0; i < n && i < WORD; i++)
		if (bytes[i])
			return false;
	return true;
}

long rarog_feature_section_count(size_t n, const uint8_t bytes[n])
{
	long count = 0;

	for (size_t at = 0; at < n;) {
		size_t size = module_size(n - at, bytes + at);

		if (size == 0 && !is_filling(n - at, bytes + at))
			return -EBADMSG;
		count += size > 0;
		at += size > 0 ? size : WORD;
	}
	return count > 0 ? count : -EBADMSG;
}
