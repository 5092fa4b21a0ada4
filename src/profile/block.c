/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every structure carries a checksum of its own, so that a reader never follows a damaged offset
 * or length. The block head's checksum is seeded with the block's place in the file: a head inside
 * of stored bytes (a profile within a profile) or a moved block is never taken for a real one
 * when a file is scanned.
 *
 * References: zstd frame format RFC 8878; XXH3 (xxhash 0.8).
 */
#include "profile/block.h"

#include <errno.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/error.h"

/* As PNG's: a byte that is no text, then a line end that a text-mode copy would destroy. */
static const uint8_t file_magic[8] = { 0x89, 'R', 'A', 'R', 'O', 'G', '\r', '\n' };
static const uint8_t end_magic[8] = { 'R', 'A', 'R', 'O', 'G', 'E', 'N', 'D' };

void rarog_file_head_store(uint8_t to[RAROG_FILE_HEAD_SIZE])
{
	memset(to, 0, RAROG_FILE_HEAD_SIZE);
	memcpy(to, file_magic, sizeof(file_magic));
	rarog_store_u16(to + 8, RAROG_FORMAT_MAJOR);
	rarog_store_u16(to + 10, RAROG_FORMAT_MINOR);
	rarog_store_u64(to + 24, XXH3_64bits(to, 24));
}

int rarog_file_head_load(const uint8_t from[RAROG_FILE_HEAD_SIZE], const char *path)
{
	if (memcmp(from, file_magic, sizeof(file_magic)) != 0)
		return rarog_fail(-EINVAL, "%s: not a rarog profile", path);
	if (rarog_load_u64(from + 24) != XXH3_64bits(from, 24))
		return rarog_fail(-EBADMSG, "%s: damaged at the very start (file head)", path);
	if (rarog_load_u16(from + 8) > RAROG_FORMAT_MAJOR)
		return rarog_fail(-EPROTONOSUPPORT,
				  "%s: written by a newer rarog (format %u); update rarog", path,
				  rarog_load_u16(from + 8));
	return 0;
}

/*
 *  0 magic  4 head checksum  8 stored checksum        16 kind, version  20 stored  24 raw
 * 28 strand 32 first         40 last                  48 count          52 zero
 */
static const uint8_t block_magic[4] = { 'R', 'B', 'L', 'K' };

static uint32_t head_checksum(const uint8_t head[RAROG_BLOCK_HEAD_SIZE], uint64_t offset)
{
	return (uint32_t)XXH3_64bits_withSeed(head + 8, RAROG_BLOCK_HEAD_SIZE - 8, offset);
}

/* 0 kind, version  4 stored  8 raw  12 strand  16 first  24 last  32 count */
static void store_fields(uint8_t *to, const struct rarog_block *block)
{
	rarog_store_u16(to, block->kind);
	rarog_store_u16(to + 2, block->version);
	rarog_store_u32(to + 4, block->stored);
	rarog_store_u32(to + 8, block->raw);
	rarog_store_u32(to + 12, block->strand);
	rarog_store_u64(to + 16, block->first);
	rarog_store_u64(to + 24, block->last);
	rarog_store_u32(to + 32, block->count);
}

static struct rarog_block load_fields(const uint8_t *from)
{
	return (struct rarog_block){
		.kind = rarog_load_u16(from),
		.version = rarog_load_u16(from + 2),
		.stored = rarog_load_u32(from + 4),
		.raw = rarog_load_u32(from + 8),
		.strand = rarog_load_u32(from + 12),
		.first = rarog_load_u64(from + 16),
		.last = rarog_load_u64(from + 24),
		.count = rarog_load_u32(from + 32),
	};
}

void rarog_block_head_store(uint8_t to[RAROG_BLOCK_HEAD_SIZE], const struct rarog_block *block)
{
	memset(to, 0, RAROG_BLOCK_HEAD_SIZE);
	memcpy(to, block_magic, sizeof(block_magic));
	rarog_store_u64(to + 8, block->checksum);
	store_fields(to + 16, block);
	rarog_store_u32(to + 4, head_checksum(to, block->offset));
}

