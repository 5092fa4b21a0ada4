/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening the catalogue, whatever state it is in. In order: for writing; for reading; a directory
 * that cannot be written, where SQLite cannot make the shared memory of a WAL: as immutable, or, if
 * a writer left a WAL behind, a private copy of both files; an older schema that cannot be
 * migrated in place: a private copy in memory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "store/schema.h"
#include "store/store-own.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

/* Is it on a file system where WAL cannot work? */
static bool is_network_path(const char *path)
{
	static const unsigned long kinds[] = {
		NFS_SUPER_MAGIC,
		SMB_SUPER_MAGIC,
		CIFS_SUPER_MAGIC,
		SMB2_SUPER_MAGIC,
		V9FS_MAGIC,
		AFS_SUPER_MAGIC,
		AFS_FS_MAGIC,
		CODA_SUPER_MAGIC,
		CEPH_SUPER_MAGIC,
		FUSE_SUPER_MAGIC,
		OCFS2_SUPER_MAGIC,
		0x0bd00bd0 /* Lustre */,
		0x47504653 /* GPFS */,
		0x01161970 /* GFS2 */,
		0x19830326 /* BeeGFS */,
	};
	struct statfs system;

	if (statfs(path, &system) < 0)
		return false;
	for (size_t i = 0; i < RAROG_COUNT(kinds); i++)
		if ((unsigned long)system.f_type == kinds[i])
			return true;
	return false;
}

static int set_up(struct rarog_sql *sql)
{
	return rarog_sql_script(sql, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;"
				     "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;");
}

/* --- the journal --- */

static int journal_mode(struct rarog_sql *sql, bool *ret_is_wal)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(sql, &query, "PRAGMA journal_mode", "");

	if (r == 0)
		r = rarog_query_step(&query);
	if (r > 0)
		*ret_is_wal = strcmp(rarog_query_text(&query, 0), "wal") == 0;
	return r < 0 ? r : 0;
}

static bool wants_wal(const struct rarog_store *store, enum rarog_store_journal request)
{
	return request == RAROG_JOURNAL_AUTO ? !is_network_path(store->path)
					     : request == RAROG_JOURNAL_WAL;
}

/* A store that was made on a network file system keeps its rollback journal also where it is
 * local: others may be using it over the network. */
static int choose_journal(struct rarog_store *store, enum rarog_store_journal request, bool is_new)
{
	bool is_wal = false, wanted = wants_wal(store, request);
	int r = journal_mode(&store->sql, &is_wal);

	if (request == RAROG_JOURNAL_AUTO)
		wanted = wanted && (is_wal || is_new);
	if (r < 0 || is_wal == wanted)
		return r;
	return rarog_sql_script(&store->sql, wanted ? "PRAGMA journal_mode = WAL"
						    : "PRAGMA journal_mode = DELETE");
}

/* --- for writing --- */

static int prepare(struct rarog_store *store, const struct rarog_store_options *options)
{
	int version = rarog_schema_version(&store->sql), r;

	if (version < 0)
		return version;
	if (version == rarog_schema_newest() && options->journal == RAROG_JOURNAL_AUTO &&
	    !is_network_path(store->path))
		return 0;
	r = rarog_store_lock_all(store); /* made or changed by one at a time */
	if (r < 0)
		return r;
	version = rarog_schema_version(&store->sql);
	r = version < 0 ? version : choose_journal(store, options->journal, version == 0);
	if (r == 0)
		r = rarog_schema_migrate(&store->sql);
	rarog_store_let_go(store);
	return r;
}

static int open_for_writing(struct rarog_store *store, const char *file,
			    const struct rarog_store_options *options)
{
	int r = 0;

	if (options->create && access(file, F_OK) < 0)
		r = rarog_catalogue_make(store, file, wants_wal(store, options->journal));
	if (r == 0)
		r = rarog_sql_open(&store->sql, file, file, SQLITE_OPEN_READWRITE,
				   store->timeout_ns);
	if (r == 0)
		r = set_up(&store->sql);
	return r < 0 ? r : prepare(store, options);
}

/* --- for reading --- */

static bool is_filled(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && status.st_size > 0;
}

static char *uri_of(const char *file)
{
	rarog_cleanup(rarog_str_release) struct rarog_str uri = { 0 };
	int r = rarog_str_add(&uri, "file:");

	for (const char *c = file; r == 0 && *c; c++)
		r = strchr("?#%", *c) ? rarog_str_addf(&uri, "%%%02x", (unsigned char)*c)
				      : rarog_str_add_char(&uri, *c);
	if (r == 0)
		r = rarog_str_add(&uri, "?immutable=1");
	return r < 0 ? NULL : rarog_str_take(&uri);
}

static int copy_file(const char *from, const char *to)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	rarog_cleanup(rarog_closep) int fd =
		open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t n = 0;
	int r;

	if (fd < 0)
		return rarog_fail_errno("%s: cannot create", to);
	r = rarog_file_read(from, SIZE_MAX / 2, &bytes, &n);
	if (r < 0)
		return r;
	r = rarog_write_all(fd, n, bytes);
	return r < 0 ? rarog_fail(r, "%s: cannot write: %s", to, strerror(-r)) : 0;
}

static int copy_with_wal(const char *file, const char *wal, const char *folder, char *ret_copy,
			 char *ret_wal)
{
	int r;

	snprintf(ret_copy, PATH_MAX, "%s/catalog.db", folder);
	snprintf(ret_wal, PATH_MAX, "%s/catalog.db-wal", folder);
	r = copy_file(file, ret_copy);
	return r < 0 ? r : copy_file(wal, ret_wal);
}

