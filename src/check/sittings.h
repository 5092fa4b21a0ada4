/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs of one sitting have the state of the machine in common, so they are not independent: however
 * many there are, two sittings differ by what changed in between, too. By how much they do, five
 * sittings of the job say.
 */
#ifndef RAROG_CHECK_SITTINGS_H
#define RAROG_CHECK_SITTINGS_H

#include "check/history.h"

struct rarog_judge;

/* Where the history of what is compared is found. */
struct rarog_sittings {
	/* NULL: there is none. 0 and a borrowed history or NULL, -errno. */
	int (*read)(void *user, const struct rarog_history **ret_history);
	void *user;
	struct rarog_hash job_key, machine_class;
	char *setting; /* of both sides; NULL: theirs differ */
};

/**
 * rarog_sittings_judge() - hold back what two sittings may make of themselves
 * @first: of the verdict's changes; those before it are none of this method
 *
 * Where the runs of both versions were not made by turns, times get the interval and the p of
 * sittings as well; where these are not known, or do not carry it, a time is at most maybe.
 * Return: 0, -errno.
 */
int rarog_sittings_judge(struct rarog_judge *judge, size_t first);

#endif
