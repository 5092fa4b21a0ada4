/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * head (32): magic (8), major (2), minor (2), zero (4), parcels (8), XXH3 of the 24 bytes before
 * parcel: head (96): "RPCL", length of the words (4), length of the profile (8), SHA-256 of the
 *         words (32), name of the profile (32), zero (8), XXH3 of the 88 bytes before;
 *         the words; the profile (length 0: a parcel before it had the same)
 * end (32): "REND", zero (4), parcels (8), zero (8), XXH3 of the 24 bytes before
 *
 * The lengths are under the head's checksum, so damage in a body costs one parcel.
 */
#include "store/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "profile/bytes.h"

#define HEAD        32
#define PARCEL_HEAD 96
#define MAJOR       1
#define WORDS_MOST  (16u << 20)
#define CHUNK       (1u << 20)

static const unsigned char magic[8] = { 0x89, 'R', 'R', 'G', 'B', 'N', '\r', '\n' };

static void seal(uint8_t *head, size_t n)
{
	rarog_store_u64(head + n - 8, XXH3_64bits(head, n - 8));
}

static bool is_sealed(const uint8_t *head, size_t n)
{
	return rarog_load_u64(head + n - 8) == XXH3_64bits(head, n - 8);
}

/* --- writing --- */

struct writer {
	struct rarog_store *store;
	struct rarog_vcs *vcs;
	struct rarog_new_file file;
	const char *path;
	RAROG_VEC(struct rarog_hash) written;
	struct rarog_bundle_result result;
};

static int put(struct writer *w, size_t n, const void *bytes)
{
	int r = rarog_write_all(w->file.fd, n, bytes);

	return r < 0 ? rarog_fail(r, "%s: cannot write: %s", w->path, strerror(-r)) : 0;
}

static bool is_written(const struct writer *w, const struct rarog_hash *object)
{
	/* rows are ordered by object: the same one follows itself */
	return w->written.n > 0 && rarog_hash_equal(&w->written.v[w->written.n - 1], object);
}

static int put_parcel(struct writer *w, const struct rarog_parcel *parcel, size_t n,
		      const char *profile)
{
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	uint8_t head[PARCEL_HEAD] = "RPCL";
	struct rarog_hash hash;
	int r = rarog_parcel_print(parcel, &words);

	if (r < 0)
		return r;
	rarog_hash_bytes(words.length, words.text, &hash);
	rarog_store_u32(head + 4, (uint32_t)words.length);
	rarog_store_u64(head + 8, n);
	memcpy(head + 16, hash.bytes, sizeof(hash.bytes));
	memcpy(head + 48, parcel->object.bytes, sizeof(parcel->object.bytes));
	seal(head, sizeof(head));
	r = put(w, sizeof(head), head);
	if (r == 0)
		r = put(w, words.length, words.text);
	if (r == 0 && n > 0)
		r = put(w, n, profile);
	w->result.parcels++;
	w->result.bytes += n;
	return r;
}

static int write_record(const struct rarog_record *record, void *user)
{
	rarog_cleanup(rarog_parcel_release) struct rarog_parcel parcel = { 0 };
	rarog_cleanup(rarog_freep) char *profile = NULL;
	struct writer *w = user;
	size_t n = 0;
	int r = rarog_parcel_of(w->store, w->vcs, record, &parcel);

	if (r == 0 && !is_written(w, &record->object)) {
		r = rarog_parcel_bytes(w->store, &record->object, &profile, &n);
		if (r == 0 && rarog_vec_push(&w->written, record->object) < 0)
			r = rarog_oom();
	}
	return r < 0 ? r : put_parcel(w, &parcel, n, profile);
}

static int put_head(struct writer *w, uint64_t parcels)
{
	uint8_t head[HEAD] = { 0 };

	memcpy(head, magic, sizeof(magic));
	rarog_store_u16(head + 8, MAJOR);
	rarog_store_u64(head + 16, parcels);
	seal(head, sizeof(head));
	return put(w, sizeof(head), head);
}

static int put_end(struct writer *w)
{
	uint8_t end[HEAD] = "REND";

	rarog_store_u64(end + 8, w->result.parcels);
	seal(end, sizeof(end));
	return put(w, sizeof(end), end);
}

struct wanted {
	int64_t id;
	struct rarog_hash object;
};

static int by_object(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	int order = memcmp(x->object.bytes, y->object.bytes, sizeof(x->object.bytes));

	return order != 0 ? order : x->id < y->id ? -1 : x->id > y->id;
}

static int read_object(const struct rarog_record *record, void *user)
{
	((struct wanted *)user)->object = record->object;
	return 1;
}

