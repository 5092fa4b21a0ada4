/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of a commit is objects, then rows: a row never names an object that is not on disk.
 * The lock (store-lock.c) keeps gc's sweep apart from those two steps (doc/design/store.md).
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "store/store-own.h"

#define TIMEOUT_NS (300ull * 1000000000)

/* --- open and close --- */

static int read_id(struct rarog_store *store)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query, "SELECT value FROM setting WHERE key = 'id'",
				"");

	if (r == 0)
		r = rarog_query_step(&query);
	if (r > 0)
		snprintf(store->id, sizeof(store->id), "%s", rarog_query_text(&query, 0));
	return r < 0 ? r : 0;
}

int rarog_store_open_parts(struct rarog_store *store, const struct rarog_store_options *options)
{
	rarog_cleanup(rarog_freep) char *objects = rarog_asprintf("%s/objects", store->path);
	int r = objects ? 0 : rarog_oom();

	if (r == 0 && options->create)
		r = rarog_mkdirs(store->path, 0777);
	if (r == 0)
		r = rarog_catalogue_open(store, options);
	if (r == 0)
		r = rarog_objects_open(objects, options->create && !store->is_read_only,
				       &store->objects);
	return r < 0 ? r : read_id(store);
}

struct rarog_store *rarog_store_new(const char *path)
{
	rarog_cleanup(rarog_store_freep) struct rarog_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->lock = -1;
	store->timeout_ns = TIMEOUT_NS;
	store->path = strdup(path);
	return store->path ? rarog_take(store) : NULL;
}

int rarog_store_open(const char *path, const struct rarog_store_options *options,
		     struct rarog_store **ret_store)
{
	static const struct rarog_store_options defaults;
	rarog_cleanup(rarog_store_freep) struct rarog_store *store = rarog_store_new(path);
	int r;

	if (!store)
		return rarog_oom();
	options = options ? options : &defaults;
	if (options->timeout_ns)
		store->timeout_ns = options->timeout_ns;
	r = rarog_store_open_parts(store, options);
	if (r < 0)
		return r;
	*ret_store = rarog_take(store);
	return 0;
}

void rarog_store_close_unpacked(struct rarog_store *store, size_t n)
{
	while (store->unpacked.n > n)
		close(store->unpacked.v[--store->unpacked.n]);
}

void rarog_store_free(struct rarog_store *store)
{
	if (!store)
		return;
	while (store->depth > 0)
		rarog_store_rollback(store);
	rarog_objects_free(store->objects);
	rarog_sql_close(&store->sql);
	if (store->lock >= 0)
		close(store->lock);
	rarog_store_close_unpacked(store, 0);
	rarog_vec_release(&store->unpacked);
	free(store->path);
	free(store);
}

const char *rarog_store_path(const struct rarog_store *store)
{
	return store->path;
}

bool rarog_store_is_read_only(const struct rarog_store *store)
{
	return store->is_read_only;
}

struct rarog_objects *rarog_store_objects(struct rarog_store *store)
{
	return store->objects;
}

const char *rarog_store_id(const struct rarog_store *store)
{
	return store->id;
}

int rarog_store_writable(struct rarog_store *store)
{
	if (!store->is_read_only)
		return 0;
	return rarog_fail(
		-EROFS,
		"%s: the store can only be read: it is not writable, or its file system is "
		"full (some 200 KiB must be free, also for gc)",
		store->path);
}

int rarog_store_place(struct rarog_store *store, enum rarog_store_place place, char **ret_path)
{
	static const char *const names[] = { "pending", "builds", "worktrees",
					     "history", "tmp",    "quarantine" };
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", store->path, names[place]);
	int r = 0;

	if (!path)
		return rarog_oom();
	if (!store->is_read_only)
		r = rarog_mkdirs(path, 0777);
	if (r < 0)
		return r;
	*ret_path = rarog_take(path);
	return 0;
}

/* --- transactions --- */

int rarog_store_begin(struct rarog_store *store)
{
	int r = rarog_store_writable(store);

	if (r < 0)
		return r;
	if (store->depth > 0) {
		store->depth++;
		return 0;
	}
	r = rarog_store_hold(store);
	if (r < 0)
		return r;
	r = rarog_sql_script(&store->sql, "BEGIN IMMEDIATE");
	if (r < 0) {
		rarog_store_let_go(store);
		return r;
	}
	store->depth = 1;
	store->is_doomed = false;
	rarog_objects_begin(store->objects);
	return 0;
}

static void undo(struct rarog_store *store)
{
	store->depth = 0;
	rarog_objects_abandon(store->objects);
	sqlite3_exec(store->sql.db, "ROLLBACK", NULL, NULL, NULL);
	rarog_store_let_go(store);
}

int rarog_store_commit(struct rarog_store *store)
{
	int r;

	if (store->depth > 1) {
		store->depth--;
		return 0;
	}
	if (store->is_doomed) {
		undo(store);
		return rarog_fail(-ECANCELED, "%s: a part of the transaction had failed",
				  store->path);
	}
	r = rarog_objects_flush(store->objects);
	if (r == 0)
		r = rarog_sql_script(&store->sql, "COMMIT");
	if (r < 0) {
		undo(store);
		return r;
	}
	store->depth = 0;
	rarog_store_let_go(store);
	return 0;
}

void rarog_store_rollback(struct rarog_store *store)
{
	if (store->depth > 1) {
		store->depth--;
		store->is_doomed = true;
		return;
	}
	if (store->depth == 1)
		undo(store);
}

/* --- settings --- */

int rarog_store_get(struct rarog_store *store, const char *key, char **ret_value)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query, "SELECT value FROM setting WHERE key = ?", "t",
				key);

	if (r == 0)
		r = rarog_query_step(&query);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	*ret_value = strdup(rarog_query_text(&query, 0));
	return *ret_value ? 0 : rarog_oom();
}

int rarog_store_set(struct rarog_store *store, const char *key, const char *value)
{
	int r = rarog_store_begin(store);

	if (r < 0)
		return r;
	if (value)
		r = rarog_sql_run(&store->sql, "INSERT OR REPLACE INTO setting VALUES(?, ?)", "tt",
				  key, value);
	else
		r = rarog_sql_run(&store->sql, "DELETE FROM setting WHERE key = ?", "t", key);
	if (r < 0) {
		rarog_store_rollback(store);
		return r;
	}
	return rarog_store_commit(store);
}
