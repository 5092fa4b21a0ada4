/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns that meant nothing: what may have been meant instead. */
#ifndef RAROG_PLAN_UNMATCHED_H
#define RAROG_PLAN_UNMATCHED_H

#include "base/str.h"
#include "base/vec.h"
#include "plan/plan.h"

struct rarog_binary;

/* Where the plan's patterns were looked for; all borrowed but the list. */
struct rarog_searched {
	const struct rarog_plan *plan;
	RAROG_VEC(struct rarog_searched_binary {
		struct rarog_binary *binary;
		const char *path;
	})
	binaries;
	bool has_root; /* a function of --within or --not-below is there */
};

/**
 * rarog_unmatched() - say of the first pattern of the plan (--func, --within, --not-below) that
 * matched no function of @searched
 * @ret_text: "no function is called pasre; did you mean parse?"; says so when the function exists
 * only inlined into others
 *
 * Return: 1 there is one, 0 all matched, -ENOMEM.
 */
int rarog_unmatched(const struct rarog_searched *searched, struct rarog_str *ret_text);

#endif
