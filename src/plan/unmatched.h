/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns that meant nothing: what may have been meant instead. */
#ifndef RAROG_PLAN_UNMATCHED_H
#define RAROG_PLAN_UNMATCHED_H

#include "base/str.h"
#include "base/vec.h"
#include "binary/binary.h"
#include "plan/place-set.h"
#include "plan/plan.h"

/* Where the plan's patterns were looked for; all borrowed but the list. */
struct rarog_searched {
	const struct rarog_plan *plan;
	RAROG_VEC(struct rarog_searched_binary {
		struct rarog_binary *binary;
		const char *path;
		const struct rarog_place_set *places; /* NULL: the engine takes all */
	})
	binaries;
	RAROG_VEC(struct rarog_searched_left {
		const struct rarog_function *function;
		const char *reason; /* static: "begins with …" */
	})
	left;          /* wanted, and not possible */
	bool has_root; /* a function of --within or --not-below is there */
};

void rarog_searched_release(struct rarog_searched *searched); /* fits rarog_cleanup() */

/**
 * rarog_unmatched() - say of each pattern of the plan (--func, --within, --not-below …) that took
 * no function of @searched
 * @ret_text: a line each, with \n between them: "no function is called pasre; did you mean parse?";
 * says so when the function exists only inlined into others, or cannot be measured
 *
 * Return: 1 there is one, 0 all matched, -ENOMEM.
 */
int rarog_unmatched(const struct rarog_searched *searched, struct rarog_str *ret_text);

#endif
