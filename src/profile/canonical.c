/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables stand in it as they are before compression, calls as they were stored: calls are most of a
 * large profile, noise that gains nothing from another coding, and would take seconds to unpack for
 * a name. The index and all offsets are left out: they follow from the blocks.
 */
#include "profile/canonical.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

#define FIRST_VERBATIM 128 /* kinds of later versions that are kept as they are stored */
#define IS_PARTIAL     1

static const uint8_t magic[8] = { 0x89, 'R', 'P', 'L', 'A', 'I', 'N', '\n' };
static const uint8_t file_magic[6] = { 0x89, 'R', 'A', 'R', 'O', 'G' };

bool rarog_is_canonical(size_t n, const uint8_t bytes[])
{
	return n >= RAROG_CANONICAL_HEAD_SIZE && memcmp(bytes, magic, sizeof(magic)) == 0;
}

bool rarog_is_profile_file(size_t n, const uint8_t bytes[])
{
	return n >= RAROG_FILE_HEAD_SIZE && memcmp(bytes, file_magic, sizeof(file_magic)) == 0;
}

bool rarog_canonical_is_verbatim(unsigned kind)
{
	return kind == RAROG_BLOCK_CALLS || kind >= FIRST_VERBATIM;
}

/*
 * head   0 magic  8 version  10 flags  12 number of blocks
 * block  0 kind   2 version   4 length  8 strand  12 count  16 first  24 last  32 raw  36 zero
 */
void rarog_canonical_head_store(uint8_t to[RAROG_CANONICAL_HEAD_SIZE],
				const struct rarog_block_file *file)
{
	memcpy(to, magic, sizeof(magic));
	rarog_store_u16(to + 8, 1);
	rarog_store_u16(to + 10, file->is_partial ? IS_PARTIAL : 0);
	rarog_store_u32(to + 12, (uint32_t)file->n);
}

void rarog_canonical_block_store(uint8_t to[RAROG_CANONICAL_BLOCK_SIZE],
				 const struct rarog_block *block, uint32_t length)
{
	rarog_store_u16(to, block->kind);
	rarog_store_u16(to + 2, block->version);
	rarog_store_u32(to + 4, length);
	rarog_store_u32(to + 8, block->strand);
	rarog_store_u32(to + 12, block->count);
	rarog_store_u64(to + 16, block->first);
	rarog_store_u64(to + 24, block->last);
	rarog_store_u32(to + 32, block->raw);
	rarog_store_u32(to + 36, 0);
}

/* --- reading --- */

static bool load_block(const uint8_t *at, struct rarog_block *ret_block)
{
	*ret_block = (struct rarog_block){
		.kind = rarog_load_u16(at),
		.version = rarog_load_u16(at + 2),
		.stored = rarog_load_u32(at + 4),
		.strand = rarog_load_u32(at + 8),
		.count = rarog_load_u32(at + 12),
		.first = rarog_load_u64(at + 16),
		.last = rarog_load_u64(at + 24),
		.raw = rarog_load_u32(at + 32),
	};
	return ret_block->kind != RAROG_BLOCK_INDEX && rarog_load_u32(at + 36) == 0 &&
	       (rarog_canonical_is_verbatim(ret_block->kind) ||
		ret_block->raw == ret_block->stored);
}

static int damaged(const struct rarog_block_file *file, size_t at)
{
	return rarog_fail(-EBADMSG, "%s: the plain form of the profile is damaged at byte %zu",
			  file->path, at);
}

int rarog_canonical_list(struct rarog_block_file *file, uint8_t *take_bytes, size_t n)
{
	size_t at = RAROG_CANONICAL_HEAD_SIZE;
	struct rarog_block block;

	file->fd = -1;
	file->content = take_bytes;
	file->size = n;
	if (!rarog_is_canonical(n, take_bytes))
		return damaged(file, 0);
	if (rarog_load_u16(take_bytes + 8) != 1)
		return rarog_fail(-EPROTONOSUPPORT, "%s: written by a newer rarog; update rarog",
				  file->path);
	file->is_partial = rarog_load_u16(take_bytes + 10) & IS_PARTIAL;
	while (n - at >= RAROG_CANONICAL_BLOCK_SIZE) {
		if (!load_block(take_bytes + at, &block))
			return damaged(file, at);
		at += RAROG_CANONICAL_BLOCK_SIZE;
		if (block.stored > n - at)
			return damaged(file, at);
		block.offset = at;
		at += block.stored;
		if (rarog_block_file_push(file, &block) < 0)
			return -ENOMEM;
	}
	return at == n && file->n == rarog_load_u32(take_bytes + 12) ? 0 : damaged(file, at);
}
