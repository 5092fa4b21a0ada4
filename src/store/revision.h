/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What users write to name a profile or a version:
 *
 *   ./a.rarog  /x/y  b    a file: called *.rarog, with a path, or a profile by its first bytes (a
 *                         bare repository has a file HEAD)
 *   0@i  2@i              the n-th profile of HEAD, as status numbers them
 *   0@p                   the n-th pending profile
 *   0@REV                 the n-th profile of another version
 *   0@i-3@i               several (rarog_targets_find())
 *   3f9c…                 a profile by the beginning of its hash, at least 4 digits
 *   NAME                  a tag
 *   HEAD~3  main  v1.2    a version as git names it: for a profile, the newest one of it
 *
 * In this order; `profile:…`, `tag:…` and `commit:…` say which is meant where a hash prefix
 * fits several: then it is an error that names them, never a guess.
 */
#ifndef RAROG_STORE_REVISION_H
#define RAROG_STORE_REVISION_H

#include "store/record.h"

enum rarog_target_kind {
	RAROG_TARGET_FILE = 1,    /* .path */
	RAROG_TARGET_PENDING = 2, /* .path */
	RAROG_TARGET_PROFILE = 4, /* .record, .path */
	RAROG_TARGET_VERSION = 8, /* .commit */
};

#define RAROG_TARGET_ANY_PROFILE (RAROG_TARGET_FILE | RAROG_TARGET_PENDING | RAROG_TARGET_PROFILE)

struct rarog_target {
	enum rarog_target_kind kind;
	char *path;                   /* a profile file to open */
	struct rarog_records records; /* one row: PROFILE */
	struct rarog_commit commit;   /* VERSION; PROFILE found through a version */
};

/* Where names are looked up. */
struct rarog_scope {
	struct rarog_store *store;     /* NULL: files only */
	struct rarog_vcs *vcs;         /* NULL: no version names */
	enum rarog_record_order order; /* numbering of 0@i */
	const char *options;           /* of a version, the newest that has these; as in a filter */
};

/**
 * rarog_target_find() - what @text names
 * @accept: kinds that will do; a version where only profiles will do gives its newest profile
 *
 * Return: 0; -ENOENT nothing of that name (near names suggested), -EINVAL ambiguous or malformed.
 */
int rarog_target_find(const struct rarog_scope *scope, const char *text, unsigned accept,
		      struct rarog_target *ret_target);
void rarog_target_release(struct rarog_target *target);

/** rarog_target_open() - the profile that is FILE, PENDING or PROFILE; free it before the store.
 * Return: 0; as rarog_profile_open(), rarog_record_open(). */
int rarog_target_open(const struct rarog_scope *scope, const struct rarog_target *target,
		      struct rarog_profile **ret_profile);

/** rarog_names_file() - is @text a file before it is anything else? */
bool rarog_names_file(const char *text);

struct rarog_targets {
	RAROG_VEC(struct rarog_target) list;
};

/** rarog_targets_find() - the same, ranges 0@i-3@i and 0@p-3@p allowed; appends. */
int rarog_targets_find(const struct rarog_scope *scope, const char *text, unsigned accept,
		       struct rarog_targets *targets);
void rarog_targets_release(struct rarog_targets *targets);

#endif
