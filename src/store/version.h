/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Versions as the catalogue knows them, what they carry, and tags. A version is in the catalogue
 * once something belongs to it; the facts of its commit are kept too, so that profiles of commits
 * that this clone does not have (another clone's, a shallow one's) can still be listed.
 */
#ifndef RAROG_STORE_VERSION_H
#define RAROG_STORE_VERSION_H

#include "base/vec.h"
#include "store/record.h"
#include "store/store.h"
#include "store/vcs.h"

/** rarog_version_put() - learn the facts of a commit, or renew them. */
int rarog_version_put(struct rarog_store *store, const struct rarog_commit *commit);

/** rarog_version_find() - the facts known of a version; name only if nothing else is known.
 * -ENOENT without message: nothing belongs to it. */
int rarog_version_find(struct rarog_store *store, const char *name,
		       struct rarog_commit *ret_commit);

#define RAROG_LOAD_COLLECTORS 16

/* What a version carries: a line of log. Zeroed: nothing. */
struct rarog_load {
	uint64_t profiles, jobs, machines, bytes; /* bytes: of the profiles' files */
	uint64_t dirty;                           /* of the profiles */
	uint64_t attempts_failed;
	size_t n_collectors;
	struct {
		char name[24];
		uint64_t profiles;
	} collectors[RAROG_LOAD_COLLECTORS]; /* by name; beyond 16 they only count above */
	char verdict[24]; /* the worst of the version's verdicts, "": none; derived.h */
	uint64_t changes; /* that these verdicts found */
};

/** rarog_version_load() - of the version @name; zeroed if nothing belongs to it. @of: of jobs with
 * its .options and .job only, NULL: of all; of one .job there is no verdict, which is of all.
 * Cheap: a few index look-ups. */
int rarog_version_load(struct rarog_store *store, const char *name,
		       const struct rarog_record_filter *of, struct rarog_load *ret_load);

/* --- tags: the user's names for profiles and versions --- */

enum rarog_tag_kind { RAROG_TAG_PROFILE, RAROG_TAG_VERSION };

struct rarog_tag {
	const char *name;
	enum rarog_tag_kind kind;
	int64_t record;      /* of a profile, else 0 */
	const char *version; /* of a version, else NULL */
	uint64_t made_ns;
};

/* The tag "stable" marks versions that check may take as its base. Several things may carry the
 * same tag. Texts are copied. Set: 1 new, 0 was there; -EINVAL a name that could be mistaken for a
 * revision. Unset: 1, 0 there was none. */
int rarog_tag_set(struct rarog_store *store, const struct rarog_tag *tag);
int rarog_tag_unset(struct rarog_store *store, const struct rarog_tag *tag);

/** rarog_tag_each() - @name NULL: all; the newest first. */
int rarog_tag_each(struct rarog_store *store, const char *name,
		   int (*visit)(const struct rarog_tag *tag, void *user), void *user);

/** rarog_tag_is_set() - does version @version carry @name? 1, 0, -errno. */
int rarog_tag_is_set(struct rarog_store *store, const char *name, const char *version);

#endif
