/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/stream.h"

const uint8_t rarog_stream_payload[RAROG_STREAM_ESCAPES] = {
	[RAROG_ESCAPE_TIME16] = 1, [RAROG_ESCAPE_TIME64] = 4,  [RAROG_ESCAPE_START] = 4,
	[RAROG_ESCAPE_DEPTH] = 2,  [RAROG_ESCAPE_INHERIT] = 2, [RAROG_ESCAPE_WAIT] = 4,
	[RAROG_ESCAPE_LOST] = 4,   [RAROG_ESCAPE_VALUES] = 2,
};

static int escape_length(size_t n, const uint16_t *words)
{
	uint16_t kind = words[1];

	if (kind >= RAROG_STREAM_ESCAPES || rarog_stream_payload[kind] == 0)
		return -EBADMSG;
	return n < 3 ? 3 : (int)rarog_stream_length(words);
}

int rarog_stream_record(size_t n, const uint16_t *words)
{
	int length = 1;

	if (n == 0)
		return 0;
	if (words[0] & RAROG_WORD_ENTRY) {
		if (n < 2)
			return 0;
		length = words[1] == RAROG_ID_WIDE ? 4 : 2;
		if (words[0] == RAROG_WORD_ESCAPE)
			length = escape_length(n, words);
	}
	return length > 0 && (size_t)length > n ? 0 : length;
}

size_t rarog_stream_escape(uint16_t kind, uint64_t value, uint16_t *ret_words)
{
	size_t payload = rarog_stream_payload[kind];

	ret_words[0] = RAROG_WORD_ESCAPE;
	ret_words[1] = kind;
	for (size_t i = 0; i < payload; i++, value >>= 16)
		ret_words[2 + i] = (uint16_t)value;
	return 2 + payload;
}