/* What a killed writer left in the WAL was reported as saved: a reader must see it. */
static int open_copy(struct rarog_store *store, const char *file, const char *wal)
{
	const char *base = getenv("TMPDIR");
	char folder[PATH_MAX / 2], copy[PATH_MAX], copy_of_wal[PATH_MAX], shm[PATH_MAX];
	int r;

	snprintf(folder, sizeof(folder), "%s/rarog-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(folder))
		return rarog_fail_errno("%s: cannot make a directory for a copy of %s", folder,
					file);
	r = copy_with_wal(file, wal, folder, copy, copy_of_wal);
	if (r == 0)
		r = rarog_sql_open(&store->sql, copy, file, SQLITE_OPEN_READWRITE, 0);
	if (r == 0)
		r = rarog_sql_script(&store->sql, "PRAGMA locking_mode = EXCLUSIVE;"
						  "BEGIN IMMEDIATE; COMMIT;");
	snprintf(shm, sizeof(shm), "%s/catalog.db-shm", folder);
	unlink(copy);
	unlink(copy_of_wal);
	unlink(shm);
	rmdir(folder);
	return r;
}

static int open_unwritable(struct rarog_store *store, const char *file)
{
	rarog_cleanup(rarog_freep) char *wal = rarog_asprintf("%s-wal", file);
	rarog_cleanup(rarog_freep) char *uri = uri_of(file);

	if (!wal || !uri)
		return rarog_oom();
	rarog_sql_close(&store->sql);
	if (is_filled(wal))
		return open_copy(store, file, wal);
	return rarog_sql_open(&store->sql, uri, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
			      store->timeout_ns);
}

static int copy_to_memory(struct rarog_store *store)
{
	struct rarog_sql memory = { 0 };
	int r = rarog_sql_open(&memory, ":memory:", store->sql.path,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
	sqlite3_backup *backup =
		r == 0 ? sqlite3_backup_init(memory.db, "main", store->sql.db, "main") : NULL;

	if (r == 0 && (!backup || sqlite3_backup_step(backup, -1) != SQLITE_DONE))
		r = rarog_sql_fail(&memory, sqlite3_errcode(memory.db));
	sqlite3_backup_finish(backup);
	if (r < 0) {
		rarog_sql_close(&memory);
		return r;
	}
	rarog_sql_close(&store->sql);
	store->sql = memory;
	sqlite3_busy_handler(store->sql.db, NULL, NULL); /* it pointed to the variable here */
	return rarog_schema_migrate(&store->sql);
}

static int open_for_reading(struct rarog_store *store, const char *file)
{
	int version, r = rarog_sql_open(&store->sql, file, file, SQLITE_OPEN_READONLY,
					store->timeout_ns);

	store->is_read_only = true;
	version = r < 0 ? r : rarog_schema_version(&store->sql);
	/* a full file system has no room for the WAL's shared memory either */
	if (version == -EACCES || version == -EROFS || version == -ENOSPC) {
		r = open_unwritable(store, file);
		version = r < 0 ? r : rarog_schema_version(&store->sql);
	}
	if (version < 0)
		return version;
	if (version == 0)
		return rarog_fail(-ENOENT, "%s: there is nothing in it; run rarog init", file);
	r = version < rarog_schema_newest() ? copy_to_memory(store) : 0;
	return r < 0 ? r : set_up(&store->sql);
}

/* --- lost --- */

static bool has_entries(const struct rarog_store *store, const char *name)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", store->path, name);
	DIR *directory = path ? opendir(path) : NULL;
	const struct dirent *entry = NULL;

	while (directory && (entry = readdir(directory)) && entry->d_name[0] == '.')
		;
	if (directory)
		closedir(directory);
	return entry;
}

/* SQLite would wait for a writer to a pipe. */
static int refuse_no_file(const char *file)
{
	struct stat status;

	if (stat(file, &status) < 0 || S_ISREG(status.st_mode))
		return 0;
	return rarog_fail(-EBADMSG, "%s: it is no file; rarog fsck --rebuild makes a new one",
			  file);
}

/* A catalogue gets its name when it is whole: where there are objects, a missing or empty one is no
 * new store but a lost one, and a new one in its place would let gc sweep all of them. */
static int refuse_lost(const struct rarog_store *store, const char *file)
{
	if (is_filled(file) || (!has_entries(store, "objects") && !has_entries(store, "packs")) ||
	    is_filled(file)) /* another process made it meanwhile */
		return 0;
	return rarog_fail(-EBADMSG,
			  "%s: it is missing or empty, but there are profiles; rarog fsck "
			  "--rebuild makes a new one",
			  file);
}

int rarog_catalogue_open(struct rarog_store *store, const struct rarog_store_options *options)
{
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/catalog.db", store->path);
	int r;

	if (!file)
		return rarog_oom();
	r = refuse_no_file(file);
	if (r == 0 && !options->anew)
		r = refuse_lost(store, file);
	if (r < 0)
		return r;
	if (!options->create && access(file, F_OK) < 0)
		return rarog_fail(-ENOENT, "%s: there is no store; run rarog init", store->path);
	if (options->read_only || (access(file, F_OK) == 0 && access(file, W_OK) < 0) ||
	    access(store->path, W_OK) < 0)
		return open_for_reading(store, file);
	r = open_for_writing(store, file, options);
	if (r != -ENOSPC)
		return r;
	/* What is there can still be read; a writer hears that the file system is full. */
	rarog_error_clear();
	rarog_sql_close(&store->sql);
	return open_for_reading(store, file);
}
