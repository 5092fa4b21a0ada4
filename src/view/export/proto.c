/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A field is a key (number << 3 | wire type) and its value: wire type 0 a varint (7 bits a byte,
 * least significant first, bit 7: more follow), 2 a length and that many bytes.
 *
 * Reference: protobuf.dev, "Encoding".
 */
#include "view/export/proto.h"

#include <string.h>

#include "base/cleanup.h"
#include "view/text.h"

#define WIRE_VARINT 0
#define WIRE_BYTES  2

static size_t put_varint(char *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = (char)(value | 0x80);
	to[n++] = (char)value;
	return n;
}

static void add_bytes(struct rarog_proto *to, size_t n, const char *bytes)
{
	if (to->error == 0)
		to->error = rarog_str_add_bytes(&to->bytes, n, bytes);
}

static void add_head(struct rarog_proto *to, uint32_t number, unsigned wire, uint64_t value)
{
	char bytes[20];
	size_t n = put_varint(bytes, (uint64_t)number << 3 | wire);

	n += put_varint(bytes + n, value);
	add_bytes(to, n, bytes);
}

void rarog_proto_uint(struct rarog_proto *to, uint32_t number, uint64_t value)
{
	add_head(to, number, WIRE_VARINT, value);
}

void rarog_proto_bytes(struct rarog_proto *to, uint32_t number, size_t n, const char *bytes)
{
	add_head(to, number, WIRE_BYTES, n);
	add_bytes(to, n, bytes);
}

void rarog_proto_text(struct rarog_proto *to, uint32_t number, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str valid = { 0 };
	int r = rarog_text_add_utf8(&valid, text ? text : "");

	if (r < 0)
		to->error = r;
	rarog_proto_bytes(to, number, valid.length, rarog_str_text(&valid));
}

void rarog_proto_message(struct rarog_proto *to, uint32_t number, struct rarog_proto *message)
{
	rarog_proto_bytes(to, number, message->bytes.length, rarog_str_text(&message->bytes));
	if (message->error < 0)
		to->error = message->error;
	rarog_str_clear(&message->bytes);
}

void rarog_proto_release(struct rarog_proto *message)
{
	rarog_str_release(&message->bytes);
	message->error = 0;
}
