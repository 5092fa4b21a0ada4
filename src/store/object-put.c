/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing objects. A draft in tmp/ is written and hashed in one pass, brought to disk, and renamed
 * to its name; the directories are brought to disk last. A process that is killed leaves a draft in
 * tmp/ and nothing else. In a batch all drafts wait for one syncfs().
 */
#include "store/object.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "store/object-canonical.h"
#include "store/object-folder.h"

/* --- drafts --- */

static int draft_open(struct rarog_objects *objects, struct rarog_object_draft *draft)
{
	static unsigned counter;
	int fd;

	for (;;) {
		free(draft->path);
		draft->path = rarog_asprintf("%s/object-%d-%u", objects->temporary, (int)getpid(),
					     __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED));
		if (!draft->path)
			return rarog_oom();
		fd = open(draft->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
		if (fd >= 0)
			return fd;
		if (errno == ENOENT) {
			int r = rarog_mkdirs(objects->temporary, 0777);

			if (r < 0)
				return r;
		} else if (errno != EEXIST) { /* a file of a dead process with our pid: next name */
			int r = rarog_fail_errno("%s: cannot write to the store",
						 objects->temporary);

			free(rarog_take(draft->path));
			return r;
		}
	}
}

struct source {
	size_t n;
	const void *bytes; /* or */
	int fd;
	const char *name;
};

static int write_chunk(int to, size_t n, const void *bytes, const char *path)
{
	int r = rarog_write_all(to, n, bytes);

	if (r < 0)
		return rarog_fail(r, "%s: cannot write to the store: %s", path, strerror(-r));
	return 0;
}

static int copy_and_hash(const struct source *from, int to, struct rarog_object_draft *draft)
{
	char chunk[65536];
	struct sha256_ctx context;

	sha256_init(&context);
	for (;;) {
		ssize_t n = read(from->fd, chunk, sizeof(chunk));
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rarog_fail_errno("%s: cannot read", from->name);
		if (n == 0)
			break;
		sha256_update(&context, (size_t)n, (const uint8_t *)chunk);
		draft->bytes += (uint64_t)n;
		r = write_chunk(to, (size_t)n, chunk, draft->path);
		if (r < 0)
			return r;
	}
	sha256_digest(&context, sizeof(draft->hash.bytes), draft->hash.bytes);
	return 0;
}

/* A profile goes by its canonical encoding; one that has none, because a part of it is damaged, by
 * its bytes: what is left of it is kept all the same. */
static int name_profile(struct rarog_object_draft *draft)
{
	int r = rarog_is_profile_at(draft->path) ? rarog_canonical_hash(draft->path, &draft->hash)
						 : 0;

	if (r == 0 || r == -ENOMEM)
		return r;
	rarog_error_clear();
	return 0;
}

static int copy_named(const struct source *from, int to, struct rarog_object_draft *draft)
{
	int r = copy_and_hash(from, to, draft);

	return r == 0 ? name_profile(draft) : r;
}

static int fill(const struct source *from, int to, struct rarog_object_draft *draft)
{
	if (!from->bytes)
		return copy_named(from, to, draft);
	rarog_hash_bytes(from->n, from->bytes, &draft->hash);
	draft->bytes = from->n;
	return write_chunk(to, from->n, from->bytes, draft->path);
}

/* --- names --- */

static int sync_directory(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		return rarog_fail_errno("%s: cannot bring to disk", path);
	return 0;
}

/* The folder objects/xx. Returns 1 if it had to be made. */
static int make_folder(struct rarog_objects *objects, const char *path)
{
	size_t length = (size_t)(strrchr(path, '/') - path);
	rarog_cleanup(rarog_freep) char *folder = strndup(path, length);

	if (!folder)
		return rarog_oom();
	if (mkdir(folder, 0777) == 0)
		return 1;
	if (errno == ENOENT) { /* the store's first object */
		int r = rarog_mkdirs(objects->path, 0777);

		if (r < 0)
			return r;
		return mkdir(folder, 0777) == 0 || errno == EEXIST
			       ? 1
			       : rarog_fail_errno("%s: cannot make the directory", folder);
	}
	return errno == EEXIST ? 0 : rarog_fail_errno("%s: cannot make the directory", folder);
}

static int sync_folder_of(struct rarog_objects *objects, const char *path, bool is_new)
{
	size_t length = (size_t)(strrchr(path, '/') - path);
	rarog_cleanup(rarog_freep) char *folder = strndup(path, length);
	int r;

	if (!folder)
		return rarog_oom();
	r = sync_directory(folder);
	return r == 0 && is_new ? sync_directory(objects->path) : r;
}

