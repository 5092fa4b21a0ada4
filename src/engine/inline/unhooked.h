/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ran without hooks: functions that one looks for may be there. */
#ifndef RAROG_ENGINE_INLINE_UNHOOKED_H
#define RAROG_ENGINE_INLINE_UNHOOKED_H

#include "base/str.h"
#include "engine/inline/code/module.h"

/**
 * rarog_unhooked_say() - warn of the programs and libraries that rarog cc --hooks did not build
 *
 * "libbz2.so.1.0 was not built with hooks …". What every program has (the C library and those of
 * compilers) is not named. Nothing is said where no hooks are asked for, or nothing has any:
 * rarog_unmatched() says that. Return: 0 or -ENOMEM.
 */
int rarog_unhooked_say(const struct rarog_modules *modules);

/** rarog_modules_unmatched() - rarog_unmatched() of @modules. */
int rarog_modules_unmatched(const struct rarog_modules *modules, struct rarog_str *ret_text);

#endif