bool rarog_block_head_load(const uint8_t from[RAROG_BLOCK_HEAD_SIZE], uint64_t offset,
			   struct rarog_block *ret_block)
{
	if (memcmp(from, block_magic, sizeof(block_magic)) != 0 ||
	    rarog_load_u32(from + 4) != head_checksum(from, offset))
		return false;
	*ret_block = load_fields(from + 16);
	ret_block->offset = offset;
	ret_block->checksum = rarog_load_u64(from + 8);
	return true;
}

/* 0 offset  8 kind, version  12 stored  16 raw  20 strand  24 first  32 last  40 count  44 zero */
void rarog_index_entry_store(uint8_t to[RAROG_INDEX_ENTRY_SIZE], const struct rarog_block *block)
{
	rarog_store_u64(to, block->offset);
	store_fields(to + 8, block);
	rarog_store_u32(to + 44, 0);
}

void rarog_index_entry_load(const uint8_t from[RAROG_INDEX_ENTRY_SIZE],
			    struct rarog_block *ret_block)
{
	*ret_block = load_fields(from + 8);
	ret_block->offset = rarog_load_u64(from);
}

/* 0 index offset  8 index blocks  12 zero  16 file size  24 checksum of 0 … 23  32 magic */
void rarog_trailer_store(uint8_t to[RAROG_TRAILER_SIZE], const struct rarog_trailer *trailer)
{
	rarog_store_u64(to, trailer->index_offset);
	rarog_store_u32(to + 8, trailer->index_blocks);
	rarog_store_u32(to + 12, 0);
	rarog_store_u64(to + 16, trailer->file_size);
	rarog_store_u64(to + 24, XXH3_64bits(to, 24));
	memcpy(to + 32, end_magic, sizeof(end_magic));
}

bool rarog_trailer_load(const uint8_t from[RAROG_TRAILER_SIZE], struct rarog_trailer *ret_trailer)
{
	if (memcmp(from + 32, end_magic, sizeof(end_magic)) != 0 ||
	    rarog_load_u64(from + 24) != XXH3_64bits(from, 24))
		return false;
	*ret_trailer = (struct rarog_trailer){
		.index_offset = rarog_load_u64(from),
		.index_blocks = rarog_load_u32(from + 8),
		.file_size = rarog_load_u64(from + 16),
	};
	return true;
}

uint64_t rarog_block_checksum(size_t n, const uint8_t data[])
{
	return XXH3_64bits(data, n);
}

int rarog_block_compress(void *context, int level, size_t piece, size_t n, const uint8_t data[],
			 struct rarog_bytes *out)
{
	/* Each piece may cost a zstd block header and a Huffman table. */
	int r = rarog_bytes_room(out, ZSTD_compressBound(n) + (n / piece + 1) * 512);

	if (r < 0)
		return r;
	ZSTD_outBuffer to = { out->v + out->n, out->capacity - out->n, 0 };

	ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setPledgedSrcSize(context, n);
	for (size_t at = 0;; at += piece) {
		bool is_last = n - at <= piece;
		ZSTD_inBuffer from = { n > 0 ? data + at : NULL, is_last ? n - at : piece, 0 };
		size_t left = ZSTD_compressStream2(context, &to, &from,
						   is_last ? ZSTD_e_end : ZSTD_e_flush);

		if (ZSTD_isError(left) || left != 0)
			return rarog_fail(-ENOMEM, "cannot compress: %s", ZSTD_getErrorName(left));
		if (is_last)
			break;
	}
	out->n += to.pos;
	return 0;
}

int rarog_block_decompress(void *context, size_t n, const uint8_t stored[], size_t raw,
			   uint8_t to[])
{
	size_t size = ZSTD_decompressDCtx(context, to, raw, stored, n);

	if (ZSTD_isError(size) || size != raw)
		return -EBADMSG;
	return 0;
}
