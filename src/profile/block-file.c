/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trailer at the end of the file leads to the index. If either is missing or wrong the blocks
 * are found by walking from head to head; where no head is, the next one is searched for. A block
 * whose head is whole is listed even if its body is damaged: reading it says so, instead of the
 * block silently missing. Only a body that the end of the file cuts is left out.
 */
#include "profile/block-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "profile/canonical.h"
#include "profile/rows.h"

#define SEARCH_WINDOW 65536

static int read_at(const struct rarog_block_file *file, uint64_t offset, size_t n, uint8_t to[])
{
	while (n > 0) {
		ssize_t got = pread(file->fd, to, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return rarog_fail_errno("%s: cannot read", file->path);
		if (got == 0)
			return rarog_fail(-EBADMSG, "%s: ends while it is being read", file->path);
		to += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

int rarog_block_damaged(const struct rarog_block_file *file, const struct rarog_block *block,
			const char *why)
{
	return rarog_fail(-EBADMSG, "%s: section %s is damaged at byte %" PRIu64 ": %s", file->path,
			  rarog_block_name(block->kind), block->offset, why);
}

void rarog_block_scratch_release(struct rarog_block_scratch *scratch)
{
	ZSTD_freeDCtx(scratch->context);
	rarog_bytes_release(&scratch->stored);
	rarog_bytes_release(&scratch->raw);
	*scratch = (struct rarog_block_scratch){ 0 };
}

static bool same_block(const struct rarog_block *a, const struct rarog_block *b)
{
	return a->kind == b->kind && a->version == b->version && a->stored == b->stored &&
	       a->raw == b->raw && a->strand == b->strand && a->count == b->count &&
	       a->first == b->first && a->last == b->last;
}

/* Head and body into scratch->stored, both proved whole. */
static int load_block(const struct rarog_block_file *file, const struct rarog_block *block,
		      struct rarog_block_scratch *scratch)
{
	struct rarog_block found;
	size_t size = RAROG_BLOCK_HEAD_SIZE + (size_t)block->stored;

	scratch->stored.n = 0;
	int r = rarog_bytes_room(&scratch->stored, size);

	if (r == 0)
		r = read_at(file, block->offset, size, scratch->stored.v);
	if (r < 0)
		return r;
	const uint8_t *body = scratch->stored.v + RAROG_BLOCK_HEAD_SIZE;

	if (!rarog_block_head_load(scratch->stored.v, block->offset, &found) ||
	    !same_block(&found, block))
		return rarog_block_damaged(file, block, "its head is not what the index says");
	if (rarog_block_checksum(block->stored, body) != found.checksum)
		return rarog_block_damaged(file, block, "the checksum differs");
	return 0;
}

int rarog_block_stored(const struct rarog_block_file *file, const struct rarog_block *block,
		       struct rarog_block_scratch *scratch, struct rarog_byte_cursor *ret_bytes)
{
	int r = file->content ? 0 : load_block(file, block, scratch);

	if (r < 0)
		return r;
	ret_bytes->at = file->content ? file->content + block->offset
				      : scratch->stored.v + RAROG_BLOCK_HEAD_SIZE;
	ret_bytes->end = ret_bytes->at + block->stored;
	ret_bytes->bad = false;
	return 0;
}

static int decompress(const struct rarog_block_file *file, const struct rarog_block *block,
		      struct rarog_block_scratch *scratch, struct rarog_byte_cursor *bytes)
{
	if (block->raw > RAROG_BLOCK_MAX)
		return rarog_block_damaged(file, block, "larger than any block may be");
	if (!scratch->context)
		scratch->context = ZSTD_createDCtx();
	scratch->raw.n = 0;
	if (!scratch->context || rarog_bytes_room(&scratch->raw, (size_t)block->raw + 1) < 0)
		return rarog_oom();
	if (rarog_block_decompress(scratch->context, block->stored, bytes->at, block->raw,
				   scratch->raw.v) < 0)
		return rarog_block_damaged(file, block, "it cannot be decompressed");
	scratch->raw.n = block->raw;
	*bytes = (struct rarog_byte_cursor){ .at = scratch->raw.v,
					     .end = scratch->raw.v + block->raw };
	return 0;
}

int rarog_block_raw(const struct rarog_block_file *file, const struct rarog_block *block,
		    struct rarog_block_scratch *scratch, struct rarog_byte_cursor *ret_bytes)
{
	int r = rarog_block_stored(file, block, scratch, ret_bytes);

	if (r < 0 || (file->content && !rarog_canonical_is_verbatim(block->kind)))
		return r;
	return decompress(file, block, scratch, ret_bytes);
}

int rarog_block_read(const struct rarog_block_file *file, const struct rarog_block *block,
		     struct rarog_block_scratch *scratch, struct rarog_byte_cursor *ret_bytes)
{
	if (block->version > rarog_rows_version(block->kind))
		return rarog_fail(-EPROTONOSUPPORT,
				  "%s: section %s was written by a newer rarog; update rarog",
				  file->path, rarog_block_name(block->kind));
	return rarog_block_raw(file, block, scratch, ret_bytes);
}

/* Does the block lie between the file head and @end? */
static bool is_inside(const struct rarog_block *block, uint64_t end)
{
	return block->offset >= RAROG_FILE_HEAD_SIZE && block->offset <= end &&
	       end - block->offset >= RAROG_BLOCK_HEAD_SIZE &&
	       end - block->offset - RAROG_BLOCK_HEAD_SIZE >= block->stored;
}

static int read_head(const struct rarog_block_file *file, uint64_t offset,
		     struct rarog_block *ret_block)
{
	uint8_t head[RAROG_BLOCK_HEAD_SIZE];

	if (offset > file->size || file->size - offset < sizeof(head))
		return -EBADMSG;
	int r = read_at(file, offset, sizeof(head), head);

	if (r < 0)
		return r;
	return rarog_block_head_load(head, offset, ret_block) && is_inside(ret_block, file->size)
		       ? 0
		       : -EBADMSG;
}

static int take_entries(struct rarog_block_file *file, const struct rarog_block *index,
			const struct rarog_byte_cursor *bytes, uint64_t end)
{
	const uint8_t *at = bytes->at;

	if ((uint64_t)index->count * RAROG_INDEX_ENTRY_SIZE != (uint64_t)(bytes->end - at) ||
	    index->first != file->n)
		return -EBADMSG;
	for (uint32_t i = 0; i < index->count; i++, at += RAROG_INDEX_ENTRY_SIZE) {
		struct rarog_block block;

		rarog_index_entry_load(at, &block);
		uint64_t least = file->n > 0 ? file->blocks[file->n - 1].offset + 1 : 0;

		if (!is_inside(&block, end) || block.offset < least)
			return -EBADMSG;
		int r = rarog_block_file_push(file, &block);

		if (r < 0)
			return r;
	}
	return 0;
}

/* 0 if trailer and index are whole. */
static int load_index(struct rarog_block_file *file, struct rarog_block_scratch *scratch)
{
	uint8_t bytes[RAROG_TRAILER_SIZE];
	struct rarog_trailer trailer;

	if (file->size < RAROG_FILE_HEAD_SIZE + sizeof(bytes))
		return -EBADMSG;
	int r = read_at(file, file->size - sizeof(bytes), sizeof(bytes), bytes);

	if (r == 0 && (!rarog_trailer_load(bytes, &trailer) || trailer.file_size != file->size))
		r = -EBADMSG;
	uint64_t offset = r == 0 ? trailer.index_offset : 0;

	for (uint32_t i = 0; r == 0 && i < trailer.index_blocks; i++) {
		struct rarog_block index;
		struct rarog_byte_cursor content;

		r = read_head(file, offset, &index);
		if (r == 0 && index.kind != RAROG_BLOCK_INDEX)
			r = -EBADMSG;
		if (r == 0)
			r = rarog_block_read(file, &index, scratch, &content);
		if (r == 0)
			r = take_entries(file, &index, &content, trailer.index_offset);
		offset += RAROG_BLOCK_HEAD_SIZE + (uint64_t)(r == 0 ? index.stored : 0);
	}
	return r;
}

/* The next block head at or after @from; -EBADMSG: there is none. */
static int search_head(const struct rarog_block_file *file, uint64_t from, struct rarog_bytes *room,
		       struct rarog_block *ret_block)
{
	while (from < file->size && file->size - from >= RAROG_BLOCK_HEAD_SIZE) {
		uint64_t left = file->size - from;
		size_t n = left < SEARCH_WINDOW ? (size_t)left : SEARCH_WINDOW;

		room->n = 0;
		int r = rarog_bytes_room(room, n);

		if (r == 0)
			r = read_at(file, from, n, room->v);
		if (r < 0)
			return r;
		for (size_t i = 0; i + RAROG_BLOCK_HEAD_SIZE <= n; i++)
			if (room->v[i] == 'R' &&
			    rarog_block_head_load(room->v + i, from + i, ret_block))
				return is_inside(ret_block, file->size) ? 0 : -EBADMSG;
		from += n - RAROG_BLOCK_HEAD_SIZE + 1;
	}
	return -EBADMSG;
}

static int scan(struct rarog_block_file *file, struct rarog_bytes *room)
{
	uint64_t at = RAROG_FILE_HEAD_SIZE;
	struct rarog_block block;

	file->n = 0;
	file->is_partial = true;
	for (;;) {
		int r = read_head(file, at, &block);

		if (r == -EBADMSG)
			r = search_head(file, at, room, &block);
		if (r == -EBADMSG)
			return 0;
		if (r == 0 && block.kind != RAROG_BLOCK_INDEX)
			r = rarog_block_file_push(file, &block);
		if (r < 0)
			return r;
		at = block.offset + RAROG_BLOCK_HEAD_SIZE + block.stored;
	}
}

static int open_file(struct rarog_block_file *file, const char *path)
{
	struct stat status;

	file->fd = -1;
	file->path = strdup(path);
	if (!file->path)
		return rarog_oom();
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
	if (file->fd < 0 || fstat(file->fd, &status) < 0)
		return rarog_fail_errno("%s", path);
	if (S_ISDIR(status.st_mode))
		return rarog_fail(-EISDIR, "%s: is a directory, not a rarog profile", path);
	if (!S_ISREG(status.st_mode))
		return rarog_fail(-EINVAL, "%s: not a regular file; copy it to one first", path);
	file->size = (uint64_t)status.st_size;
	return 0;
}

static int open_plain(struct rarog_block_file *file)
{
	rarog_cleanup(rarog_freep) uint8_t *bytes = NULL;
	int r;

	if (file->size > RAROG_CANONICAL_FILE_MAX)
		return rarog_fail(-EFBIG, "%s: too long for the plain form of a profile",
				  file->path);
	bytes = malloc((size_t)file->size);
	if (!bytes)
		return rarog_oom();
	r = read_at(file, 0, (size_t)file->size, bytes);
	if (r < 0)
		return r;
	rarog_closep(&file->fd);
	return rarog_canonical_list(file, rarog_take(bytes), (size_t)file->size);
}

static int open_blocks(struct rarog_block_file *file)
{
	struct rarog_block_scratch scratch = { 0 };
	int r = load_index(file, &scratch);

	if (r < 0 && r != -ENOMEM && r != -EPROTONOSUPPORT)
		r = scan(file, &scratch.stored);
	rarog_block_scratch_release(&scratch);
	if (r == 0)
		rarog_error_clear();
	return r;
}

int rarog_block_file_open(struct rarog_block_file *file, const char *path)
{
	uint8_t head[RAROG_FILE_HEAD_SIZE];
	int r = open_file(file, path);

	if (r < 0)
		return r;
	if (file->size == 0)
		return rarog_fail(-EINVAL, "%s: not a rarog profile: it is empty", path);
	if (file->size < sizeof(head))
		return rarog_fail(-EINVAL, "%s: not a rarog profile", path);
	r = read_at(file, 0, sizeof(head), head);
	if (r == 0 && rarog_is_canonical(sizeof(head), head))
		return open_plain(file);
	if (r == 0)
		r = rarog_file_head_load(head, path);
	return r == 0 ? open_blocks(file) : r;
}

void rarog_block_file_release(struct rarog_block_file *file)
{
	rarog_closep(&file->fd);
	free(file->path);
	free(file->blocks);
	free(file->content);
	*file = (struct rarog_block_file){ .fd = -1 };
}
