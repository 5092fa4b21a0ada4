/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lock file keeps gc's sweep apart from processes that add objects and rows
 * (doc/design/store.md).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "base/error.h"
#include "base/str.h"
#include "store/store-own.h"

static int open_lock(struct rarog_store *store)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/lock", store->path);

	if (!path)
		return rarog_oom();
	if (store->lock < 0)
		store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	return store->lock < 0 ? rarog_fail_errno("%s: cannot open", path) : 0;
}

static int lock(struct rarog_store *store, int operation)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int r = open_lock(store);

	for (uint64_t waited = 0; r == 0; waited += (uint64_t)pause.tv_nsec) {
		if (flock(store->lock, operation | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return rarog_fail_errno("%s/lock: cannot lock", store->path);
		if (waited > store->timeout_ns)
			return rarog_fail(-EAGAIN,
					  "%s/lock: another process keeps it; is it stopped or "
					  "hanging?",
					  store->path);
		nanosleep(&pause, NULL);
	}
	return r;
}

/* What is written to a catalogue that rebuild has put aside would be lost. */
static int refuse_replaced(struct rarog_store *store)
{
	int has_moved = 0;

	if (store->sql.db)
		sqlite3_file_control(store->sql.db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
	if (!has_moved)
		return 0;
	return rarog_fail(-ESTALE,
			  "%s: its catalogue was made anew meanwhile (rarog fsck --rebuild); try "
			  "again",
			  store->path);
}

static int hold(struct rarog_store *store, int operation)
{
	int r = lock(store, operation);

	if (r < 0)
		return r;
	store->holds++;
	r = refuse_replaced(store);
	if (r < 0)
		rarog_store_let_go(store);
	return r;
}

int rarog_store_hold(struct rarog_store *store)
{
	if (store->holds == 0)
		return hold(store, LOCK_SH);
	store->holds++;
	return 0;
}

int rarog_store_lock_all(struct rarog_store *store)
{
	return hold(store, LOCK_EX);
}

void rarog_store_let_go(struct rarog_store *store)
{
	if (--store->holds == 0)
		flock(store->lock, LOCK_UN);
}
