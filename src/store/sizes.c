/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "store/keep.h"
#include "store/record.h"
#include "store/refer.h"
#include "store/remove-tree.h"

int rarog_refer_collect(struct rarog_store *store)
{
	return rarog_sql_script(
		&store->sql,
		"CREATE TEMP TABLE IF NOT EXISTS referred(object BLOB PRIMARY KEY) WITHOUT ROWID;"
		"DELETE FROM referred;"
		"INSERT OR IGNORE INTO referred SELECT object FROM profile;"
		"INSERT OR IGNORE INTO referred SELECT object FROM derived;"
		"INSERT OR IGNORE INTO referred SELECT log FROM attempt WHERE log IS NOT NULL;"
		"INSERT OR IGNORE INTO referred SELECT log FROM build WHERE log IS NOT NULL;");
}

int rarog_refer_has(struct rarog_store *store, const struct rarog_hash *object)
{
	int64_t one;

	return rarog_sql_value(&store->sql, &one, "SELECT 1 FROM referred WHERE object = ?", "h",
			       object);
}

static int note_asked(struct rarog_store *store, size_t n, const struct rarog_hash objects[])
{
	int r = rarog_sql_script(
		&store->sql,
		"CREATE TEMP TABLE IF NOT EXISTS asked(object BLOB PRIMARY KEY) WITHOUT ROWID;"
		"DELETE FROM asked;");

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = rarog_sql_run(&store->sql, "INSERT OR IGNORE INTO asked VALUES(?)", "h",
				  &objects[i]);
	return r < 0 ? r : 0;
}

/* One statement: logs have no index, so their tables are gone through once, not once for each. */
int rarog_refer_filter(struct rarog_store *store, size_t n, const struct rarog_hash objects[],
		       bool ret_referred[])
{
	int r = note_asked(store, n, objects);

	if (r == 0)
		r = rarog_sql_script(
			&store->sql,
			"DELETE FROM asked WHERE"
			" EXISTS(SELECT 1 FROM profile p WHERE p.object = asked.object)"
			" OR EXISTS(SELECT 1 FROM derived d WHERE d.object = asked.object)"
			" OR object IN (SELECT log FROM attempt WHERE log IS NOT NULL)"
			" OR object IN (SELECT log FROM build WHERE log IS NOT NULL);");
	for (size_t i = 0; r >= 0 && i < n; i++) {
		int64_t one;

		r = rarog_sql_value(&store->sql, &one, "SELECT 1 FROM asked WHERE object = ?", "h",
				    &objects[i]);
		ret_referred[i] = r == 0;
	}
	return r < 0 ? r : 0;
}

/* --- what the catalogue knows --- */

static int known(struct rarog_store *store, struct rarog_sizes *sizes)
{
	static const char *const questions[] = {
		"SELECT n FROM total WHERE kind = 'profile'",
		"SELECT bytes FROM total WHERE kind = 'profile'",
		"SELECT count(*) FROM (SELECT DISTINCT object FROM derived)",
		"SELECT ifnull(sum(bytes), 0) FROM (SELECT DISTINCT object, bytes FROM derived)",
		"SELECT count(*) FROM quarantine",
	};
	uint64_t *const answers[] = { &sizes->profiles, &sizes->profile_bytes, &sizes->derived,
				      &sizes->derived_bytes, &sizes->quarantined };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < RAROG_COUNT(questions); i++) {
		int64_t value = 0;

		r = rarog_sql_value(&store->sql, &value, questions[i], "");
		*answers[i] = (uint64_t)value;
	}
	return r < 0 ? r : 0;
}

/* --- what lies in the folders --- */

struct walk {
	struct rarog_store *store;
	struct rarog_sizes *sizes;
};

static int add_object(const struct rarog_object_info *info, void *user)
{
	struct walk *walk = user;
	int r = rarog_refer_has(walk->store, &info->hash);

	if (r == 0) {
		walk->sizes->loose++;
		walk->sizes->loose_bytes += info->bytes;
	}
	return r < 0 ? r : 0;
}

static uint64_t place_bytes(struct rarog_store *store, const char *name)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", store->path, name);

	return path ? rarog_tree_bytes(path) : 0;
}

static void count_builds(struct rarog_store *store, struct rarog_sizes *sizes)
{
	int64_t n = 0;

	rarog_sql_value(&store->sql, &n, "SELECT count(*) FROM build WHERE good", "");
	sizes->builds = (uint64_t)n;
	sizes->build_bytes = place_bytes(store, "builds");
}

static int walk_folders(struct rarog_store *store, struct rarog_sizes *sizes)
{
	rarog_cleanup(rarog_pendings_release) struct rarog_pendings pendings = { 0 };
	struct walk walk = { .store = store, .sizes = sizes };
	int r = rarog_refer_collect(store);

	if (r == 0)
		r = rarog_objects_each(store->objects, add_object, NULL, &walk);
	if (r == 0)
		r = rarog_pendings_read(store, &pendings);
	if (r < 0)
		return r;
	sizes->pending = pendings.files.n;
	for (size_t i = 0; i < pendings.files.n; i++)
		sizes->pending_bytes += pendings.files.v[i].bytes;
	count_builds(store, sizes);
	sizes->quarantined_bytes = place_bytes(store, "quarantine");
	sizes->catalogue_bytes = place_bytes(store, "catalog.db") +
				 place_bytes(store, "catalog.db-wal") +
				 place_bytes(store, "catalog.db-shm");
	sizes->disk_bytes = rarog_tree_bytes(store->path);
	return 0;
}

int rarog_store_sizes(struct rarog_store *store, bool exact, struct rarog_sizes *ret_sizes)
{
	struct rarog_sizes sizes = { 0 };
	int r = known(store, &sizes);

	if (r == 0 && exact)
		r = walk_folders(store, &sizes);
	if (r < 0)
		return r;
	*ret_sizes = sizes;
	return 0;
}
