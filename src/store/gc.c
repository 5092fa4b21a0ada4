/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows first, by rules in SQL, in one transaction; then the objects that nothing refers to any
 * more. These are looked for without a lock. They go in portions: under the exclusive lock, when
 * no process can be between putting an object and its row, the catalogue is asked once more for
 * each, and between two portions writers have their turn. At last what is loose is packed. A dry
 * run does the same in a transaction and rolls back.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "store/attempt.h"
#include "store/keep.h"
#include "store/record.h"
#include "store/refer.h"

#define DAY_NS   (86400ull * 1000000000)
#define GRACE_NS (14 * DAY_NS)
#define PORTION  256     /* objects removed under one lock: some milliseconds */
#define PAUSE_NS 5000000 /* for writers, which look every 2 ms */

/* What no rule takes. */
#define UNTAGGED                                                                                   \
	" AND NOT EXISTS (SELECT 1 FROM tag t WHERE t.profile = profile.id)"                       \
	" AND NOT EXISTS (SELECT 1 FROM tag t WHERE t.version = profile.version)"

struct gc {
	struct rarog_store *store;
	const struct rarog_retention *rules;
	struct rarog_gc_result result;
	uint64_t now_ns, grace_ns;
	RAROG_VEC(struct rarog_object_info) doomed;
};

/* --- rows --- */

static int count_removed(struct gc *gc, int changed)
{
	if (changed > 0)
		gc->result.records += (uint64_t)changed;
	return changed < 0 ? changed : 0;
}

static int keep_per_group(struct gc *gc)
{
	if (gc->rules->per_group == 0)
		return 0;
	return count_removed(
		gc,
		rarog_sql_run(
			&gc->store->sql,
			"DELETE FROM profile WHERE id IN (SELECT id FROM ("
			"SELECT p.id, row_number() OVER (PARTITION BY p.version, p.job,"
			" m.class ORDER BY p.started DESC, p.id DESC) AS n"
			" FROM profile p JOIN machine m ON m.id = p.machine) WHERE n > ?)" UNTAGGED,
			"i", (int64_t)gc->rules->per_group));
}

/* Old versions, counted from the newest of them: every n-th keeps some, the others none. */
static int thin_old(struct gc *gc)
{
	const struct rarog_retention *rules = gc->rules;
	uint64_t every = rules->then_every > 0 ? rules->then_every : 1;

	if (rules->full_ns == 0 || rules->full_ns > gc->now_ns)
		return 0;
	return count_removed(
		gc,
		rarog_sql_run(
			&gc->store->sql,
			"WITH dated AS (SELECT p.id, p.version, p.job, p.started, m.class,"
			"  ifnull(v.commit_time, max(p.started) OVER (PARTITION BY p.version)"
			"  / 1000000000) AS at FROM profile p JOIN machine m ON m.id = p.machine"
			"  LEFT JOIN version v ON v.id = p.version),"
			" old AS (SELECT *, dense_rank() OVER (ORDER BY at DESC, version) - 1 AS k,"
			"  row_number() OVER (PARTITION BY version, job, class"
			"   ORDER BY started DESC, id DESC) AS n FROM dated WHERE at < ?1)"
			"DELETE FROM profile WHERE id IN"
			" (SELECT id FROM old WHERE n > ?2 OR k % ?3 != 0)" UNTAGGED,
			"iii", (int64_t)((gc->now_ns - rules->full_ns) / 1000000000),
			(int64_t)rules->then_per_group, (int64_t)every));
}

static int fit_size(struct gc *gc)
{
	if (gc->rules->max_bytes == 0)
		return 0;
	return count_removed(
		gc, rarog_sql_run(
			    &gc->store->sql,
			    "DELETE FROM profile WHERE id IN (SELECT id FROM (SELECT id, sum(bytes)"
			    " OVER (ORDER BY started DESC, id DESC) AS so_far FROM profile)"
			    " WHERE so_far > ?)" UNTAGGED,
			    "i", (int64_t)gc->rules->max_bytes));
}

/* Call graphs are of no profile; they are read again when they are wanted. */
static int drop_derived(struct gc *gc)
{
	int n = rarog_sql_run(
		&gc->store->sql,
		"DELETE FROM derived WHERE id IN (SELECT derived FROM derived_input i"
		" WHERE NOT EXISTS (SELECT 1 FROM profile p WHERE p.object = i.object))"
		" OR kind = 'call-graph'",
		"");

	gc->result.derived = n > 0 ? (uint64_t)n : 0;
	return n < 0 ? n : 0;
}

