/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which engine measures where none is named: the usual one, or the best that this machine and
 * what is asked for allow. */
#ifndef RAROG_COLLECT_ENGINE_CHOICE_H
#define RAROG_COLLECT_ENGINE_CHOICE_H

#include "base/str.h"
#include "collect/engine-needs.h"

struct rarog_engine_choice {
	const struct rarog_engine *engine;
	struct rarog_str why; /* that the engines before it were not taken; "": it is the usual one
			       */
};

/**
 * rarog_engine_choose() - of the collector trace's engines, and samples
 * @only_trace: calls are wanted, samples are no answer
 * @program: as it is to be started; NULL: it is not known, or runs already
 *
 * An engine that was built for other questions (SystemTap, which makes a module of the kernel) is
 * never taken unasked; one that only counts is where counts were asked for.
 *
 * Return: 0, the caller releases .why; -ENOTSUP: none is left, the message says why; -ENOMEM,
 * -EINVAL: the request is none.
 */
int rarog_engine_choose(const struct rarog_engine_request *request, bool only_trace,
			const char *program, struct rarog_engine_choice *ret_choice);

/** rarog_engine_choice_say() - warn of an engine that is not the usual one. */
void rarog_engine_choice_say(const struct rarog_engine_choice *choice);

void rarog_engine_choice_release(struct rarog_engine_choice *choice);

#endif
