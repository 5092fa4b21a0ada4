/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rarog cc --hooks noted in a file: which of its functions are measured, how often, and where
 * the size of the data structure is that they work on. One text for each rule.
 */
#ifndef RAROG_PLAN_HOOK_RULES_H
#define RAROG_PLAN_HOOK_RULES_H

#include "binary/binary.h"
#include "plan/plan.h"

/* How the texts begin. */
#define RAROG_HOOK_MARK     "hooks 1"  /* in every file; nothing follows */
#define RAROG_HOOK_FUNCTION "func "    /* as after --func: these, else all */
#define RAROG_HOOK_EXCLUDE  "exclude " /* but not these */
#define RAROG_HOOK_SIZE     "size "    /* as after --arg */

/** rarog_hook_rule_check() - 0; -EINVAL with message: @rule, of one of these kinds, is none. */
int rarog_hook_rule_check(const char *rule);

/**
 * rarog_hook_rules_add() - let @plan follow the rules of @binary, for @path alone
 *
 * Functions that were named for this run count more: then nothing is added but sizes.
 *
 * Return: 0; -ENOMEM; -EINVAL a rule is none: something else wrote it.
 */
int rarog_hook_rules_add(struct rarog_plan *plan, const struct rarog_binary *binary,
			 const char *path);

#endif
