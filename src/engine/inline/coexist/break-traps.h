/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults of threads that came by a jump which a breakpoint had changed. Called by the thread that
 * traces; the lock of breaks.c is held inside.
 */
#ifndef RAROG_ENGINE_INLINE_COEXIST_BREAK_TRAPS_H
#define RAROG_ENGINE_INLINE_COEXIST_BREAK_TRAPS_H

#include <signal.h>

#include "engine/inline/code/image.h"

enum rarog_trap {
	RAROG_TRAP_PROGRAMS, /* the program's own fault */
	RAROG_TRAP_OURS,     /* a changed jump's, which is out: the thread goes on */
	RAROG_TRAP_HOOKS,    /* … a hook's, which is still there */
};

/**
 * rarog_breaks_trap() - a thread of @pid has a fault at @address: what of?
 * @fault: SIGILL, or SIGSEGV: nothing can be executed there, or (SI_KERNEL) an instruction there
 *	names what is no address, or @address is none
 * @ret_address: where it goes on; set if it is not the program's own
 */
enum rarog_trap rarog_breaks_trap(struct rarog_image *image, pid_t pid, pid_t tid,
				  const siginfo_t *fault, uint64_t address, uint64_t *ret_address);

/** rarog_breaks_is_astray() - is @address in our code, or may a jump have led there that a
 * breakpoint had changed, and that is out now, or is a hook's? Who is there is to have his fault
 * before all is out. */
bool rarog_breaks_is_astray(const struct rarog_image *image, struct rarog_remote *remote,
			    uint64_t address);

/** rarog_breaks_way_back() - where the fault would send who is there, if there is nothing that
 * could be run; 0: nowhere. */
uint64_t rarog_breaks_way_back(const struct rarog_image *image, struct rarog_remote *remote,
			       uint64_t address);

#endif
