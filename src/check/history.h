/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every function's time and calls, or instructions, over the versions of a line of history (first
 * parents), and where they changed. What was analysed is kept in the store (history/changes), so
 * that a new version costs its own profiles and a look at the last values. doc/design/history.md
 * has the rules.
 */
#ifndef RAROG_CHECK_HISTORY_H
#define RAROG_CHECK_HISTORY_H

#include <jansson.h>

#include "base/cleanup.h"
#include "check/history-calls.h"
#include "check/series.h"
#include "store/store.h"
#include "store/vcs.h"

/* What the runs of one version took: their median, the least, the most. */
struct rarog_history_value {
	uint32_t version, runs;
	double value, low, high;
};

/* From @version on the exclusive times of a function are of this set. */
struct rarog_history_set {
	uint32_t version;
	uint64_t set;
};

#define RAROG_HISTORY_SERIES 3 /* of a row */

/* A function: exclusive time, calls and inclusive time; or the program: its time without and with
 * probes. Of profiles of blocks, of both: series[0] of instructions, the others are empty. */
struct rarog_history_row {
	char *name;   /* "": the program */
	char *binary; /* last part of its path, "": unknown, or the program */
	/* Of the exclusive times, as of rarog_history_calls_sets(): what is comparable; the other
	 * series are in the row of 0, as are … */
	uint64_t set;
	RAROG_VEC(struct rarog_history_set) sets; /* … all of them, where they begin */
	uint32_t in_version; /* plus 1: of which the set is known, while it is read */
	uint32_t left_out;   /* plus 1: the last one that does not know how often it was called */
	char *key;           /* of the table */
	struct rarog_series series[RAROG_HISTORY_SERIES];
	/* every value of each series, if the history keeps them: oldest first */
	RAROG_VEC(struct rarog_history_value) values[RAROG_HISTORY_SERIES];
};

/* When runs of a version were made. */
struct rarog_history_sitting {
	uint32_t version;
	uint64_t first_ns, last_ns; /* since the epoch: its first and last run began */
};

/* What can be compared: the runs of one job on one class of machine, under one kernel, of programs
 * by one compiler. */
struct rarog_history_group {
	struct rarog_hash job_key, machine_class;
	char *setting;  /* rarog_history_setting() */
	char *machine;  /* its class, of one of the profiles: a member of headers; "{}": not said */
	uint32_t first; /* version */
	char *job;      /* "parse: ./prog -x (trace)", for people */
	bool is_samples; /* nothing is known of calls */
	bool is_blocks;  /* profiles of blocks; set before it has rows */
	RAROG_VEC(struct rarog_history_row) rows;
	RAROG_VEC(struct rarog_series_value) totals;      /* series[0] of all functions */
	RAROG_VEC(struct rarog_history_sitting) sittings; /* oldest version first */
	struct rarog_history_index *index;                /* key → row */
};

struct rarog_history {
	RAROG_VEC(char *) versions; /* oldest first; only those with profiles */
	char *tip;         /* the newest version looked at, with profiles or not; NULL: none */
	uint64_t profiles; /* used */
	/* rarog_history_seal() of the clean profiles that the store has, of this line or not, added
	 * up: one that was removed and measured again is another */
	uint64_t seal;
	RAROG_VEC(struct rarog_history_group) groups;
	struct rarog_history_calls calls;
	bool is_changed; /* since it was read */
	bool keeps_values;
};

void rarog_history_release(struct rarog_history *history); /* fits rarog_cleanup() */

/**
 * rarog_history_read() - the history that ends at @tip, from the store's memory and what is new
 * @tip: name of a version
 * @keep: save what was found for the next time (if the store can be written)
 * @progress: of the profiles read so far, may be NULL
 *
 * Profiles measured with changes that are in no commit, cut off or damaged do not count. Of several
 * profiles of a version the median counts.
 * Return: 0; -ENODATA no version of it has profiles; -errno.
 */
int rarog_history_read(struct rarog_store *store, struct rarog_vcs *vcs, const char *tip, bool keep,
		       void (*progress)(uint64_t done, void *user), void *user,
		       struct rarog_history *ret_history);

/** rarog_history_read_values() - likewise, from all profiles, whose every value is kept; the
 * store's memory is neither read nor written. */
int rarog_history_read_values(struct rarog_store *store, struct rarog_vcs *vcs, const char *tip,
			      void (*progress)(uint64_t done, void *user), void *user,
			      struct rarog_history *ret_history);

