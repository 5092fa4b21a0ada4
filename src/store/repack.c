/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loose profiles and small packs become one pack. Profiles of one job follow each other in time,
 * and each is compressed against the last one that was kept whole: the base. The next base is due
 * after GROUP profiles, or when a profile has become so different that its base is of little use
 * (new build, other load).
 *
 * Frames of older packs are copied as they are. What nothing refers to any more is left out, unless
 * it is young or the base of one that stays. The new pack is complete and on disk before anything
 * goes; what was left out is looked for once more in the catalogue, under the exclusive lock,
 * before the old packs go. So a killed process leaves a file in tmp/, or an object twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "store/object-canonical.h"
#include "store/refer.h"
#include "store/repack-own.h"

#define GROUP   64
#define LONG    ((size_t)4 << 20)   /* canonical encodings over it are packed only if it pays */
#define LONGEST ((size_t)32 << 20)  /* and none over it: a packed profile is unpacked whole */
#define PACKED  "packed"            /* setting of the store: see remember() */
#define PORTION ((size_t)512 << 20) /* plain bytes in a pack */
#define BRIEF   ((size_t)32 << 20)  /* the same for house-keeping on the side: 2 s at most */

/* --- loose profiles --- */

static void end_group(struct rarog_repack *p)
{
	free(p->base_plain);
	p->base_plain = NULL;
	p->n_base = p->n_group = 0;
	p->least_packed = UINT64_MAX;
	p->excess = 0;
	p->base = -1;
}

/* The profile becomes the base of those that follow. */
static int64_t add_base(struct rarog_repack *p, struct rarog_packfile_entry *entry,
			uint8_t *take_plain)
{
	int64_t number;

	end_group(p);
	entry->base = RAROG_PACK_NO_BASE;
	number = rarog_packfile_add(p->writer, entry, take_plain, 0, NULL, &p->base_packed);
	p->base_plain = take_plain;
	p->n_base = (size_t)entry->plain;
	p->base = number;
	return number;
}

static int64_t add_profile(struct rarog_repack *p, struct rarog_packfile_entry *entry,
			   uint8_t *take_plain)
{
	uint64_t packed = 0;
	int64_t number;

	if (p->base < 0 || p->n_group >= GROUP)
		return add_base(p, entry, take_plain);
	entry->base = (uint32_t)p->base;
	number =
		rarog_packfile_add(p->writer, entry, take_plain, p->n_base, p->base_plain, &packed);
	p->n_group++;
	p->least_packed = packed < p->least_packed ? packed : p->least_packed;
	if (packed > p->least_packed / 8 * 9) /* more than noise */
		p->excess += packed - p->least_packed;
	if (packed + p->excess > p->base_packed)
		p->n_group = GROUP; /* the next one is a base */
	free(take_plain);
	return number;
}

/* Calls stand in the canonical encoding as they were stored: no base helps, and unpacking would
 * cost more than reading the file. Where most of it is tables, the canonical encoding is much
 * longer than the file.
 */
static bool is_worth_it(const struct rarog_repack *p, const struct rarog_object_info *info)
{
	uint64_t n = rarog_object_canonical_length(p->objects, &info->hash);

	return n <= LONG || (n <= LONGEST && n / 3 * 2 > info->bytes);
}

static int take_loose(struct rarog_repack *p, const struct rarog_object_info *info, int64_t job)
{
	struct rarog_packfile_entry entry = { .hash = info->hash,
					      .bytes = info->bytes,
					      .changed_ns = info->changed_ns };
	uint8_t *plain = NULL;
	size_t n = 0;
	int r = is_worth_it(p, info)
			? rarog_object_canonical(p->objects, &info->hash, LONGEST, &plain, &n)
			: -EFBIG;
	struct rarog_hash found;

	if (r == -ENOMEM)
		return r;
	if (r < 0) { /* too long, or damaged: it stays as it is */
		rarog_error_clear();
		return 0;
	}
	rarog_hash_bytes(n, plain, &found);
	if (!rarog_hash_equal(&found, &info->hash)) {
		free(plain);
		return 0;
	}
	if (job != p->job)
		end_group(p);
	p->job = job;
	p->done += n;
	entry.plain = n;
	int64_t number = add_profile(p, &entry, plain);

	if (number < 0)
		return (int)number;
	p->result->packed++;
	p->result->packed_bytes += info->disk_bytes;
	return rarog_vec_push(&p->taken, info->hash) < 0 ? rarog_oom() : 0;
}

