/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/canonical.h"

static int write_block(const struct rarog_block_file *file, const struct rarog_block *block,
		       struct rarog_block_scratch *scratch,
		       int (*sink)(size_t n, const void *bytes, void *user), void *user)
{
	uint8_t head[RAROG_CANONICAL_BLOCK_SIZE];
	struct rarog_byte_cursor bytes;
	int r = rarog_canonical_is_verbatim(block->kind)
			? rarog_block_stored(file, block, scratch, &bytes)
			: rarog_block_raw(file, block, scratch, &bytes);

	if (r < 0)
		return r;
	size_t n = (size_t)(bytes.end - bytes.at);

	rarog_canonical_block_store(head, block, (uint32_t)n);
	r = sink(sizeof(head), head, user);
	return r == 0 && n > 0 ? sink(n, bytes.at, user) : r;
}

int rarog_canonical_write(const struct rarog_block_file *file,
			  int (*sink)(size_t n, const void *bytes, void *user), void *user)
{
	struct rarog_block_scratch scratch = { 0 };
	uint8_t head[RAROG_CANONICAL_HEAD_SIZE];
	int r;

	rarog_canonical_head_store(head, file);
	r = sink(sizeof(head), head, user);
	for (size_t i = 0; r == 0 && i < file->n; i++)
		r = write_block(file, &file->blocks[i], &scratch, sink, user);
	rarog_block_scratch_release(&scratch);
	return r;
}

uint64_t rarog_canonical_length(const struct rarog_block_file *file)
{
	uint64_t length = RAROG_CANONICAL_HEAD_SIZE;

	for (size_t i = 0; i < file->n; i++) {
		const struct rarog_block *block = &file->blocks[i];

		length += RAROG_CANONICAL_BLOCK_SIZE;
		length += rarog_canonical_is_verbatim(block->kind) ? block->stored : block->raw;
	}
	return length;
}
