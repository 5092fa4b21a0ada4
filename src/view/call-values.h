/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a single call was passed and returned, as text. */
#ifndef RAROG_VIEW_CALL_VALUES_H
#define RAROG_VIEW_CALL_VALUES_H

#include "base/str.h"
#include "profile/reader.h"
#include "view/timeline.h"

struct rarog_call_values {
	const struct rarog_argument *arguments; /* borrowed from the profile */
	struct rarog_call_value *v;             /* n, by strand, function and number of the call */
	size_t n;
	bool has_any; /* the profile has values */
};

/** rarog_call_values_load() - of @profile, which outlives them. 0, -EBADMSG, -ENOMEM. */
int rarog_call_values_load(struct rarog_profile *profile, struct rarog_call_values *ret_values);
void rarog_call_values_release(struct rarog_call_values *values); /* fits rarog_cleanup() */

/**
 * rarog_call_values_add() - to @to what the call of @moment was passed: "n=5 s->length=3"
 * @is_return: what it returned: "3", and what else was read at its end, by name
 *
 * What could not be read is not there. Return: 0, -ENOMEM.
 */
int rarog_call_values_add(const struct rarog_call_values *values, const struct rarog_moment *moment,
			  bool is_return, struct rarog_str *to);

#endif