/* A base that was copied goes on being one for later profiles of its job. */
static int continue_group(struct rarog_repack *p, const struct rarog_packfile *pack,
			  const struct rarog_packfile_entry *entry, int64_t number)
{
	uint8_t *plain = NULL;
	int r = rarog_packfile_canonical(pack, entry, 0, NULL, &plain);

	if (r == -EBADMSG) {
		rarog_error_clear();
		return 0;
	}
	if (r < 0)
		return r;
	end_group(p);
	p->base_plain = plain;
	p->n_base = (size_t)entry->plain;
	p->base_packed = entry->packed;
	p->base = number;
	return 0;
}

static int pass_packed(struct rarog_repack *p, const struct rarog_hash *hash, int64_t job)
{
	if (job != p->job)
		end_group(p);
	p->job = job;
	for (size_t i = 0; i < p->old.n; i++) {
		struct rarog_packfile_entry entry;
		uint32_t index;
		int r = rarog_packfile_find(p->old.v[i].pack, hash, &entry, &index);

		if (r < 0)
			return r;
		if (r == 0 || p->old.v[i].numbers[index] < 0)
			continue;
		p->n_group++;
		return entry.base != RAROG_PACK_NO_BASE
			       ? 0
			       : continue_group(p, p->old.v[i].pack, &entry,
						p->old.v[i].numbers[index]);
	}
	return 0;
}

/* One at a time, so that no statement is open for long. 1 a profile, 0 the end. */
struct position {
	int64_t job, started, id;
	struct rarog_hash object;
};

static int next_profile(struct rarog_store *store, struct position *at)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query,
				"SELECT job, started, id, object FROM profile"
				" WHERE (job, started, id) > (?, ?, ?)"
				" ORDER BY job, started, id LIMIT 1",
				"iii", at->job, at->started, at->id);

	if (r == 0)
		r = rarog_query_step(&query);
	if (r <= 0)
		return r;
	at->job = rarog_query_int(&query, 0);
	at->started = rarog_query_int(&query, 1);
	at->id = rarog_query_int(&query, 2);
	rarog_query_hash(&query, 3, &at->object);
	return 1;
}

static bool is_taken(const struct rarog_repack *p, const struct rarog_hash *hash)
{
	for (size_t i = p->taken.n; i-- > 0 && p->taken.n - i < 256;)
		if (rarog_hash_equal(&p->taken.v[i], hash))
			return true;
	return false;
}

static int take_next(struct rarog_repack *p, const struct position *at)
{
	struct rarog_object_info info;
	int r;

	if (is_taken(p, &at->object))
		return 0;
	if (!rarog_object_is_loose(p->objects, &at->object))
		return pass_packed(p, &at->object, at->job);
	r = rarog_object_info(p->objects, &at->object, &info);
	if (r == 0 && !info.is_packed)
		r = take_loose(p, &info, at->job);
	return r == -ENOENT ? 0 : r;
}

static int take_all_loose(struct rarog_repack *p)
{
	struct position at = { .job = INT64_MIN };
	int r = 0;

	while (r == 0 && p->done < p->portion) {
		r = next_profile(p->store, &at);
		if (r <= 0)
			return r;
		r = take_next(p, &at);
	}
	return r;
}

/* --- the exchange --- */

static int sync_folder(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		return rarog_fail_errno("%s: cannot bring to disk", path);
	return 0;
}

static int publish(struct rarog_repack *p, char **ret_path)
{
	rarog_cleanup(rarog_freep) char *path =
		rarog_asprintf("%s/%llu-%d.pack", p->objects->packs_path,
			       (unsigned long long)rarog_epoch_ns(), (int)getpid());
	int r = path ? rarog_packfile_finish(p->writer) : rarog_oom();

	if (r < 0)
		return r;
	if (rename(p->temporary, path) < 0) {
		r = rarog_fail_errno("%s: cannot create", path);
		unlink(p->temporary);
		return r;
	}
	*ret_path = rarog_take(path);
	return sync_folder(p->objects->packs_path);
}

/* Did a writer find one of those in an old pack that the new one has not? Under the lock. */
static int is_wanted(struct rarog_repack *p)
{
	int r = p->dropped.n > 0 ? rarog_refer_collect(p->store) : 0;

	for (size_t i = 0; r == 0 && i < p->dropped.n; i++)
		r = rarog_refer_has(p->store, &p->dropped.v[i]);
	return r;
}

static int exchange(struct rarog_repack *p, const char *path)
{
	int r = rarog_store_lock_all(p->store);

	if (r < 0)
		return r;
	r = is_wanted(p);
	if (r != 0)
		unlink(path); /* the old ones stay; next time */
	for (size_t i = 0; r == 0 && i < p->old.n; i++)
		unlink(p->old.v[i].pack->path);
	rarog_store_let_go(p->store);
	for (size_t i = 0; r == 0 && i < p->taken.n; i++)
		r = rarog_object_remove(p->objects, &p->taken.v[i]);
	return r < 0 ? r : 0;
}

