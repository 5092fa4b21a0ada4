/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is captured at a mark, for its readers: the agent, programs in the kernel. */
#ifndef RAROG_PLAN_MARK_SET_H
#define RAROG_PLAN_MARK_SET_H

#include "agent/mark-set.h"
#include "plan/marks.h"

/**
 * rarog_mark_set_make() - the ways to what @mark of @marks tells
 * @bias: added to addresses in the binary
 *
 * Return: false: nothing is captured there. A region's beginning has a set without values if its
 * end has some: what is recorded of it is how that finds its call.
 */
bool rarog_mark_set_make(const struct rarog_marks *marks, const struct rarog_mark *mark,
			 uint64_t bias, struct rarog_mark_set *ret_set);

#endif
