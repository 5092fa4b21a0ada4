/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns that meant nothing: what may have been meant instead. */
#ifndef RAROG_ENGINE_UNMATCHED_H
#define RAROG_ENGINE_UNMATCHED_H

#include "base/str.h"
#include "engine/inline/code/module.h"

/**
 * rarog_unmatched() - say of the first pattern of the plan (--func, --within, --not-below) that
 * matched no function of @modules
 * @ret_text: "no function is called pasre; did you mean parse?"; says so when the function exists
 * only inlined into others
 *
 * Return: 1 there is one, 0 all matched, -ENOMEM.
 */
int rarog_unmatched(const struct rarog_modules *modules, struct rarog_str *ret_text);

#endif
