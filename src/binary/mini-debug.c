/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fedora and its kin strip programs but leave an xz-compressed ELF file with the symbols of
 * functions in them. What comes out is bounded: a section of a few kB may claim gigabytes.
 *
 * Reference: GDB manual, "MiniDebugInfo"; liblzma's lzma/base.h.
 */
#include "binary/mini-debug.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "base/error.h"

#define OUT_MAX    ((size_t)64 << 20)
#define FIRST_ROOM ((size_t)256 << 10)
#define MEMORY_MAX ((uint64_t)128 << 20) /* of the decoder: dictionaries are 64 MiB at most */

struct inflated {
	uint8_t *v;
	size_t n, capacity;
};

static int grow(struct inflated *out)
{
	size_t capacity = out->capacity ? 2 * out->capacity : FIRST_ROOM;
	uint8_t *moved = capacity <= OUT_MAX ? realloc(out->v, capacity) : NULL;

	if (!moved)
		return capacity <= OUT_MAX ? -ENOMEM : -EFBIG;
	out->v = moved;
	out->capacity = capacity;
	return 0;
}

/* Return: 0; -EBADMSG no xz stream, or a cut one; -EFBIG; -ENOMEM. */
static int inflate_all(lzma_stream *stream, struct inflated *out)
{
	lzma_ret code = LZMA_OK;

	while (code == LZMA_OK) {
		int r = out->n == out->capacity ? grow(out) : 0;

		if (r < 0)
			return r;
		stream->next_out = out->v + out->n;
		stream->avail_out = out->capacity - out->n;
		code = lzma_code(stream, LZMA_FINISH);
		out->n = out->capacity - stream->avail_out;
	}
	if (code == LZMA_MEM_ERROR)
		return -ENOMEM;
	return code == LZMA_STREAM_END ? 0 : -EBADMSG;
}

static int inflate(size_t n, const uint8_t bytes[n], struct inflated *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	int r = -ENOMEM;

	if (lzma_stream_decoder(&stream, MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK) {
		stream.next_in = bytes;
		stream.avail_in = n;
		r = inflate_all(&stream, out);
	}
	lzma_end(&stream);
	return r;
}

int rarog_mini_debug_open(const struct rarog_elf *elf, struct rarog_elf **ret_mini)
{
	const struct rarog_elf_section *section = rarog_elf_section(elf, ".gnu_debugdata");
	struct inflated out = { 0 };
	size_t n = 0;
	const uint8_t *bytes = rarog_elf_section_bytes(elf, section, &n);

	if (!bytes || n == 0)
		return 0;
	int r = inflate(n, bytes, &out);

	if (r == 0)
		r = rarog_elf_open_memory(elf->path, RAROG_ELF_DEBUG, out.n, out.v, ret_mini);
	free(out.v);
	if (r == -ENOMEM)
		return rarog_oom();
	rarog_error_clear();
	return 0;
}
