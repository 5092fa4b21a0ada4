/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeping the store sound and small: fsck, gc, sizes. */
#ifndef RAROG_STORE_KEEP_H
#define RAROG_STORE_KEEP_H

#include "store/store.h"

/* --- fsck --- */

enum rarog_finding_kind {
	RAROG_FINDING_CATALOGUE,    /* SQLite's integrity check */
	RAROG_FINDING_SCHEMA,       /* a table, index or reference is not as it must be */
	RAROG_FINDING_MISSING,      /* a row's object is not there */
	RAROG_FINDING_DAMAGED,      /* the bytes do not give the name */
	RAROG_FINDING_UNREADABLE,   /* sound bytes, but not a profile that this version reads */
	RAROG_FINDING_MISMATCH,     /* row and header disagree */
	RAROG_FINDING_UNREFERENCED, /* an object that nothing refers to: gc's business, no fault */
	RAROG_FINDING_STRAY,        /* a file that does not belong there: no fault */
};

struct rarog_keep_finding {
	enum rarog_finding_kind kind;
	bool is_fault;
	const char *thing;   /* hash, path or table */
	const char *message; /* what is wrong */
	bool is_repaired;    /* and what was done: */
	const char *repair;  /* "moved to quarantine", NULL */
};

struct rarog_fsck {
	bool repair;  /* damaged objects to quarantine, their rows marked; mismatches corrected */
	bool rebuild; /* a new catalogue from the profiles' headers (tags and verdicts are taken
		       * over from the old one as far as it can be read) */
	bool quick;   /* do not read the objects, only see that they are there */
	int (*report)(const struct rarog_keep_finding *finding, void *user); /* non-zero ends it */
	void (*progress)(uint64_t done, uint64_t all, void *user);           /* may be NULL */
	void *user;
};

struct rarog_fsck_result {
	uint64_t objects, records, bytes; /* looked at */
	uint64_t faults, repaired;
};

/**
 * rarog_store_fsck() - look at everything
 *
 * @path as for rarog_store_open(): it works on stores that cannot be opened. Return: 0 it was
 * done, also when faults were found; -errno.
 */
int rarog_store_fsck(const char *path, const struct rarog_fsck *fsck,
		     struct rarog_fsck_result *ret_result);

/* --- gc --- */

/* Zeroed: nothing is removed but what nothing refers to and is two weeks old. What carries a tag,
 * or belongs to a version that does, is never removed. */
struct rarog_retention {
	bool no_grace;      /* unreferenced objects go at once: only while nothing collects */
	uint64_t grace_ns;  /* 0: 14 days */
	uint32_t per_group; /* keep the newest of each version, job and machine class; 0: all */
	uint64_t full_ns;   /* of versions older than this … 0: no such rule */
	uint32_t then_per_group;  /* … keep so many of each group; 0 with full_ns: none */
	uint32_t then_every;      /* … and only of each n-th of these versions; 0, 1: of all */
	uint64_t pending_ns;      /* pending profiles older than this go; 0: they stay */
	uint64_t max_bytes;       /* then the oldest go until it fits; 0: no limit */
	uint64_t max_build_bytes; /* of builds/; 0: no limit */
	bool dry_run;
};

struct rarog_gc_result {
	uint64_t records, objects, files, derived; /* removed (dry_run: would be) */
	uint64_t bytes;                            /* freed on disk */
	uint64_t packed;                           /* profiles that are in a pack now */
};

int rarog_store_gc(struct rarog_store *store, const struct rarog_retention *retention,
		   struct rarog_gc_result *ret_result);

/* --- packs --- */

struct rarog_repack_result {
	uint64_t packed, packed_bytes;   /* profiles, and what their files took */
	uint64_t dropped, dropped_bytes; /* that nothing referred to */
};

/**
 * rarog_store_repack() - loose profiles and small packs become one pack
 * @drop_before_ns: packed profiles that nothing refers to and that were put before go; 0: all stay
 * @ret_result: may be NULL
 *
 * Part of gc; also worth it after a few hundred profiles were added. Writers go on meanwhile. If
 * another process is at it, nothing is done.
 */
int rarog_store_repack(struct rarog_store *store, uint64_t drop_before_ns,
		       struct rarog_repack_result *ret_result);

/** rarog_store_repack_after() - rarog_store_repack() if @profiles have been added since the last
 * one (nothing is dropped); in microseconds if not. */
int rarog_store_repack_after(struct rarog_store *store, unsigned profiles);

/* --- sizes --- */

struct rarog_sizes {
	uint64_t profiles, profile_bytes; /* registered, each object once */
	uint64_t derived, derived_bytes;
	uint64_t loose, loose_bytes; /* objects that nothing refers to */
	uint64_t pending, pending_bytes;
	uint64_t builds, build_bytes;
	uint64_t quarantined, quarantined_bytes;
	uint64_t catalogue_bytes;
	uint64_t disk_bytes; /* what the file system spends on all of it */
};

/** rarog_store_sizes() - @exact: walk the folders; else what the catalogue knows (profiles and
 * derived objects; the rest 0), in milliseconds. */
int rarog_store_sizes(struct rarog_store *store, bool exact, struct rarog_sizes *ret_sizes);

#endif