static int drop_unused_rows(struct gc *gc)
{
	return rarog_sql_script(
		&gc->store->sql,
		"DELETE FROM software WHERE key NOT IN"
		" (SELECT software FROM profile WHERE software IS NOT NULL);"
		"DELETE FROM job WHERE id NOT IN (SELECT job FROM profile)"
		" AND id NOT IN (SELECT job FROM attempt);"
		"DELETE FROM machine WHERE id NOT IN (SELECT machine FROM profile) AND id NOT IN"
		" (SELECT machine FROM attempt WHERE machine IS NOT NULL);"
		"DELETE FROM version WHERE id NOT IN"
		" (SELECT version FROM profile WHERE version IS NOT NULL)"
		" AND id NOT IN (SELECT version FROM attempt)"
		" AND id NOT IN (SELECT version FROM tag WHERE version IS NOT NULL)"
		" AND id NOT IN (SELECT version FROM derived WHERE version IS NOT NULL);");
}

static int drop_rows(struct gc *gc)
{
	static int (*const steps[])(struct gc *) = { keep_per_group, thin_old, fit_size,
						     drop_derived, drop_unused_rows };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(steps); i++)
		r = steps[i](gc);
	return r < 0 ? r : 0;
}

/* --- objects and files --- */

static int doom_object(const struct rarog_object_info *info, void *user)
{
	struct gc *gc = user;
	int r = rarog_refer_has(gc->store, &info->hash);

	if (r != 0 || info->changed_ns + gc->grace_ns > gc->now_ns)
		return r < 0 ? r : 0;
	if (info->is_packed && !gc->rules->dry_run) /* packing leaves it out */
		return 0;
	if (gc->rules->dry_run) {
		gc->result.objects++;
		gc->result.bytes += info->disk_bytes;
		return 0;
	}
	return rarog_vec_push(&gc->doomed, *info) < 0 ? rarog_oom() : 0;
}

/* Still not referred to, and not put again: it goes. */
static int remove_object(struct gc *gc, const struct rarog_object_info *doomed)
{
	struct rarog_object_info now;
	int r = rarog_object_info(gc->store->objects, &doomed->hash, &now);

	if (r < 0 || now.is_packed || now.changed_ns != doomed->changed_ns)
		return r == -ENOENT ? 0 : r;
	r = rarog_object_remove(gc->store->objects, &doomed->hash);
	if (r < 0)
		return r;
	gc->result.objects++;
	gc->result.bytes += doomed->disk_bytes;
	return 0;
}

static int remove_locked(struct gc *gc, size_t n, const struct rarog_object_info doomed[])
{
	struct rarog_hash hashes[PORTION];
	bool is_referred[PORTION] = { false };
	int r;

	for (size_t i = 0; i < n; i++)
		hashes[i] = doomed[i].hash;
	r = rarog_refer_filter(gc->store, n, hashes, is_referred);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (!is_referred[i])
			r = remove_object(gc, &doomed[i]);
	return r;
}

static int remove_objects(struct gc *gc)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int r = 0;

	for (size_t i = 0; r == 0 && i < gc->doomed.n; i += PORTION) {
		size_t left = gc->doomed.n - i;

		if (i > 0)
			nanosleep(&pause, NULL);
		r = rarog_store_lock_all(gc->store);
		if (r < 0)
			return r;
		r = remove_locked(gc, left < PORTION ? left : PORTION, gc->doomed.v + i);
		rarog_store_let_go(gc->store);
	}
	return r;
}

static void remove_file(struct gc *gc, const char *path, uint64_t older_than_ns)
{
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	if ((uint64_t)status.st_mtim.tv_sec * 1000000000 + older_than_ns > gc->now_ns)
		return;
	if (!gc->rules->dry_run && unlink(path) < 0)
		return;
	gc->result.files++;
	gc->result.bytes += (uint64_t)status.st_blocks * 512;
}

