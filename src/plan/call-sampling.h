/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampling of calls: of some functions only every N-th call of each thread is recorded, the first
 * of them first. What people write is [LIB#]FUNC[#N]; without N what holds for all. USDT probes
 * likewise.
 */
#ifndef RAROG_PLAN_CALL_SAMPLING_H
#define RAROG_PLAN_CALL_SAMPLING_H

#include "base/match.h"

#define RAROG_CALL_SAMPLING_MAX 1000000

struct rarog_call_sampling_rule {
	struct rarog_match function, library; /* library: zeroed: any */
	uint32_t n;                           /* 0: as for all */
	bool is_never;
};

/* Zeroed: every call of every function. */
struct rarog_call_sampling {
	uint32_t all; /* 0, 1: every call */
	RAROG_VEC(struct rarog_call_sampling_rule) rules;
};

/** rarog_call_sampling_add() - a rule as people write it. 0; -EINVAL: none, with message; -ENOMEM.
 * @option: that they gave it with, for messages
 * @ret_function: its pattern, the caller frees */
int rarog_call_sampling_add(struct rarog_call_sampling *every, const char *option, const char *text,
			    char **ret_function);

/** rarog_call_sampling_add_in() - the same for the functions of files called as @path alone, unless
 * the rule names a file itself. */
int rarog_call_sampling_add_in(struct rarog_call_sampling *every, const char *path,
			       const char *text);

/** rarog_call_sampling_exclude_in() - the functions of the file @path that @pattern means are not
 * measured, whatever is added later. 0, -EINVAL, -ENOMEM. */
int rarog_call_sampling_exclude_in(struct rarog_call_sampling *every, const char *path,
				   const char *pattern);

/** rarog_call_sampling_unused() - the function pattern of a rule that never fitted, nor did one
 * with the same text; NULL: all did. */
const char *rarog_call_sampling_unused(const struct rarog_call_sampling *every);

/** rarog_call_sampling_is_any() - is any call left out? */
bool rarog_call_sampling_is_any(const struct rarog_call_sampling *every);

/** rarog_call_sampling_is_in() - is @rule for the file @path, too? */
bool rarog_call_sampling_is_in(struct rarog_call_sampling_rule *rule, const char *path);

/** rarog_call_sampling_of() - which calls of what is called @names (NULLs are skipped) in the file
 * @path: 1 every, N every N-th; 0: it is meant in other files only. The first rule that fits holds.
 */
uint32_t rarog_call_sampling_of(struct rarog_call_sampling *every, const char *path, size_t n,
				const char *const names[n]);

void rarog_call_sampling_release(struct rarog_call_sampling *every);

#endif
