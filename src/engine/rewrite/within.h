/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs inside of a chosen function (--within), a root, counts apart: a row has two halves, and
 * %gs is moved to the other where an outermost root is entered and left. So nothing else costs
 * more.
 */
#ifndef RAROG_ENGINE_REWRITE_WITHIN_H
#define RAROG_ENGINE_REWRITE_WITHIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAROG_WITHIN_MOST 64 /* bytes */

/** rarog_within_works() - may programs set %gs themselves? 0; -ENOTSUP with message. */
int rarog_within_works(void);

/* Machine code; registers stay, status flags do not. Return: bytes. */

/** rarog_within_enter_code() - at the first instruction of a root. */
size_t rarog_within_enter_code(uint8_t ret_code[RAROG_WITHIN_MOST]);

/** rarog_within_leave_code() - at a return of a root. */
size_t rarog_within_leave_code(uint8_t ret_code[RAROG_WITHIN_MOST]);

/** rarog_within_check_code() - where a function is entered, or control comes back to it: is the
 * root's frame gone, by an exception or longjmp()? */
size_t rarog_within_check_code(bool is_entry, uint8_t ret_code[RAROG_WITHIN_MOST]);

#endif
