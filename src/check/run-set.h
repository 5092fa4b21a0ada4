/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything measured of one version, of whatever jobs: what one operand of rarog check names. */
#ifndef RAROG_CHECK_RUN_SET_H
#define RAROG_CHECK_RUN_SET_H

#include "base/options.h"
#include "base/vec.h"
#include "profile/reader.h"
#include "store/facts.h"
#include "store/store.h"

struct rarog_run_set_run {
	struct rarog_profile *profile; /* NULL: it was taken */
	struct rarog_facts facts;
	struct rarog_hash object; /* zero: it is not in the store */
};

/* Zeroed: empty. */
struct rarog_run_set {
	char *name;          /* for people */
	char *version;       /* in full, NULL: none */
	const char *options; /* only runs with these are added: as in struct rarog_record_filter;
			      * borrowed; set it after rarog_run_set_init() */
	const struct rarog_strings *jobs; /* only runs of these are added; empty or NULL: of all;
					   * likewise */
	RAROG_VEC(struct rarog_run_set_run) runs;
	uint64_t left_out; /* of the version: measured with changes, cut off or damaged */
};

/** rarog_run_set_init() - texts are copied; @version may be NULL. 0, -ENOMEM. */
int rarog_run_set_init(struct rarog_run_set *run_set, const char *name, const char *version);
void rarog_run_set_release(
	struct rarog_run_set *run_set); /* before the store; fits rarog_cleanup() */

/** rarog_run_set_add() - one run. @take_profile: the lot's from here on, also on failure. @object:
 * may be NULL. 0; -EBADMSG a header that is not JSON, or is cut off; -ENOMEM. */
int rarog_run_set_add(struct rarog_run_set *run_set, struct rarog_profile *take_profile,
		      const struct rarog_hash *object);

/** rarog_run_set_add_folder() - every file *.rarog in @path, by name. 0; -ENOENT there is none. */
int rarog_run_set_add_folder(struct rarog_run_set *run_set, const char *path);

/** rarog_run_set_add_version() - all whole profiles that the store has of the lot's version,
 * measured without changes that are in no commit. 0, also if there is none. */
int rarog_run_set_add_version(struct rarog_run_set *run_set, struct rarog_store *store);

/** rarog_run_set_same_job() - are runs @a and @b of one job on one class of machine? */
bool rarog_run_set_same_job(const struct rarog_run_set_run *a, const struct rarog_run_set_run *b);

#endif
