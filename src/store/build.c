/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds, by key. builds/KEY.lock is held exclusively to build and shared to use; a row
 * is written when the build is complete. A directory without a row is half made: the process that
 * holds the lock may remove it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "store/attempt.h"
#include "store/remove-tree.h"
#include "store/store-own.h"

#define KEY_DIGITS 32 /* of a path: every build's has the same length */

static char *path_of(struct rarog_store *store, const struct rarog_hash *key, const char *suffix)
{
	return rarog_asprintf("%s/builds/%.*s%s", store->path, KEY_DIGITS, rarog_hash_hex(key).text,
			      suffix);
}

static int open_lock(struct rarog_store *store, const struct rarog_hash *key, int operation)
{
	rarog_cleanup(rarog_freep) char *path = path_of(store, key, ".lock");
	rarog_cleanup(rarog_closep) int fd = -1;

	if (!path)
		return rarog_oom();
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return rarog_fail_errno("%s: cannot open", path);
	while (flock(fd, operation) < 0) {
		if (errno == EWOULDBLOCK)
			return -EAGAIN;
		if (errno != EINTR)
			return rarog_fail_errno("%s: cannot lock", path);
	}
	return rarog_take_fd(&fd);
}

/* 1 known, 0 not. */
static int find(struct rarog_store *store, struct rarog_kept_build *build)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query,
				"SELECT good, log, bytes, used FROM build WHERE key = ?", "h",
				&build->key);

	if (r == 0)
		r = rarog_query_step(&query);
	if (r <= 0)
		return r;
	build->is_good = rarog_query_int(&query, 0) != 0;
	rarog_query_hash(&query, 1, &build->log);
	build->bytes = (uint64_t)rarog_query_int(&query, 2);
	build->used_ns = (uint64_t)rarog_query_int(&query, 3);
	if (build->is_good && access(build->path, F_OK) < 0)
		return 0; /* the directory was removed */
	return 1;
}

static int touch(struct rarog_store *store, const struct rarog_hash *key)
{
	int r = rarog_sql_run(&store->sql, "UPDATE build SET used = ? WHERE key = ?", "ih",
			      (int64_t)rarog_epoch_ns(), key);

	return r < 0 ? r : 0;
}

static int begin(struct rarog_kept_build *build)
{
	int r = rarog_remove_tree(build->path);

	if (r < 0)
		return r;
	if (mkdir(build->path, 0777) < 0)
		return rarog_fail_errno("%s: cannot make the directory", build->path);
	return 1;
}

/* A ready build is used under a shared lock, so that pruning leaves it alone. */
static int use(struct rarog_store *store, struct rarog_kept_build *build)
{
	if (flock(build->lock, LOCK_SH) < 0)
		return rarog_fail_errno("%s: cannot lock", build->path);
	return touch(store, &build->key);
}

int rarog_build_claim(struct rarog_store *store, const struct rarog_hash *key,
		      struct rarog_kept_build *ret_build)
{
	rarog_cleanup(rarog_freep) char *folder = NULL;
	struct rarog_kept_build build = { .key = *key, .lock = -1 };
	int r = rarog_store_writable(store);

	if (r == 0)
		r = rarog_store_place(store, RAROG_PLACE_BUILDS, &folder);
	if (r < 0)
		return r;
	build.path = path_of(store, key, "");
	build.lock = build.path ? open_lock(store, key, LOCK_EX) : rarog_oom();
	r = build.lock < 0 ? build.lock : find(store, &build);
	if (r >= 0)
		r = r > 0 ? use(store, &build) : begin(&build);
	if (r < 0) {
		if (build.lock >= 0)
			close(build.lock);
		free(build.path);
		return r;
	}
	*ret_build = build;
	return r;
}