/** rarog_history_keep() - drop the groups that were measured with others than @options, as in
 * struct rarog_record_filter. 0, -errno. */
int rarog_history_keep(struct rarog_history *history, struct rarog_store *store,
		       const char *options);

/** rarog_history_keep_jobs() - drop those of other names; none: keep all. */
void rarog_history_keep_jobs(struct rarog_history *history, size_t n, const char *const names[]);

/* --- building it (history-read.c uses these) --- */

struct rarog_history_group *rarog_history_group(struct rarog_history *history,
						const struct rarog_hash *job_key,
						const struct rarog_hash *machine_class,
						const char *setting);

/** rarog_history_find_group() - NULL: there is none. */
const struct rarog_history_group *rarog_history_find_group(const struct rarog_history *history,
							   const struct rarog_hash *job_key,
							   const struct rarog_hash *machine_class,
							   const char *setting);

/** rarog_history_setting() - what must be the same to be compared, besides job and class, as
 * canonical JSON: compilers with flags, and the kernel unless users named the class themselves.
 * @header: of a profile. The caller frees; NULL: no memory. */
char *rarog_history_setting(const json_t *header);

/** rarog_history_row() - of @group, made if it is not there. NULL: no memory. */
struct rarog_history_row *rarog_history_row(struct rarog_history_group *group, const char *binary,
					    const char *name, uint64_t set);

/** rarog_history_load(), rarog_history_save() - the file @path. load: 1, 0 it is not there or not
 * sound (whatever it says is then unused), -ENOMEM. */
int rarog_history_load(const char *path, struct rarog_history *ret_history);
int rarog_history_save(const struct rarog_history *history, const char *path);

/* --- where another compiler, kernel or machine begins: nothing is compared across --- */

struct rarog_history_split {
	uint32_t version, previous; /* the first of the new ones, the last of those before */
	const char *job;            /* the history's */
	char *words;                /* as check says why it refuses */
};

struct rarog_history_splits {
	RAROG_VEC(struct rarog_history_split) list; /* oldest group first */
};

void rarog_history_splits_release(struct rarog_history_splits *splits);

/** rarog_history_splits() - 0; -ENOMEM. */
int rarog_history_splits(const struct rarog_history *history,
			 struct rarog_history_splits *ret_splits);

/** rarog_history_jobs() - how many; a job that is split, or measured on two machines, is one. */
size_t rarog_history_jobs(const struct rarog_history *history);

/* --- what changed --- */

struct rarog_history_change {
	const struct rarog_history_group *group;
	const struct rarog_history_row *row;
	enum rarog_series_metric metric;
	struct rarog_shift shift;
	uint32_t begin, end; /* its levels are those of the versions [begin, shift.version) and
				[shift.version, end) */
	double relative;     /* after against before; INFINITY from 0 */
	double impact; /* of all functions before; NAN: a number of calls, time of the program */
	double q;      /* p with all series tested in mind */
	bool is_moved; /* instructions of a function; the program's did not change in its direction
			*/
	bool is_of_machine; /* wall time of the program, but of no function; or time of a function,
			     * and all others moved with it */
};

/** rarog_history_is_maybe() - more time or instructions are worse; more calls may be, as may be
 * what only moved, a count of so few runs that nobody knows whether it varies, and a drift or what
 * no function took more of, which may be the machine's. In inclusive times is the cost of probes
 * below, which are not the same ones where they are compared.
 */
static inline bool rarog_history_is_maybe(const struct rarog_history_change *change)
{
	return change->metric == RAROG_SERIES_CALLS || change->metric == RAROG_SERIES_INCLUSIVE ||
	       change->is_moved || change->is_of_machine || rarog_shift_is_weak(&change->shift) ||
	       change->shift.shape == RAROG_SHIFT_DRIFT;
}

struct rarog_history_options {
	double least_effect; /* relative; 0.02 */
	double least_share;  /* of a function in the time of all; 0.005 */
	double level;        /* of q; 0.05 */
	double smallest;     /* of instructions: change as a part of the program's; 0.0005 */
};

struct rarog_history_changes {
	RAROG_VEC(struct rarog_history_change) list; /* newest version first, then by impact */
	size_t tested;
};

/** rarog_history_find() - the changes that matter. 0, -ENOMEM. Texts are @history's. */
int rarog_history_find(const struct rarog_history *history,
		       const struct rarog_history_options *options,
		       struct rarog_history_changes *ret_changes);

#endif