/* --- all of it --- */

static int begin(struct rarog_repack *p)
{
	int r = rarog_mkdirs(p->objects->packs_path, 0777);

	if (r == 0)
		r = rarog_mkdirs(p->objects->temporary, 0777);
	if (r < 0)
		return r;
	p->temporary = rarog_asprintf("%s/pack-%d-%llu", p->objects->temporary, (int)getpid(),
				      (unsigned long long)rarog_epoch_ns());
	return p->temporary ? rarog_packfile_writer_new(p->temporary, &p->writer) : rarog_oom();
}

static int fill(struct rarog_repack *p)
{
	int r = rarog_refer_collect(p->store);

	if (r == 0)
		r = rarog_repack_old(p);
	return r == 0 ? take_all_loose(p) : r;
}

static int repack_once(struct rarog_repack *p)
{
	rarog_cleanup(rarog_freep) char *path = NULL;
	int r = begin(p);

	if (r == 0)
		r = fill(p);
	if (r < 0)
		return r;
	if (p->taken.n == 0 && p->dropped.n == 0 && p->old.n < 2)
		return 0; /* nothing would be different; the unfinished file goes */
	r = publish(p, &path);
	if (r == 0)
		r = exchange(p, path);
	return r < 0 ? r : p->done >= p->portion;
}

static void repack_release(struct rarog_repack *p)
{
	end_group(p);
	rarog_packfile_writer_free(p->writer);
	rarog_repack_old_release(p);
	rarog_vec_release(&p->dropped);
	rarog_vec_release(&p->taken);
	free(p->temporary);
}

/* One packer at a time; 1, 0 another one is at work. */
static int lock_packs(struct rarog_store *store, int *ret_fd)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/pack.lock", store->path);
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (!path)
		return rarog_oom();
	if (fd < 0)
		return rarog_fail_errno("%s: cannot open", path);
	*ret_fd = fd;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 1;
	return errno == EWOULDBLOCK ? 0 : rarog_fail_errno("%s: cannot lock", path);
}

/* The newest profile at the last packing stands among the store's settings. */
static int remember(struct rarog_store *store, int64_t newest)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)newest);
	return rarog_store_set(store, PACKED, text);
}

static int newest_profile(struct rarog_store *store, int64_t *ret_id)
{
	int r = rarog_sql_value(&store->sql, ret_id, "SELECT ifnull(max(id), 0) FROM profile", "");

	return r < 0 ? r : 0;
}

static int repack(struct rarog_store *store, const struct rarog_repack *how)
{
	rarog_cleanup(rarog_closep) int fd = -1;
	int64_t newest = 0;
	int r = rarog_store_writable(store), is_ours;

	if (r == 0)
		r = newest_profile(store, &newest);
	if (r == 0)
		r = lock_packs(store, &fd);
	is_ours = r;
	for (bool is_first = true; r > 0 && (is_first || how->portion == PORTION);
	     is_first = false) {
		struct rarog_repack p = *how;

		r = repack_once(&p);
		repack_release(&p);
	}
	return r >= 0 && is_ours > 0 ? remember(store, newest) : r;
}

static struct rarog_repack begin_repack(struct rarog_store *store, uint64_t drop_before_ns,
					size_t portion, struct rarog_repack_result *result)
{
	return (struct rarog_repack){ .store = store,
				      .objects = store->objects,
				      .drop_before_ns = drop_before_ns,
				      .portion = portion,
				      .result = result,
				      .job = INT64_MIN,
				      .base = -1 };
}

int rarog_store_repack(struct rarog_store *store, uint64_t drop_before_ns,
		       struct rarog_repack_result *ret_result)
{
	struct rarog_repack_result result = { 0 };
	const struct rarog_repack how = begin_repack(store, drop_before_ns, PORTION, &result);
	int r = repack(store, &how);

	if (r == 0 && ret_result)
		*ret_result = result;
	return r;
}

int rarog_store_repack_after(struct rarog_store *store, unsigned profiles)
{
	rarog_cleanup(rarog_freep) char *packed = NULL;
	struct rarog_repack_result result = { 0 };
	const struct rarog_repack how = begin_repack(store, 0, BRIEF, &result);
	int64_t newest = 0, last = 0;
	int r = newest_profile(store, &newest);

	if (r == 0)
		r = rarog_store_get(store, PACKED, &packed);
	if (r < 0 && r != -ENOENT)
		return r;
	if (packed)
		last = strtoll(packed, NULL, 10);
	if (newest >= last && newest - last < (int64_t)profiles)
		return 0; /* less than it: the catalogue was made anew */
	return repack(store, &how);
}
