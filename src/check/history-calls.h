/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function calls which, by the trees of all versions of a history. The tree of one version
 * does not have what that version has not measured; so it does not say in whose times those are.
 */
#ifndef RAROG_CHECK_HISTORY_CALLS_H
#define RAROG_CHECK_HISTORY_CALLS_H

#include <stdint.h>

#include "base/vec.h"
#include "profile/reader.h"

/* A pair of functions, by hashes of their names. */
struct rarog_history_call {
	uint64_t caller, callee;
};

struct rarog_history_calls {
	RAROG_VEC(struct rarog_history_call) list; /* each once */
	RAROG_VEC(uint64_t) untimed;               /* what any version had no times of, each once */
	struct rarog_call_index *pairs;            /* of list … */
	struct rarog_function_index *functions;    /* … and by function */
	bool is_stale; /* a call is new that changes what rarog_history_calls_sets() has said */
};

void rarog_history_calls_release(struct rarog_history_calls *calls);

/** rarog_history_calls_add(), rarog_history_calls_add_untimed() - one; 0, -ENOMEM. */
int rarog_history_calls_add(struct rarog_history_calls *calls,
			    const struct rarog_history_call *call);
int rarog_history_calls_add_untimed(struct rarog_history_calls *calls, uint64_t function);

/**
 * rarog_history_calls_sets() - learn from @profile; then for each of its functions a number for the
 * set of those whose times are in its exclusive time, as they were left out or only counted
 * @ret_sets: by location; 0: none. The caller frees, also on failure
 *
 * Without a tree: rarog_untimed_set() for all. Return: 0; -EBADMSG, -ENOMEM.
 */
int rarog_history_calls_sets(struct rarog_history_calls *calls, struct rarog_profile *profile,
			     uint64_t **ret_sets);

#endif
