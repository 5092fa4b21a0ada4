/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/derived.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/store-own.h"

#define LIMIT (1u << 30)

static int put_inputs(struct rarog_store *store, int64_t id, size_t n,
		      const struct rarog_hash inputs[])
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = rarog_sql_run(&store->sql, "INSERT OR IGNORE INTO derived_input VALUES(?, ?)",
				  "hi", &inputs[i], id);
	return r < 0 ? r : 0;
}

static int put_row(struct rarog_store *store, const struct rarog_derived *d, uint64_t bytes)
{
	int64_t version = 0;
	int r = d->version ? rarog_version_id(store, d->version, &version) : 0;

	if (r < 0)
		return r;
	return rarog_sql_run(
		&store->sql,
		"INSERT OR REPLACE INTO derived(kind, key, object, bytes, version, base,"
		" verdict, changes, made) VALUES(?, ?, ?, ?, nullif(?, 0), ?, ?, ?, ?)",
		"thhiittii", d->kind, &d->key, &d->object, (int64_t)bytes, version, d->base,
		d->verdict ? d->verdict : "", (int64_t)d->changes,
		(int64_t)(d->made_ns ? d->made_ns : rarog_epoch_ns()));
}

static int put(struct rarog_store *store, struct rarog_derived *derived, size_t n,
	       const void *bytes, size_t n_inputs, const struct rarog_hash inputs[])
{
	int r = rarog_object_put(store->objects, n, bytes, &derived->object);

	if (r >= 0)
		r = rarog_store_begin(store);
	if (r < 0)
		return r;
	r = put_row(store, derived, n);
	if (r >= 0)
		r = put_inputs(store, sqlite3_last_insert_rowid(store->sql.db), n_inputs, inputs);
	if (r < 0) {
		rarog_store_rollback(store);
		return r;
	}
	return rarog_store_commit(store);
}

int rarog_derived_put(struct rarog_store *store, struct rarog_derived *derived, size_t n,
		      const void *bytes, size_t n_inputs, const struct rarog_hash inputs[])
{
	int r = rarog_store_writable(store);

	if (r == 0)
		r = rarog_store_hold(store);
	if (r < 0)
		return r;
	r = put(store, derived, n, bytes, n_inputs, inputs);
	rarog_store_let_go(store);
	return r;
}

int rarog_derived_read(struct rarog_store *store, const char *kind, const struct rarog_hash *key,
		       char **ret_bytes, size_t *ret_n)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	struct rarog_hash object;
	int r = rarog_sql_query(&store->sql, &query,
				"SELECT object FROM derived WHERE kind = ? AND key = ?", "th", kind,
				key);

	if (r == 0)
		r = rarog_query_step(&query);
	if (r <= 0)
		return r;
	rarog_query_hash(&query, 0, &object);
	r = rarog_object_read(store->objects, &object, LIMIT, ret_bytes, ret_n);
	if (r == -ENOENT || r == -EBADMSG) { /* it can be made again: not found */
		rarog_error_clear();
		return 0;
	}
	return r < 0 ? r : 1;
}

int rarog_derived_of(struct rarog_store *store, const char *kind, const struct rarog_hash *input,
		     int (*visit)(const char *bytes, size_t n, void *user), void *user)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(
		&store->sql, &query,
		"SELECT d.object FROM derived_input i JOIN derived d ON d.id ="
		" i.derived WHERE i.object = ? AND d.kind = ? ORDER BY d.made, d.id",
		"ht", input, kind);

	while (r == 0) {
		rarog_cleanup(rarog_freep) char *bytes = NULL;
		struct rarog_hash object;
		size_t n;

		r = rarog_query_step(&query);
		if (r <= 0)
			return r;
		rarog_query_hash(&query, 0, &object);
		r = rarog_object_read(store->objects, &object, LIMIT, &bytes, &n);
		if (r == -ENOENT || r == -EBADMSG) {
			rarog_error_clear();
			r = 0;
			continue;
		}
		r = r < 0 ? r : visit(bytes, n, user);
	}
	return r;
}
