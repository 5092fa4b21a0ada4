/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * While rarog is stopped, or has no processor, nobody could end noise, so there is none: such a run
 * is neither one with noise nor one without.
 */
#include "blow/whole-run.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/signals.h"
#include "blow/input.h"

#define SPOILT_MOST 10 /* one after another */

/* A signal that ends rarog ends the program, too: that run says nothing of the program, and is
 * nowhere kept. */
int rarog_blow_check_wanted(const struct rarog_blow_options *options)
{
	if (!rarog_signals_have_come())
		return 0;
	return rarog_fail(-EINTR, "%s: ended by a signal to rarog%s", options->command->argv[0],
			  options->journal ? "; --resume goes on from here" : "");
}

static int make(struct rarog_blow_live *live, long input, const struct rarog_blow_task *task,
		struct rarog_blow_outcome *ret_outcome)
{
	int r;

	rarog_blow_input_rewind(input);
	r = live ? rarog_blow_live_run(live, task, ret_outcome) : rarog_blow_run(task, ret_outcome);
	return r < 0 ? r : rarog_blow_check_wanted(task->options);
}

int rarog_blow_whole_run(struct rarog_blow_live *live, long input,
			 const struct rarog_blow_task *task, uint64_t *spoilt,
			 struct rarog_blow_outcome *ret_outcome)
{
	int r = make(live, input, task, ret_outcome);

	for (int i = 1; r == 0 && ret_outcome->is_spoilt; i++) {
		if (i == SPOILT_MOST)
			return rarog_fail(-ENODATA,
					  "rarog itself was stopped, or had no processor for a "
					  "second, in %d runs, one after another; measure while "
					  "processors are free",
					  SPOILT_MOST);
		++*spoilt;
		rarog_stacks_release(&ret_outcome->stacks);
		free(ret_outcome->thread_ns);
		*ret_outcome = (struct rarog_blow_outcome){ 0 };
		r = make(live, input, task, ret_outcome);
	}
	return r;
}
