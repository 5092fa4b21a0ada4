/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions and what they carry. Everything here is a look-up in an index on the version's id. */
#include "store/version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "store/record.h"
#include "store/store-own.h"

/* --- commits --- */

void rarog_commit_release(struct rarog_commit *commit)
{
	for (size_t i = 0; i < commit->n_parents; i++)
		free(commit->parents[i]);
	free(commit->parents);
	free(commit->name);
	free(commit->tree);
	free(commit->author);
	free(commit->email);
	free(commit->committer);
	free(commit->subject);
	free(commit->body);
	free(commit->changed_tree);
	free(commit->diff);
	*commit = (struct rarog_commit){ 0 };
}

static int copy_text(const char *from, char **to, int r)
{
	if (r < 0 || !from)
		return r;
	*to = strdup(from);
	return *to ? 0 : rarog_oom();
}

static int copy_parents(const struct rarog_commit *from, struct rarog_commit *to)
{
	int r = 0;

	if (from->n_parents == 0)
		return 0;
	to->parents = calloc(from->n_parents, sizeof(*to->parents));
	if (!to->parents)
		return rarog_oom();
	for (; r == 0 && to->n_parents < from->n_parents; to->n_parents++)
		r = copy_text(from->parents[to->n_parents], &to->parents[to->n_parents], 0);
	return r;
}

int rarog_commit_copy(const struct rarog_commit *commit, struct rarog_commit *ret_copy)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit copy = {
		.author_time = commit->author_time, .commit_time = commit->commit_time
	};
	int r = copy_parents(commit, &copy);

	r = copy_text(commit->name, &copy.name, r);
	r = copy_text(commit->tree, &copy.tree, r);
	r = copy_text(commit->author, &copy.author, r);
	r = copy_text(commit->email, &copy.email, r);
	r = copy_text(commit->committer, &copy.committer, r);
	r = copy_text(commit->subject, &copy.subject, r);
	r = copy_text(commit->body, &copy.body, r);
	r = copy_text(commit->changed_tree, &copy.changed_tree, r);
	r = copy_text(commit->diff, &copy.diff, r);
	if (r < 0)
		return r;
	*ret_copy = rarog_take_struct(copy);
	return 0;
}

/* --- rows --- */

int rarog_version_id(struct rarog_store *store, const char *name, int64_t *ret_id)
{
	int r = rarog_sql_value(&store->sql, ret_id, "SELECT id FROM version WHERE name = ?", "t",
				name);

	if (r != 0)
		return r < 0 ? r : 0;
	r = rarog_sql_run(&store->sql, "INSERT INTO version(name) VALUES(?)", "t", name);
	if (r < 0)
		return r;
	*ret_id = sqlite3_last_insert_rowid(store->sql.db);
	return 0;
}

static int join_parents(const struct rarog_commit *commit, struct rarog_str *text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < commit->n_parents; i++)
		r = rarog_str_addf(text, "%s%s", i > 0 ? " " : "", commit->parents[i]);
	return r < 0 ? rarog_oom() : 0;
}

int rarog_version_put(struct rarog_store *store, const struct rarog_commit *commit)
{
	rarog_cleanup(rarog_str_release) struct rarog_str parents = { 0 };
	int r = join_parents(commit, &parents);

	if (r == 0)
		r = rarog_store_begin(store);
	if (r < 0)
		return r;
	r = rarog_sql_run(&store->sql,
			  "INSERT INTO version(name, tree, parents, author, email, committer,"
			  " author_time, commit_time, subject, body)"
			  " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
			  " ON CONFLICT(name) DO UPDATE SET tree = excluded.tree,"
			  " parents = excluded.parents, author = excluded.author,"
			  " email = excluded.email, committer = excluded.committer,"
			  " author_time = excluded.author_time,"
			  " commit_time = excluded.commit_time, subject = excluded.subject,"
			  " body = excluded.body",
			  "ttttttiitt", commit->name, commit->tree, rarog_str_text(&parents),
			  commit->author, commit->email, commit->committer, commit->author_time,
			  commit->commit_time, commit->subject, commit->body);
	if (r < 0) {
		rarog_store_rollback(store);
		return r;
	}
	return rarog_store_commit(store);
}

#define COMMIT_COLUMNS                                                                             \
	"SELECT name, tree, parents, author, email, committer, author_time, commit_time,"          \
	" subject, body FROM version"

static int split_parents(const char *text, struct rarog_commit *commit)
{
	while (*text) {
		size_t length = strcspn(text, " ");
		char **more = realloc(commit->parents, (commit->n_parents + 1) * sizeof(*more));

		if (!more)
			return rarog_oom();
		commit->parents = more;
		more[commit->n_parents] = strndup(text, length);
		if (!more[commit->n_parents])
			return rarog_oom();
		commit->n_parents++;
		text += length + (text[length] == ' ');
	}
	return 0;
}

