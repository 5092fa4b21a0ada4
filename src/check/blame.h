/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why a function changed: it is slower itself, it is called more often, or what it calls is slower;
 * and along which calls that came.
 */
#ifndef RAROG_CHECK_BLAME_H
#define RAROG_CHECK_BLAME_H

#include "check/comparison.h"
#include "check/verdict.h"

#define RAROG_BLAME_MAX 20 /* changes are explained at most */

/**
 * rarog_blame() - give reasons to the changes of @verdict that are changes of a row's time
 *
 * The verdict is finished: what matters most is explained.
 * Return: 0, -EBADMSG, -ENOMEM.
 */
int rarog_blame(const struct rarog_comparison *comparison, struct rarog_verdict *verdict);

#endif
