/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between session.c and rounds.c: what a session has, how it begins and how it makes a run. */
#ifndef RAROG_BLOW_SESSION_H
#define RAROG_BLOW_SESSION_H

#include <limits.h>

#include "blow/creators.h"
#include "blow/journal.h"
#include "blow/live.h"
#include "process/scratch-folder.h"

struct rarog_blow_session {
	const struct rarog_blow_options *options;
	long input; /* where standard input begins */
	struct rarog_blow_result *result;
	struct rarog_random *random;
	struct rarog_scratch_folder scratch;
	char profile[PATH_MAX + 16], output[PATH_MAX + 16];
	uint64_t start_ns;
	uint64_t taken_ns; /* what a run takes, with all that belongs to it */
	uint64_t least_ns; /* slow: of one call's noise of this kind, whatever is asked */
	struct rarog_blow_journal *journal; /* NULL: none */
	struct rarog_blow_live *live;       /* NULL: there are runs, no windows */
	struct rarog_blow_births births;    /* of the run that was made last */
};

void rarog_blow_session_release(struct rarog_blow_session *session);

/** rarog_blow_session_begin() - the traced run, which says which functions get noise; or what the
 * journal has of it. 0; -errno with message. */
int rarog_blow_session_begin(struct rarog_blow_session *session);

/**
 * rarog_blow_session_run() - one that counts, made or from the journal, logged and kept
 * @own: of RAROG_BLOW_OWN and RAROG_BLOW_CONTROL, else NULL
 * @ret_outcome: the caller releases its stacks, also on failure
 *
 * Return: 0; -errno with message.
 */
int rarog_blow_session_run(struct rarog_blow_session *session, enum rarog_blow_what what,
			   struct rarog_blow_function *own, struct rarog_blow_outcome *ret_outcome);

#endif
