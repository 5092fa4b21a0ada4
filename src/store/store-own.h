/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of struct rarog_store, for src/store only. */
#ifndef RAROG_STORE_STORE_OWN_H
#define RAROG_STORE_STORE_OWN_H

#include "base/vec.h"
#include "store/sql.h"
#include "store/store.h"

struct rarog_store {
	char *path;
	struct rarog_sql sql;
	struct rarog_objects *objects;
	bool is_read_only;
	uint64_t timeout_ns;
	char id[33];
	unsigned depth;          /* of begun transactions */
	bool is_doomed;          /* an inner one was rolled back */
	int lock;                /* descriptor of the file "lock", -1 not open yet */
	unsigned holds;          /* of the shared lock */
	RAROG_VEC(int) unpacked; /* files in memory that rarog_record_path() gave out */
};

/** rarog_store_new() - not open yet, but it can be locked; NULL: no memory. */
struct rarog_store *rarog_store_new(const char *path);
int rarog_store_open_parts(struct rarog_store *store, const struct rarog_store_options *options);

/** rarog_store_close_unpacked() - files in memory that were given out, but for the first @n. */
void rarog_store_close_unpacked(struct rarog_store *store, size_t n);

/** rarog_store_writable() - 0, or -EROFS with message. */
int rarog_store_writable(struct rarog_store *store);

/* A writer that adds an object and then its row holds the lock shared; gc's sweep and rebuild hold
 * it exclusively. -ESTALE: what is open is a catalogue that rebuild has put aside. */
int rarog_store_hold(struct rarog_store *store);
void rarog_store_let_go(struct rarog_store *store);

/** rarog_store_lock_all() - exclusively; rarog_store_let_go() ends it. */
int rarog_store_lock_all(struct rarog_store *store);

/* catalogue.c */
int rarog_catalogue_open(struct rarog_store *store, const struct rarog_store_options *options);

/** rarog_catalogue_make() - the empty catalogue @file, unless it is there; on disk on return. */
int rarog_catalogue_make(struct rarog_store *store, const char *file, bool is_wal);

/** rarog_version_id() - id of the version @name, made if it is not there. Return: 0, -errno. */
int rarog_version_id(struct rarog_store *store, const char *name, int64_t *ret_id);

struct rarog_job;
struct rarog_machine;
/* ids of rows, made if they are not there; inside a transaction. */
int rarog_job_id(struct rarog_store *store, const struct rarog_job *job, int64_t *ret_id);
int rarog_machine_id(struct rarog_store *store, const struct rarog_machine *machine,
		     int64_t *ret_id);

struct rarog_facts;
int rarog_software_put(struct rarog_store *store, const struct rarog_facts *facts);

/** rarog_record_heal() - an object that came back makes the rows that missed it whole. */
int rarog_record_heal(struct rarog_store *store, const struct rarog_hash *object);

/** rarog_record_add_object() - register a profile that is in the store already; for fsck. As
 * rarog_record_add(). */
int rarog_record_add_object(struct rarog_store *store, const struct rarog_hash *object);

#endif