static int write_rows(struct writer *w, size_t n, const int64_t ids[n])
{
	rarog_cleanup(rarog_freep) struct wanted *wanted = calloc(n + 1, sizeof(*wanted));
	int r = wanted ? 0 : rarog_oom();

	for (size_t i = 0; r >= 0 && i < n; i++) {
		wanted[i].id = ids[i];
		r = rarog_record_each(w->store, &(struct rarog_record_filter){ .id = ids[i] },
				      read_object, &wanted[i]);
	}
	if (r >= 0)
		qsort(wanted, n, sizeof(*wanted), by_object);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = rarog_record_each(w->store, &(struct rarog_record_filter){ .id = wanted[i].id },
				      write_record, w);
	return r < 0 ? r : 0;
}

int rarog_bundle_create(struct rarog_store *store, struct rarog_vcs *vcs, const char *path,
			size_t n, const int64_t ids[n], struct rarog_bundle_result *ret_result)
{
	struct writer w = { .store = store, .vcs = vcs, .file = RAROG_NEW_FILE_NONE, .path = path };
	int r = rarog_new_file_open(path, &w.file);

	if (r == 0)
		r = put_head(&w, n);
	if (r == 0)
		r = write_rows(&w, n, ids);
	if (r == 0)
		r = put_end(&w);
	if (r == 0)
		r = rarog_new_file_commit(&w.file);
	rarog_new_file_release(&w.file);
	rarog_vec_release(&w.written);
	*ret_result = w.result;
	return r;
}

/* --- reading --- */

struct reader {
	struct rarog_store *store;
	struct rarog_parcel_portion portion;
	const char *path;
	int fd;
	uint64_t at, size, parcels;
	char *temporary;
	struct rarog_bundle_result result;
};

static int cut_off(const struct reader *b)
{
	return rarog_fail(-EBADMSG,
			  "%s: it is cut off after %" PRIu64 " of %" PRIu64 " profiles; these are "
			  "kept, importing the whole file adds the rest",
			  b->path, b->result.parcels, b->parcels);
}

