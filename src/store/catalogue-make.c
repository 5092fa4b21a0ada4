/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A new catalogue is made in memory and gets its name when it is complete and on disk: one flush
 * instead of SQLite's eight, and a killed process leaves none, not half of one.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "store/schema.h"
#include "store/store-own.h"

/* Bytes 18 and 19 of the file: which versions may write and read it; 2: with a write-ahead log
 * (https://www.sqlite.org/fileformat2.html, 1.3.3). */
#define FORMAT_AT  18
#define FORMAT_WAL 2

static int write_image(struct rarog_sql *memory, const char *file, bool is_wal)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file new = RAROG_NEW_FILE_NONE;
	sqlite3_int64 n = 0;
	unsigned char *image = sqlite3_serialize(memory->db, "main", &n, 0);
	int r = image ? rarog_new_file_open(file, &new) : rarog_oom();

	if (r == 0 && is_wal)
		memset(image + FORMAT_AT, FORMAT_WAL, 2);
	if (r == 0 && (r = rarog_write_all(new.fd, (size_t)n, image)) < 0)
		r = rarog_fail(r, "%s: cannot write: %s", file, strerror(-r));
	sqlite3_free(image);
	return r < 0 ? r : rarog_new_file_commit(&new);
}

/* What is left beside a catalogue that was removed would be taken for the new one's. */
static int remove_leftovers(const char *file)
{
	static const char *const suffixes[] = { "-wal", "-shm", "-journal" };

	for (size_t i = 0; i < RAROG_COUNT(suffixes); i++) {
		rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s%s", file, suffixes[i]);

		if (!path)
			return rarog_oom();
		if (unlink(path) < 0 && errno != ENOENT)
			return rarog_fail_errno("%s: cannot remove", path);
	}
	return 0;
}

static int make(const char *file, bool is_wal)
{
	struct rarog_sql memory = { 0 };
	int r = rarog_sql_open(&memory, ":memory:", file,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);

	if (r == 0)
		r = rarog_schema_migrate(&memory);
	if (r == 0)
		r = remove_leftovers(file);
	if (r == 0)
		r = write_image(&memory, file, is_wal);
	rarog_sql_close(&memory);
	return r;
}

int rarog_catalogue_make(struct rarog_store *store, const char *file, bool is_wal)
{
	int r = rarog_store_lock_all(store);

	if (r < 0)
		return r;
	if (access(file, F_OK) < 0) /* no other made it meanwhile */
		r = make(file, is_wal);
	rarog_store_let_go(store);
	return r;
}
