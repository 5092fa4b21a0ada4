/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rarog check compares: which versions an operand, or none, names, and their checks. */
#ifndef RAROG_CMD_CHECK_SESSION_H
#define RAROG_CMD_CHECK_SESSION_H

#include "check/base.h"
#include "check/check.h"
#include "check/history.h"
#include "check/strategy.h"
#include "cmd/check-measure.h"
#include "cmd/project.h"

struct rarog_check_session {
	const struct rarog_context *context;
	bool is_forced;
	struct rarog_project project;
	struct rarog_checks checks;
	RAROG_VEC(struct rarog_check_rule) rules;
	struct rarog_history history; /* of HEAD, once it was asked for */
	bool has_history;
	struct rarog_strategies *strategies; /* NULL: methods were named, or there are none */
	char *baseline, *target;             /* for people */
	bool is_work_tree; /* the target is no version: nothing can be kept of it */
};

void rarog_check_session_release(struct rarog_check_session *s);

/** rarog_check_need_store() - 0; -ENOENT, with message: there are no versions here. */
int rarog_check_need_store(const struct rarog_check_session *s);

/** rarog_check_note_base() - checks made since @first say what their base is. 0 or -ENOMEM. */
int rarog_check_note_base(struct rarog_check_session *s, size_t first,
			  const struct rarog_base *base);

/** rarog_check_named() - compare what two operands name. As rarog_run_set_of(), rarog_checks_add().
 */
int rarog_check_named(struct rarog_check_session *s, const char *baseline, const char *target);

/** rarog_check_head() - HEAD with its base. As rarog_base_find(), rarog_checks_add(). */
int rarog_check_head(struct rarog_check_session *s);

/** rarog_check_range() - every measured version of ranges with the one before it. -ENOENT: there is
 * nothing to compare; as above. */
int rarog_check_range(struct rarog_check_session *s, size_t n, char **operands);

/**
 * rarog_check_now() - measure two versions and compare them
 * @n: of @operands, BASE and TARGET; TARGET is the work tree if none is given, with its changes to
 * files that git knows; then BASE is HEAD, if there are changes, else what rarog_base_choose() says
 *
 * Return: 0; as rarog_check_measure(), rarog_vcs_work_tree().
 */
int rarog_check_now(struct rarog_check_session *s, const struct rarog_check_measure *how, int n,
		    char **operands);

#endif