/* 1; 0 the file ends before. */
static int get(struct reader *b, size_t n, void *bytes)
{
	char *at = bytes;

	while (n > 0) {
		ssize_t got = pread(b->fd, at, n, (off_t)b->at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return rarog_fail_errno("%s: cannot read", b->path);
		if (got == 0)
			return 0;
		at += got;
		n -= (size_t)got;
		b->at += (uint64_t)got;
	}
	return 1;
}

static int read_head(struct reader *b)
{
	uint8_t head[HEAD];
	int r = get(b, sizeof(head), head);

	if (r < 0)
		return r;
	if (r == 0 || memcmp(head, magic, sizeof(magic)) != 0)
		return rarog_fail(-EINVAL, "%s: not a bundle of rarog", b->path);
	if (!is_sealed(head, sizeof(head)))
		return rarog_fail(-EBADMSG, "%s: its head is damaged; nothing was imported",
				  b->path);
	if (rarog_load_u16(head + 8) > MAJOR)
		return rarog_fail(-EPROTONOSUPPORT,
				  "%s: made by a newer rarog (version %u, known: %u)", b->path,
				  rarog_load_u16(head + 8), MAJOR);
	b->parcels = rarog_load_u64(head + 16);
	return 0;
}

/* The profile's bytes to the temporary file. 1 they are right, 0 they are not. */
static int unpack(struct reader *b, uint64_t n, const struct rarog_hash *wanted)
{
	rarog_cleanup(rarog_freep) char *chunk = malloc(CHUNK);
	rarog_cleanup(rarog_closep) int fd =
		open(b->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int r = chunk ? 1 : rarog_oom();

	if (fd < 0)
		return rarog_fail_errno("%s: cannot make it", b->temporary);
	while (r == 1 && n > 0) {
		size_t piece = n < CHUNK ? (size_t)n : CHUNK;

		r = get(b, piece, chunk);
		if (r == 1 && rarog_write_all(fd, piece, chunk) < 0)
			return rarog_fail_errno("%s: cannot write", b->temporary);
		n -= piece;
	}
	if (r <= 0)
		return r < 0 ? r : cut_off(b);
	return rarog_parcel_verify(b->temporary, wanted);
}

static int skip_damaged(struct reader *b, uint64_t end)
{
	rarog_warn("%s: profile %" PRIu64 " of %" PRIu64 " is damaged; left out", b->path,
		   b->result.parcels + 1, b->parcels);
	rarog_error_clear();
	b->result.damaged++;
	b->result.parcels++;
	b->at = end;
	return 0;
}

/* 1: the parcel's words, 0: they are damaged. */
static int read_words(struct reader *b, const uint8_t *head, struct rarog_parcel *parcel)
{
	uint32_t n = rarog_load_u32(head + 4);
	rarog_cleanup(rarog_freep) char *words = n <= WORDS_MOST ? malloc(n + 1) : NULL;
	struct rarog_hash hash;
	int r = words ? get(b, n, words) : 0;

	if (n > WORDS_MOST)
		return 0;
	if (!words)
		return rarog_oom();
	if (r <= 0)
		return r < 0 ? r : cut_off(b);
	rarog_hash_bytes(n, words, &hash);
	if (memcmp(hash.bytes, head + 16, sizeof(hash.bytes)) != 0)
		return 0;
	r = rarog_parcel_parse(b->path, n, words, parcel);
	return r == -EBADMSG ? 0 : r < 0 ? r : 1;
}

static int add_parcel(struct reader *b, const struct rarog_parcel *parcel, uint64_t n, uint64_t end)
{
	int there = rarog_parcel_has(b->store, parcel), r = 1;

	if (there < 0)
		return there;
	if (!there && n > 0)
		r = unpack(b, n, &parcel->object);
	if (r < 0)
		return r;
	if (r == 1) {
		r = rarog_portion_add(&b->portion, parcel, n > 0 && !there ? b->temporary : NULL);
		if (r < 0 && r != -EBADMSG)
			return r;
	} else {
		r = -EBADMSG;
	}
	if (r == -EBADMSG)
		return skip_damaged(b, end);
	b->result.added += r == 1;
	b->result.known += r == 0;
	b->result.bytes += r == 1 ? parcel->bytes : 0;
	b->result.parcels++;
	b->at = end;
	return 0;
}

static int read_parcel(struct reader *b, const uint8_t *head)
{
	rarog_cleanup(rarog_parcel_release) struct rarog_parcel parcel = { 0 };
	uint64_t n = rarog_load_u64(head + 8), end = b->at + rarog_load_u32(head + 4) + n;
	int r;

	if (end > b->size || end < b->at)
		return cut_off(b);
	r = read_words(b, head, &parcel);
	if (r == 1 && memcmp(parcel.object.bytes, head + 48, sizeof(parcel.object.bytes)) != 0)
		r = 0;
	if (r <= 0)
		return r < 0 ? r : skip_damaged(b, end);
	return add_parcel(b, &parcel, n, end);
}

static int read_parcels(struct reader *b, void (*progress)(uint64_t done, uint64_t all, void *user),
			void *user)
{
	uint8_t head[PARCEL_HEAD];
	int r = 0;

	while (r == 0 && b->result.parcels < b->parcels) {
		uint64_t start = b->at;

		r = get(b, sizeof(head), head);
		if (r <= 0)
			return r < 0 ? r : cut_off(b);
		if (memcmp(head, "RPCL", 4) != 0 || !is_sealed(head, sizeof(head)))
			return rarog_fail(-EBADMSG,
					  "%s: damaged at byte %" PRIu64 ": %" PRIu64 " of %" PRIu64
					  " profiles stand before it and are kept",
					  b->path, start, b->result.parcels, b->parcels);
		r = read_parcel(b, head);
		if (progress)
			progress(b->result.parcels, b->parcels, user);
	}
	if (r == 0 && (get(b, HEAD, head) != 1 || memcmp(head, "REND", 4) != 0))
		return cut_off(b);
	return r;
}

static int open_bundle(struct reader *b)
{
	rarog_cleanup(rarog_freep) char *folder = NULL;
	struct stat status;
	int r;

	b->fd = rarog_file_open(b->path);
	if (b->fd < 0)
		return b->fd;
	if (fstat(b->fd, &status) < 0)
		return rarog_fail_errno("%s: cannot open", b->path);
	b->size = (uint64_t)status.st_size;
	r = rarog_store_place(b->store, RAROG_PLACE_TMP, &folder);
	if (r < 0)
		return r;
	b->temporary = rarog_asprintf("%s/bundle-%ld.rarog", folder, (long)getpid());
	return b->temporary ? read_head(b) : rarog_oom();
}

int rarog_bundle_import(struct rarog_store *store, const char *path,
			void (*progress)(uint64_t done, uint64_t all, void *user), void *user,
			struct rarog_bundle_result *ret_result)
{
	struct reader b = { .store = store, .portion = { .store = store }, .path = path, .fd = -1 };
	int r = open_bundle(&b), kept;

	if (r == 0)
		r = read_parcels(&b, progress, user);
	/* what was whole is kept, whatever came after it */
	kept = r == 0 || r == -EBADMSG ? rarog_portion_end(&b.portion) : 0;
	rarog_portion_release(&b.portion);
	if (b.temporary)
		unlink(b.temporary);
	free(b.temporary);
	rarog_closep(&b.fd);
	*ret_result = b.result;
	return kept < 0 ? kept : r;
}
