/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `rarog run` remembers: which jobs of which versions were tried and how it ended, which
 * builds are at hand, and what must be cleaned up if the process that made it is gone. A run that
 * is resumed asks for this and does only the rest.
 */
#ifndef RAROG_STORE_ATTEMPT_H
#define RAROG_STORE_ATTEMPT_H

#include "store/job.h"
#include "store/machine.h"
#include "store/store.h"

/* --- attempts --- */

enum rarog_outcome {
	RAROG_OUTCOME_MEASURED,  /* there is a profile (count in .done) */
	RAROG_OUTCOME_NOT_BUILT, /* does not build */
	RAROG_OUTCOME_NOT_RUN,   /* the program cannot be run, or its preparation failed */
	RAROG_OUTCOME_FAILED,    /* it ended with a status that the job does not allow */
	RAROG_OUTCOME_TIMED_OUT,
	RAROG_OUTCOME_NOT_COLLECTED, /* the collector refused or failed */
};

/** rarog_outcome_names - "measured", "not-built", …, NULL at the end. */
extern const char *const rarog_outcome_names[];

struct rarog_attempt {
	const char *version, *tree;
	const struct rarog_job *job; /* NULL: no job in particular (a build) */
	const struct rarog_machine *machine;
	enum rarog_outcome outcome;
	uint32_t done;         /* profiles under this version, job and class */
	int status;            /* exit status, 128 + signal; -1: none */
	const char *message;   /* one line */
	struct rarog_hash log; /* object with the output, zero: none */
	uint64_t at_ns;
};

/** rarog_attempt_put() - replaces the one of the same version, job and machine class. */
int rarog_attempt_put(struct rarog_store *store, const struct rarog_attempt *attempt);

/**
 * rarog_attempt_find() - how the job stands for a version on machines of this class
 * @job_key: NULL: the build
 * @ret_attempt: .job and .machine are NULL; texts are the caller's to free with
 * rarog_attempt_release()
 *
 * Profiles of clean work trees count, also those that `collect` made. Return: 1 known, 0 never
 * tried, -errno.
 */
int rarog_attempt_find(struct rarog_store *store, const char *version,
		       const struct rarog_hash *job_key, const struct rarog_hash *machine_class,
		       struct rarog_attempt *ret_attempt);
void rarog_attempt_release(struct rarog_attempt *attempt);

/** rarog_attempt_each() - of one version (NULL: of all), newest first. */
int rarog_attempt_each(struct rarog_store *store, const char *version,
		       int (*visit)(const struct rarog_attempt *attempt, void *user), void *user);

/* --- builds: a directory each, under builds/, found by what went into it --- */

struct rarog_kept_build {
	struct rarog_hash key; /* of tree, recipe (commands, flags), toolchain: the caller's hash */
	char *path;            /* the directory */
	bool is_good;          /* else it is known that it does not build */
	struct rarog_hash log; /* object, zero: none */
	uint64_t bytes, used_ns;
	int lock; /* held while building, -1 */
};

#define RAROG_BUILD_NONE                                                                           \
	{                                                                                          \
		.lock = -1                                                                         \
	}

/**
 * rarog_build_claim() - the build with this key, or the right to make it
 *
 * Waits for another process that is making it. Return: 1 it is ours: build in .path (empty), then
 * rarog_build_finish(); 0 it is there (good or not). What a killed process left half made is
 * removed first.
 */
int rarog_build_claim(struct rarog_store *store, const struct rarog_hash *key,
		      struct rarog_kept_build *ret_build);

/** rarog_build_again() - forget a build that was claimed and is there: it is ours to make, as if
 * claim had returned 1. Return: 1, -errno. */
int rarog_build_again(struct rarog_store *store, struct rarog_kept_build *build);
int rarog_build_finish(struct rarog_store *store, struct rarog_kept_build *build, bool is_good,
		       const struct rarog_hash *log);
void rarog_build_release(struct rarog_kept_build *build); /* unfinished: removed */

/** rarog_builds_prune() - remove the least recently used until they fit in @max_bytes; those that
 * are in use stay. @ret_bytes: freed. */
int rarog_builds_prune(struct rarog_store *store, uint64_t max_bytes, uint64_t *ret_bytes);

/* --- leases: things outside the catalogue that end with the process that made them --- */

/** rarog_lease_take() - note that this process answers for @path (a worktree, a scratch folder)
 * before it is made. @ret_id for rarog_lease_drop(), after it is gone. */
int rarog_lease_take(struct rarog_store *store, const char *kind, const char *path,
		     int64_t *ret_id);
int rarog_lease_drop(struct rarog_store *store, int64_t id);

/** rarog_lease_each_dead() - those whose process is gone (other boot, or the pid is another's
 * now). @clean returns 0 when it removed the thing: the lease is dropped then. */
int rarog_lease_each_dead(struct rarog_store *store,
			  int (*clean)(const char *kind, const char *path, void *user), void *user);

#endif
