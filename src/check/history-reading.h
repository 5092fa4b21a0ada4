/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reading of a history has found so far; of its own files only. */
#ifndef RAROG_CHECK_HISTORY_READING_H
#define RAROG_CHECK_HISTORY_READING_H

#include "check/history.h"
#include "store/record.h"

/* One amount of one run: row and which of its series. */
struct rarog_history_amount {
	size_t group, row, which, run;
	double value;
};

struct rarog_history_reading {
	struct rarog_store *store;
	struct rarog_history *history;
	RAROG_VEC(char *) names;                      /* versions to read, newest first */
	RAROG_VEC(struct rarog_history_amount) found; /* of the version that is read */
	RAROG_VEC(size_t) runs;                       /* by group, of that version */
	bool has_met;                                 /* what is known */
	void (*progress)(uint64_t done, void *user);
	void *user;
};

/** rarog_history_seal() - a number for a profile and the version that it is of. */
uint64_t rarog_history_seal(const struct rarog_record *record);

/** rarog_history_read_profile() - adds the amounts of the profile of @record to @reading. Return:
 * 0, negative with message. */
int rarog_history_read_profile(const struct rarog_record *record,
			       struct rarog_history_reading *reading);

#endif