/* Gives the draft its name; without_sync: another call brings the directories to disk. */
static int name_draft(struct rarog_objects *objects, struct rarog_object_draft *draft,
		      bool without_sync)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(objects, &draft->hash);
	int made;

	if (!path)
		return rarog_oom();
	made = make_folder(objects, path);
	if (made < 0)
		return made;
	if (rename(draft->path, path) < 0)
		return rarog_fail_errno("%s: cannot create", path);
	free(rarog_take(draft->path));
	return without_sync ? 0 : sync_folder_of(objects, path, made == 1);
}

/* There already and sound: then its time is renewed, which keeps gc away. */
static bool is_kept(struct rarog_objects *objects, const struct rarog_hash *hash)
{
	rarog_cleanup(rarog_freep) char *path = NULL;

	if (!rarog_object_exists(objects, hash))
		return false;
	if (rarog_object_verify(objects, hash) < 0) {
		rarog_error_clear();
		return false;
	}
	if (!rarog_object_is_loose(objects, hash))
		return true; /* gc looks again for rows before it drops it from its pack */
	path = rarog_object_path(objects, hash);
	if (path)
		utimensat(AT_FDCWD, path, NULL, 0); /* best effort: another user's file is kept by
						     * its row */
	return true;
}

static bool is_in_batch(const struct rarog_objects *objects, const struct rarog_hash *hash)
{
	for (size_t i = objects->batch.n; i-- > 0;)
		if (rarog_hash_equal(&objects->batch.v[i].hash, hash))
			return true;
	return false;
}

/* Complete, hashed, written: keep it, now or with the batch. */
static int settle(struct rarog_objects *objects, int fd, struct rarog_object_draft *draft)
{
	int r;

	if (is_in_batch(objects, &draft->hash) || is_kept(objects, &draft->hash))
		return 0;
	if (objects->in_batch) {
		r = rarog_vec_push(&objects->batch, *draft);
		if (r < 0)
			return rarog_oom();
		draft->path = NULL;
		return 1;
	}
	if (fsync(fd) < 0)
		return rarog_fail_errno("%s: cannot bring to disk", draft->path);
	r = name_draft(objects, draft, false);
	return r < 0 ? r : 1;
}

static int put(struct rarog_objects *objects, const struct source *from,
	       struct rarog_hash *ret_hash, uint64_t *ret_bytes)
{
	rarog_cleanup(rarog_object_draft_release) struct rarog_object_draft draft = { 0 };
	rarog_cleanup(rarog_closep) int fd = draft_open(objects, &draft);
	int r;

	if (fd < 0)
		return fd;
	r = fill(from, fd, &draft);
	if (r < 0)
		return r;
	r = settle(objects, fd, &draft);
	if (r < 0)
		return r;
	*ret_hash = draft.hash;
	if (ret_bytes)
		*ret_bytes = draft.bytes;
	return r;
}

int rarog_object_put(struct rarog_objects *objects, size_t n, const void *bytes,
		     struct rarog_hash *ret_hash)
{
	const struct source from = { .n = n, .bytes = bytes ? bytes : "", .fd = -1 };

	return put(objects, &from, ret_hash, NULL);
}

int rarog_object_put_file(struct rarog_objects *objects, const char *path,
			  struct rarog_hash *ret_hash, uint64_t *ret_bytes)
{
	rarog_cleanup(rarog_closep) int fd = rarog_file_open(path);
	const struct source from = { .fd = fd, .name = path };

	if (fd < 0)
		return fd;
	return put(objects, &from, ret_hash, ret_bytes);
}

/* --- batches --- */

void rarog_objects_begin(struct rarog_objects *objects)
{
	objects->in_batch = true;
}

static int sync_file_system(struct rarog_objects *objects)
{
	rarog_cleanup(rarog_closep) int fd =
		open(objects->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || syncfs(fd) < 0)
		return rarog_fail_errno("%s: cannot bring to disk", objects->path);
	return 0;
}

/* One file: two flushes of its own are cheaper than two of the whole disk. */
static int flush_one(struct rarog_objects *objects, struct rarog_object_draft *draft)
{
	rarog_cleanup(rarog_closep) int fd = open(draft->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return rarog_fail_errno("%s: cannot bring to disk", draft->path);
	return name_draft(objects, draft, false);
}

static int flush_all(struct rarog_objects *objects)
{
	int r = sync_file_system(objects);

	for (size_t i = 0; r == 0 && i < objects->batch.n; i++)
		r = name_draft(objects, &objects->batch.v[i], true);
	return r < 0 ? r : sync_file_system(objects);
}

int rarog_objects_flush(struct rarog_objects *objects)
{
	int r = 0;

	if (objects->batch.n == 1)
		r = flush_one(objects, &objects->batch.v[0]);
	else if (objects->batch.n > 1)
		r = flush_all(objects);
	rarog_objects_abandon(objects);
	return r;
}
