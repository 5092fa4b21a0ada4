/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading the objects folder. Invariant: a file called objects/xx/rest was complete and on disk
 * before it got that name (object-put.c), so wrong content means that something else changed it.
 */
#include "store/object.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "store/object-canonical.h"
#include "store/object-folder.h"

int rarog_objects_open(const char *path, bool create, struct rarog_objects **ret_objects)
{
	rarog_cleanup(rarog_objects_freep) struct rarog_objects *objects =
		calloc(1, sizeof(*objects));
	int r = 0;

	if (!objects)
		return rarog_oom();
	objects->path = strdup(path);
	objects->temporary = rarog_asprintf("%s/../tmp", path);
	objects->packs_path = rarog_asprintf("%s/../packs", path);
	if (!objects->path || !objects->temporary || !objects->packs_path)
		return rarog_oom();
	if (create)
		r = rarog_mkdirs(path, 0777);
	if (r < 0)
		return r;
	*ret_objects = rarog_take(objects);
	return 0;
}

void rarog_object_draft_release(struct rarog_object_draft *draft)
{
	if (draft->path)
		unlink(draft->path);
	free(draft->path);
	draft->path = NULL;
}

void rarog_objects_abandon(struct rarog_objects *objects)
{
	for (size_t i = 0; i < objects->batch.n; i++)
		rarog_object_draft_release(&objects->batch.v[i]);
	objects->batch.n = 0;
	objects->in_batch = false;
}

void rarog_objects_free(struct rarog_objects *objects)
{
	if (!objects)
		return;
	rarog_objects_abandon(objects);
	rarog_vec_release(&objects->batch);
	rarog_packs_release(objects);
	free(objects->packs_path);
	free(objects->path);
	free(objects->temporary);
	free(objects);
}

static int stat_object(const struct rarog_objects *objects, const struct rarog_hash *hash,
		       struct stat *ret_status)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(objects, hash);

	if (!path)
		return rarog_oom();
	return stat(path, ret_status) == 0 ? 0 : -errno;
}

bool rarog_object_is_loose(const struct rarog_objects *objects, const struct rarog_hash *hash)
{
	struct stat status;

	return stat_object(objects, hash, &status) == 0;
}

bool rarog_object_exists(struct rarog_objects *objects, const struct rarog_hash *hash)
{
	struct rarog_packfile_entry entry;
	struct rarog_packfile *pack;

	return rarog_object_is_loose(objects, hash) ||
	       rarog_object_packed(objects, hash, &pack, &entry) > 0;
}

static struct rarog_object_info info_of(const struct rarog_hash *hash, const struct stat *status)
{
	return (struct rarog_object_info){
		.hash = *hash,
		.bytes = (uint64_t)status->st_size,
		.disk_bytes = (uint64_t)status->st_blocks * 512,
		.changed_ns = rarog_timespec_ns(status->st_mtim),
	};
}

static struct rarog_object_info info_of_packed(const struct rarog_packfile_entry *entry)
{
	return (struct rarog_object_info){
		.hash = entry->hash,
		.bytes = entry->bytes,
		.disk_bytes = entry->packed,
		.changed_ns = entry->changed_ns,
		.is_packed = true,
	};
}

int rarog_object_info(struct rarog_objects *objects, const struct rarog_hash *hash,
		      struct rarog_object_info *ret_info)
{
	struct rarog_packfile_entry entry;
	struct rarog_packfile *pack;
	struct stat status;
	int r = stat_object(objects, hash, &status);

	if (r == -ENOENT) {
		r = rarog_object_packed(objects, hash, &pack, &entry);
		if (r <= 0)
			return r < 0 ? r : -ENOENT;
		*ret_info = info_of_packed(&entry);
		return 0;
	}
	if (r < 0)
		return rarog_fail(r, "object %s: %s", rarog_hash_hex(hash).text, strerror(-r));
	*ret_info = info_of(hash, &status);
	return 0;
}

/* --- content --- */

static int missing(const struct rarog_hash *hash)
{
	return rarog_fail(-ENOENT, "object %s is missing; rarog fsck tells what else is",
			  rarog_hash_hex(hash).text);
}

