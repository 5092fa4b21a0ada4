/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stdio stream in front of zlib in front of base64, in constant memory. Base64 takes groups of
 * three bytes; up to two wait for the next block.
 */
#include "view/html/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>

#include "base/error.h"

#define BLOCK 49152 /* bytes; a multiple of three */

struct rarog_pack {
	FILE *out, *stream;
	z_stream deflate;
	bool is_started;
	size_t held; /* of bytes[] */
	unsigned char bytes[BLOCK];
	char letters[BLOCK / 3 * 4];
};

static void encode(const unsigned char *from, size_t n, char *to)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3, to += 4) {
		unsigned rest = (unsigned)(n - i);
		unsigned bits = (unsigned)from[i] << 16;

		if (rest > 1)
			bits |= (unsigned)from[i + 1] << 8;
		if (rest > 2)
			bits |= from[i + 2];
		to[0] = letters[bits >> 18];
		to[1] = letters[bits >> 12 & 63];
		to[2] = rest > 1 ? letters[bits >> 6 & 63] : '=';
		to[3] = rest > 2 ? letters[bits & 63] : '=';
	}
}

/* Writes the held bytes: whole groups only, unless it is the end. */
static int flush_letters(struct rarog_pack *pack, bool is_end)
{
	size_t n = is_end ? pack->held : pack->held / 3 * 3;
	size_t letters = (n + 2) / 3 * 4;

	encode(pack->bytes, n, pack->letters);
	pack->held -= n;
	memmove(pack->bytes, pack->bytes + n, pack->held);
	return fwrite(pack->letters, 1, letters, pack->out) == letters ? 0 : -EIO;
}

static int run_deflate(struct rarog_pack *pack, int flush)
{
	int status;

	do {
		pack->deflate.next_out = pack->bytes + pack->held;
		pack->deflate.avail_out = (uInt)(BLOCK - pack->held);
		status = deflate(&pack->deflate, flush);
		pack->held = BLOCK - pack->deflate.avail_out;
		int r = flush_letters(pack, status == Z_STREAM_END);

		if (r < 0)
			return r;
	} while (flush == Z_FINISH ? status != Z_STREAM_END : pack->deflate.avail_in > 0);
	return 0;
}

static ssize_t on_write(void *cookie, const char *text, size_t n)
{
	struct rarog_pack *pack = cookie;

	pack->deflate.next_in = (const Bytef *)text;
	pack->deflate.avail_in = (uInt)n;
	return run_deflate(pack, Z_NO_FLUSH) < 0 ? 0 : (ssize_t)n;
}

int rarog_pack_new(FILE *out, struct rarog_pack **ret_pack)
{
	rarog_cleanup(rarog_pack_freep) struct rarog_pack *pack = calloc(1, sizeof(*pack));

	if (!pack)
		return rarog_oom();
	pack->out = out;
	if (deflateInit2(&pack->deflate, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return rarog_oom();
	pack->is_started = true;
	pack->stream = fopencookie(pack, "w", (cookie_io_functions_t){ .write = on_write });
	if (!pack->stream)
		return rarog_oom();
	setvbuf(pack->stream, NULL, _IOFBF, 1 << 16);
	*ret_pack = rarog_take(pack);
	return 0;
}

FILE *rarog_pack_stream(struct rarog_pack *pack)
{
	return pack->stream;
}

int rarog_pack_finish(struct rarog_pack *pack)
{
	if (fflush(pack->stream) != 0 || ferror(pack->stream) || run_deflate(pack, Z_FINISH) < 0)
		return rarog_fail(-EIO, "cannot write the data of the page");
	return 0;
}

void rarog_pack_free(struct rarog_pack *pack)
{
	if (!pack)
		return;
	if (pack->stream)
		fclose(pack->stream);
	if (pack->is_started)
		deflateEnd(&pack->deflate);
	free(pack);
}