int rarog_build_again(struct rarog_store *store, struct rarog_kept_build *build)
{
	int r;

	if (flock(build->lock, LOCK_EX) < 0)
		return rarog_fail_errno("%s: cannot lock", build->path);
	r = rarog_sql_run(&store->sql, "DELETE FROM build WHERE key = ?", "h", &build->key);
	build->is_good = false;
	build->used_ns = 0;
	build->log = (struct rarog_hash){ 0 };
	return r < 0 ? r : begin(build);
}

int rarog_build_finish(struct rarog_store *store, struct rarog_kept_build *build, bool is_good,
		       const struct rarog_hash *log)
{
	int r = is_good ? 0 : rarog_remove_tree(build->path);

	if (r < 0)
		return r;
	build->is_good = is_good;
	build->bytes = is_good ? rarog_tree_bytes(build->path) : 0;
	if (log)
		build->log = *log;
	r = rarog_sql_run(&store->sql, "INSERT OR REPLACE INTO build VALUES(?, ?, ?, ?, ?)",
			  "hihii", &build->key, (int64_t)is_good, log, (int64_t)build->bytes,
			  (int64_t)rarog_epoch_ns());
	if (r < 0)
		return r;
	build->used_ns = 1; /* finished: release() keeps it */
	return flock(build->lock, LOCK_SH) < 0 ? rarog_fail_errno("%s: cannot lock", build->path)
					       : 0;
}

void rarog_build_release(struct rarog_kept_build *build)
{
	if (build->lock >= 0 && build->used_ns == 0)
		rarog_remove_tree(build->path);
	if (build->lock >= 0)
		close(build->lock);
	free(build->path);
	*build = (struct rarog_kept_build)RAROG_BUILD_NONE;
}

/* --- pruning --- */

struct old_build {
	struct rarog_hash key;
	uint64_t bytes;
};

typedef RAROG_VEC(struct old_build) builds_t;

static int list(struct rarog_store *store, builds_t *builds, uint64_t *ret_sum)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query, "SELECT key, bytes FROM build ORDER BY used",
				"");

	while (r == 0 && (r = rarog_query_step(&query)) > 0) {
		struct old_build build = { .bytes = (uint64_t)rarog_query_int(&query, 1) };

		rarog_query_hash(&query, 0, &build.key);
		*ret_sum += build.bytes;
		r = rarog_vec_push(builds, build);
	}
	return r < 0 ? r : 0;
}

/* 1 removed, 0 in use. */
static int prune_one(struct rarog_store *store, const struct rarog_hash *key)
{
	rarog_cleanup(rarog_freep) char *path = path_of(store, key, "");
	rarog_cleanup(rarog_freep) char *lock_path = path_of(store, key, ".lock");
	rarog_cleanup(rarog_closep) int lock = open_lock(store, key, LOCK_EX | LOCK_NB);
	int r;

	if (lock < 0)
		return lock == -EAGAIN ? 0 : lock;
	if (!path || !lock_path)
		return rarog_oom();
	r = rarog_sql_run(&store->sql, "DELETE FROM build WHERE key = ?", "h", key);
	if (r >= 0)
		r = rarog_remove_tree(path);
	/* the lock file stays: a waiter holds it open */
	return r < 0 ? r : 1;
}

int rarog_builds_prune(struct rarog_store *store, uint64_t max_bytes, uint64_t *ret_bytes)
{
	builds_t builds = { 0 };
	uint64_t sum = 0, freed = 0;
	int r = rarog_store_writable(store);

	if (r == 0)
		r = list(store, &builds, &sum);
	for (size_t i = 0; r >= 0 && i < builds.n && sum - freed > max_bytes; i++) {
		r = builds.v[i].bytes > 0 || max_bytes == 0 ? prune_one(store, &builds.v[i].key)
							    : 0;
		freed += r > 0 ? builds.v[i].bytes : 0;
	}
	rarog_vec_release(&builds);
	if (r < 0)
		return r;
	if (ret_bytes)
		*ret_bytes = freed;
	return 0;
}
