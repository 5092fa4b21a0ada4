/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames are appended as they come, the index is sorted at the end. Nobody sees the file before
 * it is finished and renamed to its place (repack.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "store/pack-own.h"

/* The search for matches takes some ms for a small profile, and would take seconds for a large one.
 */
#define SMALL       ((size_t)256 << 10)
#define LEVEL_SMALL 19
#define LEVEL       12

struct rarog_packfile_writer {
	char *path;
	int fd;
	bool is_finished;
	uint64_t at;
	ZSTD_CCtx *context;
	RAROG_VEC(struct rarog_packfile_entry) entries; /* in the order of the frames */
};

static int append(struct rarog_packfile_writer *w, size_t n, const void *bytes)
{
	int r = rarog_write_all(w->fd, n, bytes);

	if (r < 0)
		return rarog_fail(r, "%s: cannot write to the store: %s", w->path, strerror(-r));
	w->at += n;
	return 0;
}

int rarog_packfile_writer_new(const char *path, struct rarog_packfile_writer **ret_writer)
{
	rarog_cleanup(rarog_packfile_writer_freep) struct rarog_packfile_writer *w =
		calloc(1, sizeof(*w));
	uint8_t head[PACK_HEAD_SIZE] = { 0 };
	int r;

	if (!w)
		return rarog_oom();
	w->fd = -1;
	w->path = strdup(path);
	w->context = ZSTD_createCCtx();
	if (!w->path || !w->context)
		return rarog_oom();
	w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (w->fd < 0)
		return rarog_fail_errno("%s: cannot write to the store", path);
	memcpy(head, pack_magic, sizeof(pack_magic));
	rarog_store_u16(head + 8, PACK_VERSION);
	r = append(w, sizeof(head), head);
	if (r < 0)
		return r;
	*ret_writer = rarog_take(w);
	return 0;
}

void rarog_packfile_writer_free(struct rarog_packfile_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0 && !w->is_finished)
		unlink(w->path);
	if (w->fd >= 0)
		close(w->fd);
	ZSTD_freeCCtx(w->context);
	rarog_vec_release(&w->entries);
	free(w->path);
	free(w);
}

int64_t rarog_packfile_copy(struct rarog_packfile_writer *w,
			    const struct rarog_packfile_entry *entry, const uint8_t *frame)
{
	struct rarog_packfile_entry copy = *entry;
	int r;

	copy.offset = w->at;
	r = append(w, (size_t)copy.packed, frame);
	if (r < 0)
		return r;
	return rarog_vec_push(&w->entries, copy) < 0 ? rarog_oom() : (int64_t)w->entries.n - 1;
}

/* The window reaches over the base and all of the profile. */
static int window_log(size_t n)
{
	int log = 10;

	while (log < 27 && ((size_t)1 << log) < n)
		log++;
	return log;
}