/* Drafts of processes that are gone: none takes a day. */
static int sweep_tmp(struct gc *gc)
{
	rarog_cleanup(rarog_freep) char *folder = rarog_asprintf("%s/tmp", gc->store->path);
	DIR *directory = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	int r = folder ? 0 : rarog_oom();

	while (r == 0 && directory && (entry = readdir(directory)) != NULL) {
		rarog_cleanup(rarog_freep) char *path =
			rarog_asprintf("%s/%s", folder, entry->d_name);

		bool is_pack = rarog_starts_with(entry->d_name, "pack-"); /* written unlocked */

		if (path)
			remove_file(gc, path, gc->rules->no_grace && !is_pack ? 0 : DAY_NS);
	}
	if (directory)
		closedir(directory);
	return r;
}

static int sweep_pending(struct gc *gc)
{
	rarog_cleanup(rarog_pendings_release) struct rarog_pendings pendings = { 0 };
	int r = gc->rules->pending_ns ? rarog_pendings_read(gc->store, &pendings) : 0;

	for (size_t i = 0; r == 0 && i < pendings.files.n; i++)
		remove_file(gc, pendings.files.v[i].path, gc->rules->pending_ns);
	return r;
}

/* --- all of it --- */

static int find_doomed(struct gc *gc)
{
	int r = rarog_refer_collect(gc->store);

	return r == 0 ? rarog_objects_each(gc->store->objects, doom_object, NULL, gc) : r;
}

static int decide(struct gc *gc)
{
	int r = rarog_store_begin(gc->store);

	if (r < 0)
		return r;
	r = drop_rows(gc);
	if (r == 0 && gc->rules->dry_run)
		r = find_doomed(gc);
	if (r < 0 || gc->rules->dry_run) {
		rarog_store_rollback(gc->store);
		return r;
	}
	r = rarog_store_commit(gc->store);
	return r == 0 ? find_doomed(gc) : r;
}

static int repack(struct gc *gc)
{
	struct rarog_repack_result packed = { 0 };
	int r = rarog_store_repack(gc->store, gc->now_ns - gc->grace_ns, &packed);

	gc->result.packed = packed.packed;
	gc->result.objects += packed.dropped;
	gc->result.bytes += packed.dropped_bytes;
	return r;
}

static int collect(struct gc *gc)
{
	int r = decide(gc);

	if (r == 0 && !gc->rules->dry_run)
		r = remove_objects(gc);
	if (r == 0 && !gc->rules->dry_run)
		r = repack(gc);
	if (r == 0)
		r = rarog_store_lock_all(gc->store); /* a writer of a draft holds it shared */
	if (r < 0)
		return r;
	r = sweep_tmp(gc);
	rarog_store_let_go(gc->store);
	return r == 0 ? sweep_pending(gc) : r;
}

/* House-keeping: where a reader is in the way it is left to the next time. */
static void shrink(struct gc *gc)
{
	int64_t pages = 0, free_pages = 0;

	if (rarog_sql_value(&gc->store->sql, &pages, "PRAGMA page_count", "") > 0 &&
	    rarog_sql_value(&gc->store->sql, &free_pages, "PRAGMA freelist_count", "") > 0 &&
	    free_pages > 256 && free_pages > pages / 4)
		sqlite3_exec(gc->store->sql.db, "VACUUM", NULL, NULL, NULL);
	rarog_error_clear();
}

static int prune_builds(struct gc *gc)
{
	uint64_t freed = 0;
	int r = rarog_builds_prune(gc->store, gc->rules->max_build_bytes, &freed);

	gc->result.bytes += freed;
	return r;
}

int rarog_store_gc(struct rarog_store *store, const struct rarog_retention *retention,
		   struct rarog_gc_result *ret_result)
{
	struct gc gc = { .store = store, .rules = retention, .now_ns = rarog_epoch_ns() };
	int r = rarog_store_writable(store);

	gc.grace_ns = retention->grace_ns ? retention->grace_ns : GRACE_NS;
	if (retention->no_grace)
		gc.grace_ns = 0;
	if (r < 0)
		return r;
	r = collect(&gc);
	if (r == 0 && !retention->dry_run)
		shrink(&gc);
	rarog_vec_release(&gc.doomed);
	if (r == 0 && !retention->dry_run && retention->max_build_bytes > 0)
		r = prune_builds(&gc);
	if (r < 0)
		return r;
	*ret_result = gc.result;
	return 0;
}
