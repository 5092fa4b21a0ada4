/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of --at that no program has. */
#ifndef RAROG_PLAN_UNMATCHED_PLACES_H
#define RAROG_PLAN_UNMATCHED_PLACES_H

#include "base/str.h"
#include "plan/unmatched.h"

/**
 * rarog_unmatched_place() - the first that was found nowhere, as a sentence with near names
 *
 * Return: 1 with the sentence, 0: there is none, -ENOMEM.
 */
int rarog_unmatched_place(const struct rarog_searched *searched, struct rarog_str *ret_text);

#endif