static int damaged(const struct rarog_hash *hash)
{
	return rarog_fail(-EBADMSG,
			  "object %s is damaged: its bytes are not those that were stored; "
			  "rarog fsck --repair moves it aside",
			  rarog_hash_hex(hash).text);
}

/* A packed profile's canonical encoding, proved. */
static int read_packed(struct rarog_objects *objects, const struct rarog_hash *hash, size_t limit,
		       uint8_t **ret_plain, size_t *ret_n)
{
	rarog_cleanup(rarog_freep) uint8_t *plain = NULL;
	struct rarog_packfile_entry entry;
	struct rarog_packfile *pack;
	struct rarog_hash found;
	size_t n = 0;
	int r = rarog_object_packed(objects, hash, &pack, &entry);

	if (r <= 0)
		return r < 0 ? r : missing(hash);
	if (entry.plain > limit)
		return rarog_fail(-EFBIG, "object %s is too long", rarog_hash_hex(hash).text);
	r = rarog_object_unpack(objects, pack, &entry, &plain, &n);
	if (r < 0)
		return r;
	rarog_hash_bytes(n, plain, &found);
	if (!rarog_hash_equal(&found, hash))
		return damaged(hash);
	*ret_plain = rarog_take(plain);
	*ret_n = n;
	return 0;
}

static int copy_packed(struct rarog_objects *objects, const struct rarog_hash *hash, size_t limit,
		       char **ret_bytes, size_t *ret_n)
{
	rarog_cleanup(rarog_freep) uint8_t *plain = NULL;
	size_t n = 0;
	int r = read_packed(objects, hash, limit, &plain, &n);
	char *bytes = r == 0 ? malloc(n + 1) : NULL;

	if (!bytes)
		return r < 0 ? r : rarog_oom();
	memcpy(bytes, plain, n);
	bytes[n] = '\0';
	*ret_bytes = bytes;
	if (ret_n)
		*ret_n = n;
	return 0;
}

int rarog_object_read(struct rarog_objects *objects, const struct rarog_hash *hash, size_t limit,
		      char **ret_bytes, size_t *ret_n)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(objects, hash);
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_hash found;
	size_t n = 0;
	int r;

	if (!path)
		return rarog_oom();
	r = rarog_file_read(path, limit, &bytes, &n);
	if (r == -ENOENT)
		return copy_packed(objects, hash, limit, ret_bytes, ret_n);
	if (r < 0)
		return r;
	rarog_hash_bytes(n, bytes, &found);
	if (!rarog_hash_equal(&found, hash))
		return damaged(hash);
	*ret_bytes = rarog_take(bytes);
	if (ret_n)
		*ret_n = n;
	return 0;
}

/* By its canonical encoding; a profile that has none (a damaged part was put so) goes by its bytes.
 */
static int verify_file(const char *path, int fd, const struct rarog_hash *hash)
{
	struct rarog_hash found;
	int r = rarog_is_profile_at(path) ? rarog_canonical_hash(path, &found) : -EBADMSG;

	if (r == -ENOMEM)
		return r;
	if (r == 0 && rarog_hash_equal(&found, hash))
		return 0;
	rarog_error_clear();
	r = rarog_hash_file(fd, path, &found, NULL);
	if (r < 0)
		return r == -EISDIR || r == -EIO ? damaged(hash) : r;
	return rarog_hash_equal(&found, hash) ? 0 : damaged(hash);
}

int rarog_object_verify(struct rarog_objects *objects, const struct rarog_hash *hash)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(objects, hash);
	rarog_cleanup(rarog_closep) int fd = path ? rarog_file_open(path) : -1;
	rarog_cleanup(rarog_freep) uint8_t *plain = NULL;
	size_t n;

	if (!path)
		return rarog_oom();
	if (fd == -ENOENT)
		return read_packed(objects, hash, RAROG_PACK_LONGEST, &plain, &n);
	if (fd == -EISDIR || fd == -EINVAL)
		return damaged(hash);
	if (fd < 0)
		return fd;
	return verify_file(path, fd, hash);
}

