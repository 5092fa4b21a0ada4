/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finding rows: a filter becomes one SELECT. Every condition stands in one table below with the
 * value that it binds, so that adding one is one line.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "store/json-text.h"
#include "store/record.h"
#include "store/store-own.h"

const char *const rarog_record_order_names[] = { "time",      "newest", "command", "workload",
						 "collector", "size",   "hash",    NULL };

static const char *const orders[] = {
	[RAROG_ORDER_TIME] = " ORDER BY p.started, p.id",
	[RAROG_ORDER_NEWEST] = " ORDER BY p.started DESC, p.id DESC",
	[RAROG_ORDER_COMMAND] = " ORDER BY j.command, j.arguments, p.started, p.id",
	[RAROG_ORDER_WORKLOAD] = " ORDER BY j.number, j.workload, p.started, p.id",
	[RAROG_ORDER_COLLECTOR] = " ORDER BY j.collector, j.engine, p.started, p.id",
	[RAROG_ORDER_SIZE] = " ORDER BY p.bytes DESC, p.id",
	[RAROG_ORDER_HASH] = " ORDER BY p.object, p.id",
};

#define FROM                                                                                       \
	" FROM profile p JOIN job j ON j.id = p.job JOIN machine m ON m.id = p.machine"            \
	" LEFT JOIN version v ON v.id = p.version"

#define COLUMNS                                                                                    \
	"SELECT p.id, p.object, p.bytes, v.name, p.tree, p.diff, p.job, p.machine, j.name,"        \
	" j.command, j.arguments, j.workload, j.collector, j.engine, j.parameters, j.number,"      \
	" j.key, m.key, m.class, p.software, p.started, p.added, p.wall, p.calls, p.losses,"       \
	" p.exit_status, p.flags, p.label, j.configuration" FROM

/* --- the statement --- */

struct build {
	struct rarog_str text;
	sqlite3_stmt *statement;
	int n_values, failed;
	bool has_where;
};

static void condition(struct build *b, const char *text)
{
	if (b->statement)
		return;
	if (rarog_str_add(&b->text, b->has_where ? " AND " : " WHERE ") < 0 ||
	    rarog_str_add(&b->text, text) < 0)
		b->failed = -ENOMEM;
	b->has_where = true;
}

/* The same walk makes the text first, then binds the values: their order cannot differ. */
static void where_text(struct build *b, const char *text, const char *value)
{
	if (!value)
		return;
	condition(b, text);
	if (b->statement)
		sqlite3_bind_text(b->statement, ++b->n_values, value, -1, SQLITE_TRANSIENT);
}

static void where_hash(struct build *b, const char *text, const struct rarog_hash *value)
{
	if (!value)
		return;
	condition(b, text);
	if (b->statement)
		sqlite3_bind_blob(b->statement, ++b->n_values, value->bytes, RAROG_HASH_BYTES,
				  SQLITE_TRANSIENT);
}

static void where_int(struct build *b, const char *text, uint64_t value)
{
	if (!value)
		return;
	condition(b, text);
	if (b->statement)
		sqlite3_bind_int64(b->statement, ++b->n_values, (int64_t)value);
}

/* Digits of a hash as the range of all that begin so: an index look-up. */
static void where_prefix(struct build *b, const char *digits)
{
	char low[RAROG_HASH_DIGITS + 1], high[RAROG_HASH_DIGITS + 1];
	struct rarog_hash from, to;
	size_t n;

	if (!digits)
		return;
	n = strspn(digits, "0123456789abcdefABCDEF");
	if (digits[n] != '\0' || n > RAROG_HASH_DIGITS) {
		condition(b, "0");
		return;
	}
	memset(low, '0', RAROG_HASH_DIGITS);
	memset(high, 'f', RAROG_HASH_DIGITS);
	low[RAROG_HASH_DIGITS] = high[RAROG_HASH_DIGITS] = '\0';
	memcpy(low, digits, n);
	memcpy(high, digits, n);
	rarog_hash_parse(low, &from);
	rarog_hash_parse(high, &to);
	where_hash(b, "p.object >= ?", &from);
	where_hash(b, "p.object <= ?", &to);
}

static void where_version(struct build *b, const char *version)
{
	if (version && !*version)
		condition(b, "p.version IS NULL");
	else
		where_text(b, "p.version = (SELECT id FROM version WHERE name = ?)", version);
}

static void where(struct build *b, const struct rarog_record_filter *f)
{
	b->n_values = 0;
	where_int(b, "p.id = ?", (uint64_t)f->id);
	where_version(b, f->version);
	where_text(b, "p.tree = ?", f->tree);
	where_hash(b, "p.object = ?", f->object);
	where_prefix(b, f->object_prefix);
	where_hash(b, "p.job = (SELECT id FROM job WHERE key = ?)", f->job_key);
	where_hash(b, "m.key = ?", f->machine_key);
	where_hash(b, "m.class = ?", f->machine_class);
	where_text(b, "j.collector = ?", f->collector);
	where_text(b, "j.command = ?", f->command);
	where_text(b, "j.workload = ?", f->workload);
	where_text(b, RAROG_SQL_HAS_OPTIONS("?"), f->options);
	where_text(b, RAROG_SQL_IS_JOB("?"), f->job);
	where_text(b, "p.label = ?", f->label);
	where_text(b, "p.id IN (SELECT profile FROM tag WHERE name = ?)", f->tag);
	if (f->clean_only)
		condition(b, "p.flags & 19 = 0"); /* DIRTY | PARTIAL | DAMAGED */
	where_int(b, "p.started >= ?", f->since_ns);
	where_int(b, "p.started < ?", f->until_ns);
}

