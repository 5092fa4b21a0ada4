/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was measured, a line of JSON for each run, on the disk before the next one begins. A session
 * that was interrupted is gone through again with it: the runs that it has are not made once more,
 * and since the order of runs comes from the seed, the session goes on where it was.
 */
#ifndef RAROG_BLOW_JOURNAL_H
#define RAROG_BLOW_JOURNAL_H

#include "blow/run.h"

struct rarog_blow_journal;

/**
 * rarog_blow_journal_open() - read it, or begin one
 *
 * A last line that is not whole is forgotten. Return: 0; -EINVAL with message: it is of another
 * program, mode or seed, or none at all; -errno with message.
 */
int rarog_blow_journal_open(const char *path, const struct rarog_blow_options *options,
			    struct rarog_blow_journal **ret_journal);
void rarog_blow_journal_close(struct rarog_blow_journal *journal);

/** rarog_blow_journal_functions() - what the traced run said. 1; 0: there is nothing of it yet;
 * -ENOMEM, -EINVAL with message. */
int rarog_blow_journal_functions(struct rarog_blow_journal *journal,
				 struct rarog_blow_result *result);
int rarog_blow_journal_put_functions(struct rarog_blow_journal *journal,
				     const struct rarog_blow_result *result);

/** rarog_blow_journal_run() - the next that it has for @task, as if it were made now: 1; 0: none.
 * One that was ended for its time counts where it would have no more now. -ENOMEM. */
int rarog_blow_journal_run(struct rarog_blow_journal *journal, const struct rarog_blow_task *task,
			   struct rarog_blow_outcome *ret_outcome);
int rarog_blow_journal_put_run(struct rarog_blow_journal *journal,
			       const struct rarog_blow_task *task,
			       const struct rarog_blow_outcome *outcome);

#endif