int rarog_object_remove(struct rarog_objects *objects, const struct rarog_hash *hash)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(objects, hash);

	if (!path)
		return rarog_oom();
	if (unlink(path) == 0 || errno == ENOENT)
		return 0;
	return rarog_fail_errno("%s: cannot remove", path);
}

/* --- all of them --- */

struct walk {
	int (*visit)(const struct rarog_object_info *info, void *user);
	int (*stray)(const char *path, void *user);
	void *user;
};

static void closedirp(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int visit_file(const struct walk *walk, DIR *directory, const char *folder,
		      const char *prefix, const char *name)
{
	char digits[RAROG_HASH_DIGITS + 1];
	struct rarog_hash hash;
	struct stat status;

	if (strlen(name) == RAROG_HASH_DIGITS - 2) {
		snprintf(digits, sizeof(digits), "%.2s%.62s", prefix, name);
		if (rarog_hash_parse(digits, &hash) == 0 &&
		    strcmp(rarog_hash_hex(&hash).text, digits) == 0) {
			struct rarog_object_info info;

			if (fstatat(dirfd(directory), name, &status, 0) < 0)
				return errno == ENOENT ? 0
						       : rarog_fail_errno("%s/%s", folder, name);
			info = info_of(&hash, &status);
			return walk->visit(&info, walk->user);
		}
	}
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", folder, name);

	if (!path)
		return rarog_oom();
	return walk->stray ? walk->stray(path, walk->user) : 0;
}

static int visit_folder(const struct walk *walk, const char *folder, const char *prefix)
{
	rarog_cleanup(closedirp) DIR *directory = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	if (!directory && errno == ENOTDIR)
		return walk->stray ? walk->stray(folder, walk->user) : 0;
	if (!directory)
		return rarog_fail_errno("%s: cannot read", folder);
	while (r == 0 && (entry = readdir(directory)) != NULL)
		if (!is_dot(entry->d_name))
			r = visit_file(walk, directory, folder, prefix, entry->d_name);
	return r;
}

static bool is_prefix(const char *name)
{
	return strlen(name) == 2 && strspn(name, "0123456789abcdef") == 2;
}

static int visit_pack(const struct walk *walk, const struct rarog_packfile *pack,
		      const struct rarog_objects *objects)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < pack->n; i++) {
		struct rarog_packfile_entry entry;
		struct rarog_object_info info;

		if (rarog_packfile_entry(pack, i, &entry) < 0) /* fsck looks at it */
			continue;
		info = info_of_packed(&entry);
		if (!rarog_object_is_loose(objects, &entry.hash))
			r = walk->visit(&info, walk->user);
	}
	return r;
}

static int visit_packs(const struct walk *walk, struct rarog_objects *objects)
{
	int r = rarog_packs_reload(objects);

	for (size_t i = 0; r == 0 && i < objects->packs.n; i++)
		r = visit_pack(walk, objects->packs.v[i], objects);
	return r;
}

static int visit_folders(const struct walk *walk, const struct rarog_objects *objects)
{
	rarog_cleanup(closedirp) DIR *directory = opendir(objects->path);
	const struct dirent *entry;
	int r = 0;

	if (!directory)
		return errno == ENOENT ? 0 : rarog_fail_errno("%s: cannot read", objects->path);
	while (r == 0 && (entry = readdir(directory)) != NULL) {
		rarog_cleanup(rarog_freep) char *path = NULL;

		if (is_dot(entry->d_name))
			continue;
		path = rarog_asprintf("%s/%s", objects->path, entry->d_name);
		if (!path)
			return rarog_oom();
		if (is_prefix(entry->d_name))
			r = visit_folder(walk, path, entry->d_name);
		else if (walk->stray)
			r = walk->stray(path, walk->user);
	}
	return r;
}

int rarog_objects_each(struct rarog_objects *objects,
		       int (*visit)(const struct rarog_object_info *info, void *user),
		       int (*stray)(const char *path, void *user), void *user)
{
	const struct walk walk = { .visit = visit, .stray = stray, .user = user };
	int r = visit_folders(&walk, objects);

	return r == 0 ? visit_packs(&walk, objects) : r;
}
