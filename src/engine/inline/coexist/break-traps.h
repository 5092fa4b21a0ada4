/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults of threads that came by a jump which a breakpoint had changed. Called by the thread that
 * traces; the lock of breaks.c is held inside.
 */
#ifndef RAROG_ENGINE_INLINE_COEXIST_BREAK_TRAPS_H
#define RAROG_ENGINE_INLINE_COEXIST_BREAK_TRAPS_H

#include <signal.h>

#include "engine/inline/code/image.h"

/**
 * rarog_breaks_trap() - a thread of @pid has a fault at @address: a changed jump's?
 * @fault: SIGILL, or SIGSEGV: nothing can be executed there, or (SI_KERNEL) an instruction there
 *	names what is no address, or @address is none
 * @ret_address: where it goes on when the jump is out; until then it meets the trap again
 *
 * Return: no: it is the program's own; yes: *@ret_address is set, and rarog_breaks_lose() called if
 * the jump is still there.
 */
bool rarog_breaks_trap(struct rarog_image *image, pid_t pid, pid_t tid, const siginfo_t *fault,
		       uint64_t address, uint64_t *ret_address);

/** rarog_breaks_is_astray() - is @address in our code, or may a jump have led there that a
 * breakpoint had changed, and that is out now, or is a hook's? A thread that is there has to get
 * its fault before all is out. */
bool rarog_breaks_is_astray(const struct rarog_image *image, struct rarog_remote *remote,
			    uint64_t address);

#endif