_Static_assert((RAROG_RECORD_DIRTY | RAROG_RECORD_PARTIAL | RAROG_RECORD_DAMAGED) == 19, "flags");

static int prepare(struct rarog_store *store, const struct rarog_record_filter *filter,
		   const char *columns, const char *order, struct rarog_query *query)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct build b = { 0 };
	int r = rarog_str_add(&b.text, columns);

	where(&b, filter);
	if (r == 0)
		r = b.failed;
	if (r == 0)
		r = rarog_str_add(&b.text, order);
	if (r == 0 && *order && filter->limit > 0)
		r = rarog_str_addf(&b.text, " LIMIT %llu", (unsigned long long)filter->limit);
	text = b.text;
	if (r < 0)
		return rarog_oom();
	r = rarog_sql_query_once(&store->sql, query, rarog_str_text(&text));
	if (r < 0)
		return r;
	b.statement = query->statement;
	where(&b, filter);
	return 0;
}

/* --- rows --- */

static void read_row(struct rarog_query *q, struct rarog_record *row)
{
	*row = (struct rarog_record){
		.id = rarog_query_int(q, 0),
		.bytes = (uint64_t)rarog_query_int(q, 2),
		.version = rarog_query_text_or_null(q, 3),
		.tree = rarog_query_text_or_null(q, 4),
		.diff = rarog_query_text_or_null(q, 5),
		.job = rarog_query_int(q, 6),
		.machine = rarog_query_int(q, 7),
		.job_name = rarog_query_text(q, 8),
		.command = rarog_query_text(q, 9),
		.arguments = rarog_query_text(q, 10),
		.workload = rarog_query_text(q, 11),
		.collector = rarog_query_text(q, 12),
		.engine = rarog_query_text(q, 13),
		.parameters = rarog_query_text(q, 14),
		.has_number = sqlite3_column_type(q->statement, 15) != SQLITE_NULL,
		.number = sqlite3_column_double(q->statement, 15),
		.started_ns = (uint64_t)rarog_query_int(q, 20),
		.added_ns = (uint64_t)rarog_query_int(q, 21),
		.wall_ns = (uint64_t)rarog_query_int(q, 22),
		.calls = (uint64_t)rarog_query_int(q, 23),
		.losses = (uint64_t)rarog_query_int(q, 24),
		.exit_status = (int)rarog_query_int(q, 25),
		.flags = (unsigned)rarog_query_int(q, 26),
		.label = rarog_query_text_or_null(q, 27),
		.configuration = rarog_query_text(q, 28),
	};
	rarog_query_hash(q, 1, &row->object);
	rarog_query_hash(q, 16, &row->job_key);
	rarog_query_hash(q, 17, &row->machine_key);
	rarog_query_hash(q, 18, &row->machine_class);
	rarog_query_hash(q, 19, &row->software);
}

int rarog_record_each(struct rarog_store *store, const struct rarog_record_filter *filter,
		      int (*visit)(const struct rarog_record *record, void *user), void *user)
{
	static const struct rarog_record_filter all;
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r;

	filter = filter ? filter : &all;
	r = prepare(store, filter, COLUMNS, orders[filter->order], &query);
	while (r == 0) {
		struct rarog_record row;

		r = rarog_query_step(&query);
		if (r <= 0)
			return r;
		read_row(&query, &row);
		r = visit(&row, user);
	}
	return r;
}

int64_t rarog_record_count(struct rarog_store *store, const struct rarog_record_filter *filter)
{
	static const struct rarog_record_filter all;
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = prepare(store, filter ? filter : &all, "SELECT count(*)" FROM, "", &query);

	if (r == 0)
		r = rarog_query_step(&query);
	return r < 0 ? r : rarog_query_int(&query, 0);
}

/* --- lists --- */

static int keep_text(struct rarog_records *records, const char **text)
{
	char *copy;

	if (!*text)
		return 0;
	copy = strdup(*text);
	if (!copy || rarog_vec_push(&records->texts, copy) < 0) {
		free(copy);
		return rarog_oom();
	}
	*text = copy;
	return 0;
}

static int keep_row(const struct rarog_record *record, void *user)
{
	struct rarog_records *records = user;
	struct rarog_record row = *record;
	const char **const texts[] = { &row.version,    &row.tree,      &row.diff,
				       &row.job_name,   &row.command,   &row.arguments,
				       &row.workload,   &row.collector, &row.engine,
				       &row.parameters, &row.label,     &row.configuration };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(texts); i++)
		r = keep_text(records, texts[i]);
	if (r == 0 && rarog_vec_push(&records->rows, row) < 0)
		r = rarog_oom();
	return r;
}

void rarog_records_release(struct rarog_records *records)
{
	for (size_t i = 0; i < records->texts.n; i++)
		free(records->texts.v[i]);
	rarog_vec_release(&records->texts);
	rarog_vec_release(&records->rows);
}

int rarog_records_read(struct rarog_store *store, const struct rarog_record_filter *filter,
		       struct rarog_records *ret_records)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	int r = rarog_record_each(store, filter, keep_row, &records);

	if (r < 0)
		return r;
	*ret_records = rarog_take_struct(records);
	return 0;
}