static int compressor(struct rarog_packfile_writer *w, size_t n, const uint8_t *plain,
		      size_t n_base, const uint8_t *base, struct rarog_bytes *out)
{
	size_t n_dictionary = 0, got, room = ZSTD_compressBound(n);
	rarog_cleanup(rarog_freep) uint8_t *dictionary =
		rarog_packfile_dictionary(n_base, base, &n_dictionary);
	int r = dictionary ? rarog_bytes_room(out, room) : rarog_oom();

	if (r < 0)
		return r;
	ZSTD_CCtx_reset(w->context, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(w->context, ZSTD_c_compressionLevel,
			       n <= SMALL ? LEVEL_SMALL : LEVEL);
	ZSTD_CCtx_setParameter(w->context, ZSTD_c_windowLog, window_log(n + n_base));
	ZSTD_CCtx_setParameter(w->context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(w->context, ZSTD_c_dictIDFlag, 0);
	got = ZSTD_CCtx_loadDictionary(w->context, dictionary, n_dictionary);
	if (!ZSTD_isError(got))
		got = ZSTD_compress2(w->context, out->v, room, plain, n);
	if (ZSTD_isError(got))
		return rarog_fail(-ENOMEM, "cannot compress: %s", ZSTD_getErrorName(got));
	out->n = got;
	return 0;
}

static int prove(const struct rarog_packfile_writer *w, const struct rarog_bytes *frame, size_t n,
		 const uint8_t *plain, size_t n_base, const uint8_t *base)
{
	rarog_cleanup(rarog_freep) uint8_t *again =
		rarog_packfile_unpress(frame->n, frame->v, n_base, base, n);

	if (!again && errno == ENOMEM)
		return rarog_oom();
	if (again && memcmp(again, plain, n) == 0)
		return 0;
	return rarog_fail(-EIO, "%s: what was compressed does not give the same again", w->path);
}

int64_t rarog_packfile_add(struct rarog_packfile_writer *w,
			   const struct rarog_packfile_entry *entry, const uint8_t *plain,
			   size_t n_base, const uint8_t *base, uint64_t *ret_packed)
{
	rarog_cleanup(rarog_bytes_release) struct rarog_bytes frame = { 0 };
	struct rarog_packfile_entry full = *entry;
	int r = compressor(w, (size_t)entry->plain, plain, n_base, base, &frame);

	if (r == 0)
		r = prove(w, &frame, (size_t)entry->plain, plain, n_base, base);
	if (r < 0)
		return r;
	full.packed = frame.n;
	if (ret_packed)
		*ret_packed = frame.n;
	return rarog_packfile_copy(w, &full, frame.v);
}

/* --- the index --- */

struct place {
	struct rarog_hash hash;
	uint32_t number; /* in the order of the frames */
};

static int by_hash(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return memcmp(x->hash.bytes, y->hash.bytes, RAROG_HASH_BYTES);
}

static void store_entry(uint8_t to[PACK_ENTRY_SIZE], const struct rarog_packfile_entry *entry,
			uint32_t base, uint32_t i)
{
	memcpy(to, entry->hash.bytes, RAROG_HASH_BYTES);
	rarog_store_u64(to + 32, entry->offset);
	rarog_store_u64(to + 40, entry->packed);
	rarog_store_u64(to + 48, entry->plain);
	rarog_store_u64(to + 56, entry->bytes);
	rarog_store_u64(to + 64, entry->changed_ns);
	rarog_store_u32(to + 72, base);
	rarog_store_u32(to + 76, (uint32_t)XXH3_64bits_withSeed(to, 76, i));
}

static int write_entries(struct rarog_packfile_writer *w, const struct place places[],
			 const uint32_t sorted[])
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < w->entries.n; i++) {
		const struct rarog_packfile_entry *entry = &w->entries.v[places[i].number];
		uint32_t base = entry->base == RAROG_PACK_NO_BASE ? RAROG_PACK_NO_BASE
								  : sorted[entry->base];
		uint8_t bytes[PACK_ENTRY_SIZE];

		store_entry(bytes, entry, base, i);
		r = append(w, sizeof(bytes), bytes);
	}
	return r;
}

static int write_index(struct rarog_packfile_writer *w)
{
	size_t n = w->entries.n;
	rarog_cleanup(rarog_freep) struct place *places = calloc(n + 1, sizeof(*places));
	rarog_cleanup(rarog_freep) uint32_t *sorted = calloc(n + 1, sizeof(*sorted));

	if (!places || !sorted)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){ w->entries.v[i].hash, (uint32_t)i };
	qsort(places, n, sizeof(*places), by_hash);
	for (size_t i = 0; i < n; i++)
		sorted[places[i].number] = (uint32_t)i;
	return write_entries(w, places, sorted);
}

int rarog_packfile_finish(struct rarog_packfile_writer *w)
{
	uint8_t end[PACK_TRAILER_SIZE] = { 0 };
	int r;

	rarog_store_u64(end, w->at);
	rarog_store_u32(end + 8, (uint32_t)w->entries.n);
	rarog_store_u64(end + 16, XXH3_64bits(end, 16));
	memcpy(end + 24, pack_end_magic, sizeof(pack_end_magic));
	r = write_index(w);
	if (r == 0)
		r = append(w, sizeof(end), end);
	if (r == 0 && fsync(w->fd) < 0)
		r = rarog_fail_errno("%s: cannot bring to disk", w->path);
	w->is_finished = r == 0;
	return r;
}
