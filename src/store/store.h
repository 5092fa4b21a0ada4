/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The store: a catalogue (SQLite) and objects, in one directory. What a function reports as done
 * is on disk and survives kill -9 and a power cut; several processes may read and write at once,
 * and wait for each other without a word. doc/design/store.md has the layout, the schema and why.
 *
 *   store.h     open, create, transactions, places
 *   record.h    profiles: add, find, list, remove; pending ones
 *   version.h   versions and tags; what a version carries
 *   attempt.h   jobs done, tried and failed; builds; leases on what must be cleaned up
 *   derived.h   models and verdicts, keyed by the profiles they were made from
 *   keep.h      fsck, gc, sizes, quarantine
 */
#ifndef RAROG_STORE_STORE_H
#define RAROG_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "store/object.h"

struct rarog_store;

enum rarog_store_journal {
	RAROG_JOURNAL_AUTO = 0, /* a rollback journal on network file systems, else WAL */
	RAROG_JOURNAL_WAL,
	RAROG_JOURNAL_ROLLBACK,
};

struct rarog_store_options {
	bool create;    /* make it if there is none */
	bool anew;      /* with create: also where objects show that there was one (fsck) */
	bool read_only; /* never write, not even a migration */
	enum rarog_store_journal journal;
	uint64_t timeout_ns; /* wait that long for other writers; 0: five minutes */
};

/**
 * rarog_store_open() - the store in the directory @path
 * @options: NULL: defaults
 *
 * A store of an older version is migrated (read-only: read as it is if it can be, else refused). A
 * directory that cannot be written is opened for reading; writers then say so.
 * Return: 0; -ENOENT there is none (the message names rarog init); -EPROTONOSUPPORT made by a newer
 * version; -EBADMSG the catalogue is damaged or lost: the message names rarog fsck; -EAGAIN other
 * writers kept it locked; -errno.
 */
int rarog_store_open(const char *path, const struct rarog_store_options *options,
		     struct rarog_store **ret_store);
void rarog_store_free(struct rarog_store *store); /* an open transaction is rolled back */
RAROG_DEFINE_FREEP(rarog_store);

const char *rarog_store_path(const struct rarog_store *store);
bool rarog_store_is_read_only(const struct rarog_store *store);
struct rarog_objects *rarog_store_objects(struct rarog_store *store);

/** rarog_store_id() - names this store among others (bundle, push); 32 digits, borrowed. */
const char *rarog_store_id(const struct rarog_store *store);

enum rarog_store_place {
	RAROG_PLACE_PENDING,   /* profiles that are not registered */
	RAROG_PLACE_BUILDS,    /* builds/KEY */
	RAROG_PLACE_WORKTREES, /* checkouts of rarog run */
	RAROG_PLACE_HISTORY,   /* statistics that steer later runs */
	RAROG_PLACE_TMP,       /* unfinished files; gc empties it */
	RAROG_PLACE_QUARANTINE,
};

/** rarog_store_place() - the directory, made if it is not there; the caller frees. */
int rarog_store_place(struct rarog_store *store, enum rarog_store_place place, char **ret_path);

/* --- transactions --- */

/**
 * rarog_store_begin() - what follows is saved together, or not at all
 *
 * Without it, every writing function is a transaction of its own. Other writers wait until commit:
 * keep it to seconds (a bundle is imported in portions). Calls nest; the outermost counts.
 * -ESTALE: rarog fsck --rebuild made a new catalogue since this one was opened; so do the writing
 * functions.
 */
int rarog_store_begin(struct rarog_store *store);

/** rarog_store_commit() - 0: all of it is on disk. On failure nothing of it is saved. */
int rarog_store_commit(struct rarog_store *store);
void rarog_store_rollback(struct rarog_store *store);

/* Clean-up for a transaction that was not committed:
 *   rarog_cleanup(rarog_store_rollbackp) struct rarog_store *open = store; … commit; open = NULL */
static inline void rarog_store_rollbackp(struct rarog_store **store)
{
	if (*store)
		rarog_store_rollback(*store);
}

/* --- settings that belong to the store, not to the code (.rarog.yml) --- */

/** rarog_store_get() - the caller frees; -ENOENT without message: not set. */
int rarog_store_get(struct rarog_store *store, const char *key, char **ret_value);

/** rarog_store_set() - NULL: unset. */
int rarog_store_set(struct rarog_store *store, const char *key, const char *value);

#endif