static int read_commit(struct rarog_query *query, struct rarog_commit *ret_commit)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = {
		.author_time = rarog_query_int(query, 6), .commit_time = rarog_query_int(query, 7)
	};
	char **const texts[] = { &commit.name,    &commit.tree,      NULL, &commit.author,
				 &commit.email,   &commit.committer, NULL, NULL,
				 &commit.subject, &commit.body };
	int r = split_parents(rarog_query_text(query, 2), &commit);

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(texts); i++)
		if (texts[i])
			r = copy_text(rarog_query_text_or_null(query, (int)i), texts[i], r);
	if (r < 0)
		return r;
	*ret_commit = rarog_take_struct(commit);
	return 0;
}

int rarog_version_find(struct rarog_store *store, const char *name, struct rarog_commit *ret_commit)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query, COMMIT_COLUMNS " WHERE name = ?", "t", name);

	if (r == 0)
		r = rarog_query_step(&query);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	return read_commit(&query, ret_commit);
}

/* --- what they carry --- */

static void add_collector(struct rarog_load *load, const char *name, uint64_t profiles)
{
	size_t i = load->n_collectors;

	if (i == RAROG_LOAD_COLLECTORS)
		return;
	snprintf(load->collectors[i].name, sizeof(load->collectors[i].name), "%s", name);
	load->collectors[i].profiles = profiles;
	load->n_collectors++;
}

static int load_profiles(struct rarog_store *store, int64_t id,
			 const struct rarog_record_filter *of, struct rarog_load *load)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(
		&store->sql, &query,
		"SELECT j.collector, count(*), count(DISTINCT p.job), sum(p.bytes),"
		" sum(p.flags & 1) FROM profile p JOIN job j ON j.id = p.job"
		" WHERE p.version = ? AND " RAROG_SQL_HAS_OPTIONS("?") " AND " RAROG_SQL_IS_JOB(
			"?") " GROUP BY j.collector ORDER BY j.collector",
		"itt", id, of->options, of->job);

	while (r == 0) {
		r = rarog_query_step(&query);
		if (r <= 0)
			return r;
		load->profiles += (uint64_t)rarog_query_int(&query, 1);
		load->jobs += (uint64_t)rarog_query_int(&query, 2);
		load->bytes += (uint64_t)rarog_query_int(&query, 3);
		load->dirty += (uint64_t)rarog_query_int(&query, 4);
		add_collector(load, rarog_query_text(&query, 0),
			      (uint64_t)rarog_query_int(&query, 1));
		r = 0;
	}
	return r;
}

/* A build that failed is one for all jobs and options. */
static int load_numbers(struct rarog_store *store, int64_t id, const struct rarog_record_filter *of,
			struct rarog_load *load)
{
	int64_t machines = 0, failed = 0;
	int r = rarog_sql_value(
		&store->sql, &machines,
		"SELECT count(DISTINCT p.machine) FROM profile p JOIN job j ON j.id = p.job"
		" WHERE p.version = ? AND " RAROG_SQL_HAS_OPTIONS("?") " AND " RAROG_SQL_IS_JOB(
			"?"),
		"itt", id, of->options, of->job);

	if (r >= 0)
		r = rarog_sql_value(&store->sql, &failed,
				    "SELECT count(*) FROM attempt a LEFT JOIN job j ON j.id = a.job"
				    " WHERE a.version = ? AND a.outcome > 0"
				    " AND (j.id IS NULL OR (" RAROG_SQL_HAS_OPTIONS(
					    "?") " AND " RAROG_SQL_IS_JOB("?") "))",
				    "itt", id, of->options, of->job);
	load->machines = (uint64_t)machines;
	load->attempts_failed = (uint64_t)failed;
	return r < 0 ? r : 0;
}

/* From good to bad. */
static int badness(const char *verdict)
{
	static const char *const known[] = { "",      "none",       "improvement", "inconclusive",
					     "maybe", "degradation" };

	for (int i = 0; i < (int)RAROG_COUNT(known); i++)
		if (strcmp(verdict, known[i]) == 0)
			return i;
	return 1;
}

static int load_verdicts(struct rarog_store *store, int64_t id, struct rarog_load *load)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query,
				"SELECT verdict, changes FROM derived WHERE version = ?"
				" AND kind = 'verdict'",
				"i", id);

	while (r == 0) {
		const char *verdict;

		r = rarog_query_step(&query);
		if (r <= 0)
			return r;
		verdict = rarog_query_text(&query, 0);
		if (badness(verdict) > badness(load->verdict))
			snprintf(load->verdict, sizeof(load->verdict), "%s", verdict);
		load->changes += (uint64_t)rarog_query_int(&query, 1);
		r = 0;
	}
	return r;
}

int rarog_version_load(struct rarog_store *store, const char *name,
		       const struct rarog_record_filter *of, struct rarog_load *ret_load)
{
	static const struct rarog_record_filter all = { 0 };
	struct rarog_load load = { 0 };
	int64_t id = 0;
	int r = rarog_sql_value(&store->sql, &id, "SELECT id FROM version WHERE name = ?", "t",
				name);

	if (!of)
		of = &all;
	if (r > 0)
		r = load_profiles(store, id, of, &load);
	if (r == 0 && id > 0)
		r = load_numbers(store, id, of, &load);
	if (r == 0 && id > 0 && !of->job)
		r = load_verdicts(store, id, &load);
	if (r < 0)
		return r;
	*ret_load = load;
	return 0;
}
