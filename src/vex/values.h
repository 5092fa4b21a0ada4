/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of calls: arguments when a function is entered, results when it has returned. */
#ifndef RAROG_VEX_VALUES_H
#define RAROG_VEX_VALUES_H

#include "vex/core.h"
#include "vex/record.h"

#include "agent/value-set.h"
#include "libvex_guest_amd64.h"

/** values_open() - what the file @path asks for (struct rarog_vex_requests); nothing if it is not
 * there: a program may have left its root directory. */
void values_open(const HChar *path);

/** values_are_wanted() - is anything asked for? */
Bool values_are_wanted(void);

/** values_of() - what is asked of the function at @address of the object @path, whose file's
 * addresses are @bias less; NULL: nothing. */
const struct rarog_value_set *values_of(const HChar *path, Addr bias, Addr address);

/** values_fork() - in a forked child, before store_fork(): the calls so far are the parent's. */
void values_fork(void);

/**
 * values_enter() - a call of @function begins, its return address is at @slot
 *
 * Return: its record; NULL: there is no room.
 */
struct rarog_vex_call *values_enter(const struct rarog_vex_function *function, UWord slot,
				    const struct rarog_value_set *set,
				    const VexGuestAMD64State *registers);

/** values_leave() - it has returned to where its @slot said. */
void values_leave(struct rarog_vex_call *call, UWord slot, const VexGuestAMD64State *registers);

#endif
