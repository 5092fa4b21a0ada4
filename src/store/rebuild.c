/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A new catalogue from the profiles. Headers give the rows; what only the catalogue knew (tags,
 * facts of commits, versions given by hand, failures, builds, work under way, the store's name) is
 * taken from the old one as far as SQLite can still read it. The old file is kept in quarantine/.
 *
 * The store is locked from before the old catalogue goes until the new one is complete: what others
 * began is in the old one, and what they begin then finds that theirs was put aside (store-lock.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "store/fsck-own.h"
#include "store/record.h"

#define PORTION 256 /* rows in a transaction */

static int move(const char *store, const char *suffix, const char *to)
{
	rarog_cleanup(rarog_freep) char *from = rarog_asprintf("%s/catalog.db%s", store, suffix);
	rarog_cleanup(rarog_freep) char *target = rarog_asprintf("%s%s", to, suffix);

	if (!from || !target)
		return rarog_oom();
	if (rename(from, target) < 0 && errno != ENOENT)
		return rarog_fail_errno("%s: cannot move to quarantine", from);
	return 0;
}

/* With its WAL or journal: it may hold what the file lacks. */
static int set_aside(const char *store, char **ret_old)
{
	static const char *const suffixes[] = { "-wal", "-shm", "-journal", "" };
	rarog_cleanup(rarog_freep) char *folder = rarog_asprintf("%s/quarantine", store);
	rarog_cleanup(rarog_freep) char *old = NULL;
	int r = folder ? rarog_mkdirs(folder, 0777) : rarog_oom();

	if (r < 0)
		return r;
	old = rarog_asprintf("%s/catalog-%llu.db", folder, (unsigned long long)rarog_epoch_ns());
	if (!old)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(suffixes); i++)
		r = move(store, suffixes[i], old);
	if (r == 0 && access(old, F_OK) == 0)
		*ret_old = rarog_take(old);
	return r;
}

/* --- from the objects --- */

typedef RAROG_VEC(struct rarog_hash) hashes_t;

static int list_object(const struct rarog_object_info *info, void *user)
{
	hashes_t *hashes = user;

	return rarog_vec_push(hashes, info->hash) < 0 ? rarog_oom() : 0;
}

/* What is no profile (a log, a model) is no fault: it stays until gc. */
static int add_object(struct rarog_store *store, const struct rarog_hash *hash)
{
	int r = rarog_record_add_object(store, hash);

	if (r == -EINVAL || r == -EBADMSG || r == -EPROTONOSUPPORT || r == -ENOENT) {
		rarog_error_clear();
		return 0;
	}
	return r < 0 ? r : 0;
}

static int add_portion(struct rarog_store *store, size_t n, const struct rarog_hash hashes[])
{
	int r = rarog_store_begin(store);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_object(store, &hashes[i]);
	if (r < 0) {
		rarog_store_rollback(store);
		return r;
	}
	return rarog_store_commit(store);
}

static int add_all(struct rarog_fsck_state *s, const hashes_t *hashes)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < hashes->n; i += PORTION) {
		size_t n = hashes->n - i < PORTION ? hashes->n - i : PORTION;

		r = add_portion(s->store, n, hashes->v + i);
		if (r == 0 && s->fsck->progress)
			s->fsck->progress(i + n, hashes->n, s->fsck->user);
	}
	return r;
}

/* --- from the old catalogue --- */

/* The first BY_HAND have what somebody said and no profile says. */
enum { BY_HAND = 6 };

