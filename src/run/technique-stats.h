/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What techniques know of earlier runs and versions: which stat file (store/stats.h) has it. What
 * a run has shown is known by the command's name, its arguments, its workload and the file; what a
 * version is, by the file. A file is known by its path, within what was built by the path from
 * there, since versions are built in different places.
 */
#ifndef RAROG_RUN_TECHNIQUE_STATS_H
#define RAROG_RUN_TECHNIQUE_STATS_H

#include "binary/code-digest.h"
#include "optimize/statistics.h"
#include "store/store.h"
#include "store/vcs.h"

struct rarog_technique_stats {
	struct rarog_store *store; /* NULL: nothing is known, or kept */
	struct rarog_vcs *vcs;     /* NULL: there are no versions */
	char *const *argv;         /* what is run */
	const char *workload;      /* of a job, NULL */
	const char *configuration; /* values of the program's options, of a job; NULL, "": none */
	const char *root;          /* of what was built; NULL: nothing was */
	const char *given_class;   /* of this machine, by the user's settings; NULL */
	bool allows_status;        /* the job allows the one with which the program ended */
	const char *version;       /* that is measured; NULL: what the work tree has */
	bool is_changed;           /* what is measured is not quite that version */
	/* its own */
	struct rarog_hex machine;   /* class of this one */
	char *head;                 /* that version; NULL: there is none */
	char *base;                 /* with what it is compared, NULL: the newest known */
	RAROG_VEC(char *) versions; /* head and what came before it, the newest first */
};

/** rarog_technique_stats_look() - at the versions there are; @base: "NAME=REVISION", NULL. 0;
 * -errno with message. Release in any case. */
int rarog_technique_stats_look(struct rarog_technique_stats *stats, const char *base);
void rarog_technique_stats_release(struct rarog_technique_stats *stats);

/** rarog_technique_stats_find() - of the file @path, without times of other machines; 1; 0: nothing
 * is known; -errno. */
int rarog_technique_stats_find(const struct rarog_technique_stats *stats, const char *path,
			       struct rarog_statistics *ret_statistics);

/** rarog_technique_stats_keep() - what @profile says of it; what that leaves out stays known. 0;
 * -ENODATA with message: it is not of a whole run, and tells too little; -errno with message. */
int rarog_technique_stats_keep(const struct rarog_technique_stats *stats,
			       struct rarog_profile *profile, const char *path);

/** rarog_technique_stats_forget() - as if it had never been measured. */
int rarog_technique_stats_forget(const struct rarog_technique_stats *stats, const char *path);

/** rarog_technique_digest_make() - what the file is now: from the store where it is known by its
 * build-id, else read, and known from now on, also as that of the version if it has a name.
 * @again: it is read in any case. 0; -errno with message. */
int rarog_technique_digest_make(const struct rarog_technique_stats *stats,
				const struct rarog_binary *binary, const char *path, bool again,
				struct rarog_code_digest *ret_now);

/** rarog_technique_digest_of_run() - what a file was whose digest statistics call @key; 1; 0: it is
 * known no longer; -errno. */
int rarog_technique_digest_of_run(const struct rarog_technique_stats *stats, const char *key,
				  struct rarog_code_digest *ret_then);

/** rarog_technique_digest_before() - what it was in the version with which it is compared; 1; 0;
 * -errno with message. */
int rarog_technique_digest_before(const struct rarog_technique_stats *stats, const char *path,
				  struct rarog_code_digest *ret_then);

#endif
