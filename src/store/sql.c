/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waiting for other writers is ours, not SQLite's: its own handler backs off to 100 ms and is
 * unfair when several write without a pause. Ours sleeps 0.5 ... 4 ms, at random, for as long as
 * the store's timeout lasts.
 */
#include "store/sql.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

static int wait_for_others(void *user, int tries)
{
	struct rarog_sql *sql = user;
	uint64_t now = rarog_now_ns();
	struct timespec pause = { 0 };

	if (tries == 0)
		sql->waiting_since_ns = now;
	if (now - sql->waiting_since_ns > sql->timeout_ns)
		return 0;
	pause.tv_nsec = 500000 + (long)((now / 64 * 2654435761u) % 3500000);
	nanosleep(&pause, NULL);
	return 1;
}

int rarog_sql_open(struct rarog_sql *sql, const char *name, const char *path, int flags,
		   uint64_t timeout_ns)
{
	int code;

	*sql = (struct rarog_sql){ .timeout_ns = timeout_ns, .path = strdup(path) };
	if (!sql->path)
		return rarog_oom();
	code = sqlite3_open_v2(name, &sql->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (code != SQLITE_OK)
		return rarog_sql_fail(sql, code);
	sqlite3_busy_handler(sql->db, wait_for_others, sql);
	return 0;
}

void rarog_sql_close(struct rarog_sql *sql)
{
	for (size_t i = 0; i < sql->n_kept; i++)
		sqlite3_finalize(sql->kept[i].statement);
	sqlite3_close_v2(sql->db);
	free(sql->path);
	*sql = (struct rarog_sql){ 0 };
}

static bool is_full(int code)
{
	return code == ENOSPC || code == EDQUOT;
}

int rarog_sql_fail(struct rarog_sql *sql, int code)
{
	static const struct {
		int code, error;
		const char *message;
	} known[] = {
		{ SQLITE_BUSY, -EAGAIN,
		  "other processes keep it locked; is one of them stopped or hanging?" },
		{ SQLITE_LOCKED, -EAGAIN, "it is locked by this process" },
		{ SQLITE_CORRUPT, -EBADMSG, "it is damaged; rarog fsck --rebuild makes a new one" },
		{ SQLITE_NOTADB, -EBADMSG, "it is damaged; rarog fsck --rebuild makes a new one" },
		{ SQLITE_FULL, -ENOSPC, "the file system is full; free some of it, then rarog gc" },
		{ SQLITE_READONLY, -EROFS, "it cannot be written" },
		{ SQLITE_CANTOPEN, -EACCES, "it cannot be opened" },
		{ SQLITE_PERM, -EACCES, "it cannot be opened" },
		{ SQLITE_NOMEM, -ENOMEM, "out of memory" },
		{ SQLITE_CONSTRAINT, -EEXIST, NULL },
		{ SQLITE_IOERR, -EIO, NULL },
	};

	rarog_debug(RAROG_LOG_STORE, "%s: sqlite %d: %s", sql->path, code,
		    sql->db ? sqlite3_errmsg(sql->db) : "");
	if ((code & 0xff) == SQLITE_IOERR && sql->db && is_full(sqlite3_system_errno(sql->db)))
		return rarog_fail(-ENOSPC,
				  "%s: the file system is full; free some of it, then rarog gc",
				  sql->path);
	for (size_t i = 0; i < RAROG_COUNT(known); i++)
		if ((code & 0xff) == known[i].code && known[i].message)
			return rarog_fail(known[i].error, "%s: %s", sql->path, known[i].message);
		else if ((code & 0xff) == known[i].code)
			return rarog_fail(known[i].error, "%s: %s", sql->path,
					  sqlite3_errmsg(sql->db));
	return rarog_fail(-EIO, "%s: %s", sql->path,
			  sql->db ? sqlite3_errmsg(sql->db) : sqlite3_errstr(code));
}

int rarog_sql_script(struct rarog_sql *sql, const char *text)
{
	int code = sqlite3_exec(sql->db, text, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : rarog_sql_fail(sql, code);
}

/* --- statements --- */

static int bind(struct rarog_query *query, const char *types, va_list values)
{
	sqlite3_stmt *s = query->statement;

	for (int i = 0; types[i]; i++) {
		const struct rarog_hash *hash;
		int code = SQLITE_MISUSE;

		if (types[i] == 't')
			code = sqlite3_bind_text(s, i + 1, va_arg(values, const char *), -1,
						 SQLITE_TRANSIENT);
		else if (types[i] == 'i')
			code = sqlite3_bind_int64(s, i + 1, va_arg(values, int64_t));
		else if (types[i] == 'd')
			code = sqlite3_bind_double(s, i + 1, va_arg(values, double));
		else if (types[i] == 'n')
			code = sqlite3_bind_null(s, i + 1);
		else if (types[i] == 'h') {
			hash = va_arg(values, const struct rarog_hash *);
			code = sqlite3_bind_blob(s, i + 1, hash ? hash->bytes : NULL,
						 RAROG_HASH_BYTES, SQLITE_TRANSIENT);
		}
		if (code != SQLITE_OK)
			return rarog_sql_fail(query->sql, code);
	}
	return 0;
}

static int prepare(struct rarog_sql *sql, const char *text, unsigned flags, sqlite3_stmt **ret)
{
	int code = sqlite3_prepare_v3(sql->db, text, -1, flags, ret, NULL);

	return code == SQLITE_OK ? 0 : rarog_sql_fail(sql, code);
}

int rarog_sql_query_once(struct rarog_sql *sql, struct rarog_query *query, const char *text)
{
	*query = (struct rarog_query){ .sql = sql, .kept = -1 };
	return prepare(sql, text, 0, &query->statement);
}

/* A statement that is in use (a callback asks the same again) is prepared once more. */
static int find_or_prepare(struct rarog_sql *sql, struct rarog_query *query, const char *text)
{
	int r;

	for (size_t i = 0; i < sql->n_kept; i++) {
		if (sql->kept[i].text != text || sql->kept[i].in_use)
			continue;
		sql->kept[i].in_use = true;
		*query = (struct rarog_query){ .sql = sql,
					       .statement = sql->kept[i].statement,
					       .kept = (int)i };
		return 0;
	}
	if (sql->n_kept == RAROG_SQL_KEPT)
		return rarog_sql_query_once(sql, query, text);
	*query = (struct rarog_query){ .sql = sql, .kept = (int)sql->n_kept };
	r = prepare(sql, text, SQLITE_PREPARE_PERSISTENT, &query->statement);
	if (r < 0) {
		query->kept = -1;
		return r;
	}
	sql->kept[sql->n_kept].text = text;
	sql->kept[sql->n_kept].statement = query->statement;
	sql->kept[sql->n_kept++].in_use = true;
	return 0;
}

static int query_with(struct rarog_sql *sql, struct rarog_query *query, const char *text,
		      const char *types, va_list values)
{
	int r = find_or_prepare(sql, query, text);

	return r < 0 ? r : bind(query, types, values);
}

int rarog_sql_query(struct rarog_sql *sql, struct rarog_query *query, const char *text,
		    const char *types, ...)
{
	va_list values;
	int r;

	va_start(values, types);
	r = query_with(sql, query, text, types, values);
	va_end(values);
	return r;
}

void rarog_query_release(struct rarog_query *query)
{
	if (!query->sql)
		return;
	if (query->kept < 0) {
		sqlite3_finalize(query->statement);
	} else {
		sqlite3_reset(query->statement);
		sqlite3_clear_bindings(query->statement);
		query->sql->kept[query->kept].in_use = false;
	}
	*query = (struct rarog_query){ 0 };
}

int rarog_query_step(struct rarog_query *query)
{
	int code = sqlite3_step(query->statement);

	if (code == SQLITE_ROW)
		return 1;
	return code == SQLITE_DONE ? 0 : rarog_sql_fail(query->sql, code);
}

const char *rarog_query_text_or_null(struct rarog_query *query, int column)
{
	return (const char *)sqlite3_column_text(query->statement, column);
}

const char *rarog_query_text(struct rarog_query *query, int column)
{
	const char *text = rarog_query_text_or_null(query, column);

	return text ? text : "";
}

int64_t rarog_query_int(struct rarog_query *query, int column)
{
	return sqlite3_column_int64(query->statement, column);
}

void rarog_query_hash(struct rarog_query *query, int column, struct rarog_hash *ret_hash)
{
	const void *bytes = sqlite3_column_blob(query->statement, column);

	*ret_hash = (struct rarog_hash){ 0 };
	if (bytes && sqlite3_column_bytes(query->statement, column) == RAROG_HASH_BYTES)
		memcpy(ret_hash->bytes, bytes, RAROG_HASH_BYTES);
}

int rarog_sql_run(struct rarog_sql *sql, const char *text, const char *types, ...)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	va_list values;
	int r;

	va_start(values, types);
	r = query_with(sql, &query, text, types, values);
	va_end(values);
	while (r == 0 && (r = rarog_query_step(&query)) > 0)
		r = 0;
	return r < 0 ? r : sqlite3_changes(sql->db);
}

int rarog_sql_value(struct rarog_sql *sql, int64_t *ret_value, const char *text, const char *types,
		    ...)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	va_list values;
	int r;

	va_start(values, types);
	r = query_with(sql, &query, text, types, values);
	va_end(values);
	if (r == 0)
		r = rarog_query_step(&query);
	if (r > 0)
		*ret_value = rarog_query_int(&query, 0);
	return r;
}