/* Returns whether all that was said by hand could be read. */
static bool salvage(struct rarog_store *store, const char *old)
{
	static const char *const steps[] = {
		"UPDATE setting SET value = (SELECT value FROM old.setting WHERE key = 'id')"
		" WHERE key = 'id' AND EXISTS (SELECT 1 FROM old.setting WHERE key = 'id')",
		"INSERT OR IGNORE INTO setting SELECT * FROM old.setting",
		"INSERT INTO version(name, tree, parents, author, email, committer, author_time,"
		" commit_time, subject, body) SELECT name, tree, parents, author, email, committer,"
		" author_time, commit_time, subject, body FROM old.version WHERE true"
		" ON CONFLICT(name) DO UPDATE SET tree = excluded.tree, parents = excluded.parents,"
		" author = excluded.author, email = excluded.email, committer = excluded.committer,"
		" author_time = excluded.author_time, commit_time = excluded.commit_time,"
		" subject = excluded.subject, body = excluded.body",
		/* versions given by hand: the same object under another version */
		"INSERT OR IGNORE INTO profile(object, bytes, version, tree, diff, job, machine,"
		" software, started, added, wall, calls, losses, exit_status, flags, label)"
		" SELECT n.object, n.bytes, nv.id, o.tree, o.diff, n.job, n.machine, n.software,"
		" n.started, o.added, n.wall, n.calls, n.losses, n.exit_status, o.flags & ~16,"
		" o.label FROM old.profile o JOIN old.version ov ON ov.id = o.version"
		" JOIN main.version nv ON nv.name = ov.name JOIN main.profile n ON n.object = "
		"o.object",
		"INSERT OR IGNORE INTO tag SELECT t.name, NULL, nv.id, t.made FROM old.tag t"
		" JOIN old.version ov ON ov.id = t.version JOIN main.version nv ON nv.name = "
		"ov.name",
		"INSERT OR IGNORE INTO tag SELECT t.name, n.id, NULL, t.made FROM old.tag t"
		" JOIN old.profile o ON o.id = t.profile LEFT JOIN old.version ov ON ov.id = "
		"o.version"
		" JOIN main.profile n ON n.object = o.object"
		" LEFT JOIN main.version nv ON nv.id = n.version WHERE nv.name IS ov.name",
		/* what failed, what is built, and work under way */
		"INSERT OR IGNORE INTO machine(key, class, json) SELECT key, class, json"
		" FROM old.machine WHERE id IN (SELECT machine FROM old.attempt)",
		"INSERT OR IGNORE INTO job(key, name, command, arguments, workload, number,"
		" collector, engine, parameters) SELECT key, name, command, arguments, workload,"
		" number, collector, engine, parameters FROM old.job"
		" WHERE id IN (SELECT job FROM old.attempt)",
		/* catalogues before the fourth have none */
		"UPDATE job SET configuration = (SELECT configuration FROM old.job o"
		" WHERE o.key = job.key) WHERE configuration IS NULL",
		"INSERT OR IGNORE INTO attempt SELECT nv.id, ifnull(nj.id, 0), a.class, nm.id,"
		" a.outcome, a.status, a.message, a.log, a.at FROM old.attempt a"
		" JOIN old.version ov ON ov.id = a.version"
		" JOIN main.version nv ON nv.name = ov.name"
		" LEFT JOIN old.job oj ON oj.id = a.job LEFT JOIN main.job nj ON nj.key = oj.key"
		" LEFT JOIN old.machine om ON om.id = a.machine"
		" LEFT JOIN main.machine nm ON nm.key = om.key",
		"INSERT OR IGNORE INTO build SELECT * FROM old.build",
		"INSERT OR IGNORE INTO lease SELECT * FROM old.lease",
	};
	struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query, "ATTACH DATABASE ? AS old", "t", old);
	bool is_whole;

	if (r == 0)
		r = rarog_query_step(&query);
	rarog_query_release(&query);
	is_whole = r == 0;
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(steps); i++) { /* as far as it goes */
		int failed = sqlite3_exec(store->sql.db, steps[i], NULL, NULL, NULL);

		if (i < BY_HAND && failed)
			is_whole = false;
	}
	sqlite3_exec(store->sql.db, "DETACH DATABASE old", NULL, NULL, NULL);
	rarog_error_clear();
	return is_whole;
}

static int say_so(struct rarog_fsck_state *s, const char *old, bool is_whole, size_t n)
{
	char message[224];

	snprintf(message, sizeof(message), "made anew from %zu objects; %s%s", n,
		 old ? "the old one is kept" : "there was no old one",
		 is_whole ? ""
		 : old    ? ", but not all of it can be read: tags, and versions to which profiles "
			    "were assigned later, may be gone"
		       : ", so tags, and versions to which profiles were assigned later, are gone");
	return rarog_fsck_report(s,
				 (struct rarog_keep_finding){ .kind = RAROG_FINDING_CATALOGUE,
							      .thing = old ? old : s->store->path,
							      .message = message,
							      .is_repaired = true,
							      .repair = "rebuilt" });
}

/* What a newer version knows of its catalogue would be lost in one of this version's. */
static int refuse_newer(const char *path)
{
	const struct rarog_store_options options = { .read_only = true };
	rarog_cleanup(rarog_store_freep) struct rarog_store *store = NULL;
	int r = rarog_store_open(path, &options, &store);

	if (r == -EPROTONOSUPPORT)
		return r;
	rarog_error_clear();
	return 0;
}

static int rebuild_locked(struct rarog_fsck_state *s)
{
	const struct rarog_store_options options = { .create = true, .anew = true };
	rarog_cleanup(rarog_freep) char *old = NULL;
	bool is_whole = false;
	hashes_t hashes = { 0 };
	int r = set_aside(s->store->path, &old);

	if (r == 0)
		r = rarog_store_open_parts(s->store, &options);
	if (r == 0)
		r = rarog_objects_each(s->store->objects, list_object, NULL, &hashes);
	if (r == 0)
		r = add_all(s, &hashes);
	if (r == 0 && old)
		is_whole = salvage(s->store, old);
	if (r == 0)
		r = say_so(s, old, is_whole, hashes.n);
	rarog_vec_release(&hashes);
	return r;
}

int rarog_fsck_rebuild(struct rarog_fsck_state *s, const char *path)
{
	int r = refuse_newer(path);

	if (r == 0)
		r = rarog_mkdirs(path, 0777);
	if (r < 0)
		return r;
	s->store = rarog_store_new(path);
	r = s->store ? rarog_store_lock_all(s->store) : rarog_oom();
	if (r == 0) {
		r = rebuild_locked(s);
		rarog_store_let_go(s->store);
	}
	rarog_store_free(s->store);
	s->store = NULL;
	return r;
}
