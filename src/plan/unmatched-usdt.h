/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of --usdt that no probe matched. */
#ifndef RAROG_PLAN_UNMATCHED_USDT_H
#define RAROG_PLAN_UNMATCHED_USDT_H

#include "base/str.h"
#include "plan/unmatched.h"

/**
 * rarog_unmatched_usdt() - the first pattern without a probe, as a sentence with near names
 *
 * Return: 1 with the sentence, 0: there is none, -ENOMEM.
 */
int rarog_unmatched_usdt(const struct rarog_searched *searched, struct rarog_str *ret_text);

#endif
