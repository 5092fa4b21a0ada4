/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thin layer on SQLite that the catalogue stands on. Only src/store includes this. */
#ifndef RAROG_STORE_SQL_H
#define RAROG_STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/object.h"

#define RAROG_SQL_KEPT 48

struct rarog_sql {
	sqlite3 *db;
	char *path; /* for messages */
	uint64_t timeout_ns, waiting_since_ns;
	struct {
		const char *text; /* a literal: compared by address */
		sqlite3_stmt *statement;
		bool in_use;
	} kept[RAROG_SQL_KEPT];
	size_t n_kept;
};

/** rarog_sql_open() - @flags of sqlite3_open_v2(). @name may be an URI. */
int rarog_sql_open(struct rarog_sql *sql, const char *name, const char *path, int flags,
		   uint64_t timeout_ns);
void rarog_sql_close(struct rarog_sql *sql);

/** rarog_sql_fail() - record what SQLite says; -EAGAIN locked, -EBADMSG damaged, -ENOSPC, -EROFS,
 * -EEXIST a constraint, -EIO … */
int rarog_sql_fail(struct rarog_sql *sql, int code);

/** rarog_sql_script() - statements without results. */
int rarog_sql_script(struct rarog_sql *sql, const char *text);

/* --- statements --- */

struct rarog_query {
	struct rarog_sql *sql;
	sqlite3_stmt *statement;
	int kept; /* index, -1: ours to finalize */
};

/**
 * rarog_sql_query() - begin a statement with its values
 * @text: a string literal: it stays prepared (else rarog_sql_query_once())
 * @types: one letter a value: t text (NULL: null), i int64_t, d double, h const struct rarog_hash *
 * (NULL: null), n null (no argument)
 *
 * A query must be released, also after an error.
 */
int rarog_sql_query(struct rarog_sql *sql, struct rarog_query *query, const char *text,
		    const char *types, ...);
int rarog_sql_query_once(struct rarog_sql *sql, struct rarog_query *query, const char *text);
void rarog_query_release(struct rarog_query *query);

/** rarog_query_step() - 1 a row, 0 the end, -errno. */
int rarog_query_step(struct rarog_query *query);

/* Columns of the row. Text is "" for null, borrowed until the next step. */
const char *rarog_query_text(struct rarog_query *query, int column);
const char *rarog_query_text_or_null(struct rarog_query *query, int column);
int64_t rarog_query_int(struct rarog_query *query, int column);
void rarog_query_hash(struct rarog_query *query, int column, struct rarog_hash *ret_hash);

/** rarog_sql_run() - a statement to its end. Return: rows changed, -errno. */
int rarog_sql_run(struct rarog_sql *sql, const char *text, const char *types, ...);

/** rarog_sql_value() - the first column of the first row. Return: 1, 0 no row, -errno. */
int rarog_sql_value(struct rarog_sql *sql, int64_t *ret_value, const char *text, const char *types,
		    ...);

#endif
