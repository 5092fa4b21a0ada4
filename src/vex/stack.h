/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers and callees: the calls that are open on each stack, and the tree of contexts. */
#ifndef RAROG_VEX_STACK_H
#define RAROG_VEX_STACK_H

#include "vex/core.h"
#include "vex/record.h"
#include "vex/values.h"

/** stack_open() - before the first instruction. */
void stack_open(void);

/* Called by generated code. @slot: the stack pointer where a function begins, at its return
 * address; @sp: the stack pointer after a return, or where an indirect jump goes. */
VG_REGPARM(2) void stack_enter(struct rarog_vex_function *function, UWord slot);
VG_REGPARM(1) void stack_leave(UWord sp);
/* The same, of functions and at returns where values are asked for. */
void stack_enter_values(struct rarog_vex_function *function, UWord slot,
			const struct rarog_value_set *set, const VexGuestAMD64State *registers);
void stack_leave_values(UWord sp, const VexGuestAMD64State *registers);

/** stack_thread() - from here on @thread runs. */
void stack_thread(ThreadId thread);
/** stack_thread_ends() - its calls have ended without returning, unless the process ends. */
void stack_thread_ends(ThreadId thread);

/** stack_fork() - in a forked child, of which only this thread is there: counts begin anew. */
void stack_fork(void);

#endif
