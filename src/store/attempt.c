/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How jobs stand. That a job was measured is never written down: it is read from the profiles, so
 * that a profile that was removed is measured again. Only failures are rows.
 */
#include "store/attempt.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/store-own.h"

const char *const rarog_outcome_names[] = { "measured",  "not-built",     "not-run", "failed",
					    "timed-out", "not-collected", NULL };

static int find_ids(struct rarog_store *store, const struct rarog_attempt *a, int64_t *version,
		    int64_t *job, int64_t *machine, struct rarog_hash *class)
{
	int r = rarog_version_id(store, a->version, version);

	if (r == 0 && a->job)
		r = rarog_job_id(store, a->job, job);
	if (r == 0 && a->machine)
		r = rarog_machine_id(store, a->machine, machine);
	if (r == 0 && a->machine)
		r = rarog_machine_class(a->machine, class);
	return r;
}

static bool is_zero(const struct rarog_hash *hash)
{
	static const struct rarog_hash zero;

	return rarog_hash_equal(hash, &zero);
}

static int put(struct rarog_store *store, const struct rarog_attempt *a)
{
	int64_t version = 0, job = 0, machine = 0;
	struct rarog_hash class = { 0 };
	int r = find_ids(store, a, &version, &job, &machine, &class);

	if (r < 0)
		return r;
	if (a->outcome == RAROG_OUTCOME_MEASURED)
		return rarog_sql_run(
			&store->sql,
			"DELETE FROM attempt WHERE version = ? AND job = ? AND class = ?", "iih",
			version, job, &class);
	return rarog_sql_run(
		&store->sql,
		"INSERT OR REPLACE INTO attempt(version, job, class, machine, outcome,"
		" status, message, log, at) VALUES(?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?)",
		"iihiiithi", version, job, &class, machine, (int64_t)a->outcome, (int64_t)a->status,
		a->message ? a->message : "", is_zero(&a->log) ? NULL : &a->log,
		(int64_t)(a->at_ns ? a->at_ns : rarog_epoch_ns()));
}

int rarog_attempt_put(struct rarog_store *store, const struct rarog_attempt *attempt)
{
	int r = rarog_store_begin(store);

	if (r < 0)
		return r;
	r = put(store, attempt);
	if (r < 0) {
		rarog_store_rollback(store);
		return r;
	}
	return rarog_store_commit(store);
}

void rarog_attempt_release(struct rarog_attempt *attempt)
{
	free((char *)(uintptr_t)attempt->version);
	free((char *)(uintptr_t)attempt->tree);
	free((char *)(uintptr_t)attempt->message);
	*attempt = (struct rarog_attempt){ 0 };
}

#define COLUMNS                                                                                    \
	"SELECT v.name, v.tree, a.outcome, a.status, a.message, a.log, a.at FROM attempt a"        \
	" JOIN version v ON v.id = a.version"

static void read_row(struct rarog_query *query, struct rarog_attempt *a)
{
	a->version = rarog_query_text(query, 0);
	a->tree = rarog_query_text_or_null(query, 1);
	a->outcome = (enum rarog_outcome)rarog_query_int(query, 2);
	a->status = (int)rarog_query_int(query, 3);
	a->message = rarog_query_text(query, 4);
	rarog_query_hash(query, 5, &a->log);
	a->at_ns = (uint64_t)rarog_query_int(query, 6);
}

static int keep_texts(struct rarog_attempt *a)
{
	a->version = strdup(a->version);
	a->tree = a->tree ? strdup(a->tree) : NULL;
	a->message = strdup(a->message);
	return a->version && a->message ? 0 : rarog_oom();
}

static int count_profiles(struct rarog_store *store, const char *version,
			  const struct rarog_hash *job_key, const struct rarog_hash *class,
			  struct rarog_attempt *a)
{
	int64_t done = 0;
	int r = rarog_sql_value(&store->sql, &done,
				"SELECT count(*) FROM profile p JOIN machine m ON m.id = p.machine"
				" WHERE p.version = (SELECT id FROM version WHERE name = ?)"
				" AND p.job = (SELECT id FROM job WHERE key = ?) AND m.class = ?"
				" AND p.flags & 19 = 0",
				"thh", version, job_key, class);

	a->done = (uint32_t)done;
	return r < 0 ? r : 0;
}

static int find_failure(struct rarog_store *store, const char *version,
			const struct rarog_hash *job_key, const struct rarog_hash *class,
			struct rarog_attempt *a)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query,
				COLUMNS " WHERE v.name = ?1 AND a.class = ?3 AND a.job ="
					" CASE WHEN ?2 IS NULL THEN 0"
					" ELSE (SELECT id FROM job WHERE key = ?2) END",
				"thh", version, job_key, class);

	if (r == 0)
		r = rarog_query_step(&query);
	if (r <= 0)
		return r;
	read_row(&query, a);
	r = keep_texts(a);
	return r < 0 ? r : 1;
}

int rarog_attempt_find(struct rarog_store *store, const char *version,
		       const struct rarog_hash *job_key, const struct rarog_hash *machine_class,
		       struct rarog_attempt *ret_attempt)
{
	rarog_cleanup(rarog_attempt_release) struct rarog_attempt a = { .status = -1 };
	int r = job_key ? count_profiles(store, version, job_key, machine_class, &a) : 0;

	if (r < 0)
		return r;
	if (a.done > 0) { /* a failure before or after does not unmake it */
		*ret_attempt = (struct rarog_attempt){ .version = strdup(version),
						       .message = strdup(""),
						       .done = a.done,
						       .status = -1 };
		return 1;
	}
	r = find_failure(store, version, job_key, machine_class, &a);
	if (r <= 0)
		return r;
	*ret_attempt = rarog_take_struct(a);
	return 1;
}

int rarog_attempt_each(struct rarog_store *store, const char *version,
		       int (*visit)(const struct rarog_attempt *attempt, void *user), void *user)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query,
				COLUMNS " WHERE ?1 IS NULL OR v.name = ?1 ORDER BY a.at DESC", "t",
				version);

	while (r == 0) {
		struct rarog_attempt a = { 0 };

		r = rarog_query_step(&query);
		if (r <= 0)
			return r;
		read_row(&query, &a);
		r = visit(&a, user);
	}
	return r;
}
