/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looking up is a binary search by pread() in the sorted index: a store of 200,000 profiles reads
 * some KB of it, not all. Each entry carries a checksum seeded with its place, each frame zstd's.
 */
#include "store/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/error.h"
#include "base/file.h"
#include "store/pack-own.h"
#include "store/pack-tables.h"

#define WINDOW_LOG_MAX 28

static int damaged(const struct rarog_packfile *pack, const char *what)
{
	return rarog_fail(-EBADMSG, "%s: %s is damaged; rarog fsck tells what is lost", pack->path,
			  what);
}

static int read_at(const struct rarog_packfile *pack, uint64_t offset, size_t n, uint8_t to[])
{
	while (n > 0) {
		ssize_t got = pread(pack->fd, to, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return rarog_fail_errno("%s: cannot read", pack->path);
		if (got == 0)
			return damaged(pack, "the end of the pack");
		to += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

static int check_ends(struct rarog_packfile *pack)
{
	uint8_t head[PACK_HEAD_SIZE], end[PACK_TRAILER_SIZE];
	int r;

	if (pack->size < sizeof(head) + sizeof(end))
		return damaged(pack, "the pack");
	r = read_at(pack, 0, sizeof(head), head);
	if (r < 0)
		return r;
	r = read_at(pack, pack->size - sizeof(end), sizeof(end), end);
	if (r < 0)
		return r;
	if (memcmp(head, pack_magic, sizeof(pack_magic)) != 0 ||
	    memcmp(end + 24, pack_end_magic, sizeof(pack_end_magic)) != 0 ||
	    rarog_load_u64(end + 16) != XXH3_64bits(end, 16))
		return damaged(pack, "the pack");
	if (rarog_load_u16(head + 8) != PACK_VERSION)
		return rarog_fail(-EPROTONOSUPPORT,
				  "%s: was written by another version of rarog; update rarog",
				  pack->path);
	pack->index_offset = rarog_load_u64(end);
	pack->n = rarog_load_u32(end + 8);
	if (pack->index_offset < sizeof(head) || pack->index_offset > pack->size - sizeof(end) ||
	    (uint64_t)pack->n * PACK_ENTRY_SIZE != pack->size - sizeof(end) - pack->index_offset)
		return damaged(pack, "the pack");
	return 0;
}

int rarog_packfile_open(const char *path, struct rarog_packfile **ret_pack)
{
	rarog_cleanup(rarog_packfile_freep) struct rarog_packfile *pack = calloc(1, sizeof(*pack));
	struct stat status;
	int r;

	if (!pack)
		return rarog_oom();
	pack->fd = -1;
	pack->path = strdup(path);
	if (!pack->path)
		return rarog_oom();
	pack->fd = rarog_file_open(path);
	if (pack->fd < 0)
		return pack->fd;
	if (fstat(pack->fd, &status) < 0)
		return rarog_fail_errno("%s", path);
	pack->size = (uint64_t)status.st_size;
	r = check_ends(pack);
	if (r < 0)
		return r;
	*ret_pack = rarog_take(pack);
	return 0;
}

void rarog_packfile_free(struct rarog_packfile *pack)
{
	if (!pack)
		return;
	if (pack->fd >= 0)
		close(pack->fd);
	free(pack->path);
	free(pack);
}

int rarog_packfile_entry(const struct rarog_packfile *pack, uint32_t i,
			 struct rarog_packfile_entry *ret_entry)
{
	uint64_t offset = pack->index_offset + (uint64_t)i * PACK_ENTRY_SIZE;
	uint8_t from[PACK_ENTRY_SIZE];
	int r = read_at(pack, offset, sizeof(from), from);

	if (r < 0)
		return r;
	if (rarog_load_u32(from + 76) != (uint32_t)XXH3_64bits_withSeed(from, 76, i))
		return damaged(pack, "an entry of the index");
	struct rarog_packfile_entry entry = {
		.offset = rarog_load_u64(from + 32),
		.packed = rarog_load_u64(from + 40),
		.plain = rarog_load_u64(from + 48),
		.bytes = rarog_load_u64(from + 56),
		.changed_ns = rarog_load_u64(from + 64),
		.base = rarog_load_u32(from + 72),
	};

	memcpy(entry.hash.bytes, from, RAROG_HASH_BYTES);
	if (entry.offset < PACK_HEAD_SIZE || entry.offset > pack->index_offset ||
	    entry.packed > pack->index_offset - entry.offset || entry.plain > RAROG_PACK_LONGEST ||
	    (entry.base != RAROG_PACK_NO_BASE && entry.base >= pack->n))
		return damaged(pack, "an entry of the index");
	*ret_entry = entry;
	return 0;
}

int rarog_packfile_find(const struct rarog_packfile *pack, const struct rarog_hash *hash,
			struct rarog_packfile_entry *ret_entry, uint32_t *ret_index)
{
	uint32_t low = 0, high = pack->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct rarog_packfile_entry entry;
		int r = rarog_packfile_entry(pack, middle, &entry);

		if (r < 0)
			return r;
		r = memcmp(hash->bytes, entry.hash.bytes, RAROG_HASH_BYTES);
		if (r == 0) {
			*ret_entry = entry;
			if (ret_index)
				*ret_index = middle;
			return 1;
		}
		if (r < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

int rarog_packfile_frame(const struct rarog_packfile *pack,
			 const struct rarog_packfile_entry *entry, uint8_t **ret_frame)
{
	rarog_cleanup(rarog_freep) uint8_t *frame = malloc((size_t)entry->packed + 1);
	int r = frame ? read_at(pack, entry->offset, (size_t)entry->packed, frame) : rarog_oom();

	if (r < 0)
		return r;
	*ret_frame = rarog_take(frame);
	return 0;
}

uint8_t *rarog_packfile_dictionary(size_t n_base, const uint8_t *base, size_t *ret_n)
{
	uint8_t *dictionary = malloc(sizeof(pack_tables) + n_base);

	if (!dictionary)
		return NULL;
	memcpy(dictionary, pack_tables, sizeof(pack_tables));
	if (n_base > 0)
		memcpy(dictionary + sizeof(pack_tables), base, n_base);
	*ret_n = sizeof(pack_tables) + n_base;
	return dictionary;
}

static void free_context(ZSTD_DCtx **context)
{
	ZSTD_freeDCtx(*context);
}

uint8_t *rarog_packfile_unpress(size_t n, const uint8_t frame[], size_t n_base, const uint8_t *base,
				size_t plain)
{
	rarog_cleanup(free_context) ZSTD_DCtx *context = ZSTD_createDCtx();
	size_t n_dictionary = 0, got;
	rarog_cleanup(rarog_freep) uint8_t *dictionary =
		rarog_packfile_dictionary(n_base, base, &n_dictionary);
	uint8_t *to = malloc(plain + 1);

	errno = ENOMEM;
	if (!context || !dictionary || !to ||
	    ZSTD_isError(ZSTD_DCtx_loadDictionary(context, dictionary, n_dictionary))) {
		free(to);
		return NULL;
	}
	ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	got = ZSTD_decompressDCtx(context, to, plain, frame, n);
	if (!ZSTD_isError(got) && got == plain)
		return to;
	free(to);
	errno = EBADMSG;
	return NULL;
}

int rarog_packfile_canonical(const struct rarog_packfile *pack,
			     const struct rarog_packfile_entry *entry, size_t n_base,
			     const uint8_t *base, uint8_t **ret_plain)
{
	rarog_cleanup(rarog_freep) uint8_t *frame = NULL;
	int r = rarog_packfile_frame(pack, entry, &frame);
	uint8_t *plain;

	if (r < 0)
		return r;
	plain = rarog_packfile_unpress((size_t)entry->packed, frame, n_base, base,
				       (size_t)entry->plain);
	if (!plain)
		return errno == ENOMEM ? rarog_oom() : damaged(pack, "a profile in it");
	*ret_plain = plain;
	return 0;
}
