/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Breakpoints that the kernel puts into functions' first bytes for somebody else (perf probe,
 * bpftrace): found before we patch, or looked for while the program runs, or met by it. Functions
 * and marks that have one are not measured, and named.
 *
 * Called by the thread that traces and by the drain's; a lock of breaks.c is held inside.
 */
#ifndef RAROG_COLLECT_TRACE_INLINE_BREAKS_H
#define RAROG_COLLECT_TRACE_INLINE_BREAKS_H

#include "collect/trace/inline/image.h"

/** rarog_breaks_keep() - @now is one of the image's from here on; its patches are sorted. What
 * there was of the same module at the same place goes. 0; -ENOMEM. */
int rarog_breaks_keep(struct rarog_image *image, const struct rarog_installed *now);

/** rarog_breaks_found() - memory, @now, which may be changed, is not as the file has it where
 * @patch was to be: by a breakpoint. */
void rarog_breaks_found(struct rarog_image *image, const struct rarog_installed *installed,
			struct rarog_patch *patch, uint8_t now[]);

/** rarog_breaks_forbid() - has somebody set breakpoints in this module so that the jump of @patch
 * is not safe enough? */
bool rarog_breaks_forbid(const struct rarog_installed *installed, const struct rarog_patch *patch);

/**
 * rarog_breaks_look() - take out of process @pid the jumps that breakpoints have changed
 *
 * Return: patches looked at. image->hook_out says afterwards whether a hook is among the changed
 * ones, which is still there then if the process is traced.
 */
size_t rarog_breaks_look(struct rarog_image *image, pid_t pid);

/** rarog_breaks_restore() - rarog_patches_restore(), not while a look goes on. */
int rarog_breaks_restore(struct rarog_remote *remote, const struct rarog_installed *installed);

enum rarog_trap {
	RAROG_TRAP_PROGRAMS, /* the program's own fault */
	RAROG_TRAP_OURS,     /* a changed jump's, which is out: the thread goes on */
	RAROG_TRAP_HOOKS,    /* … a hook's, which is still there */
};

/**
 * rarog_breaks_trap() - a thread of @pid has a fault at @address: what of?
 * @signal: SIGILL, or SIGSEGV: nothing can be executed there
 * @ret_address: where it goes on; set if it is not the program's own
 */
enum rarog_trap rarog_breaks_trap(struct rarog_image *image, pid_t pid, pid_t tid, int signal,
				  uint64_t address, uint64_t *ret_address);

/** rarog_breaks_is_astray() - may a jump have led to @address that a breakpoint had changed, and
 * that is out now, or is a hook's? Who is there is to have his fault before all is out. */
bool rarog_breaks_is_astray(const struct rarog_image *image, uint64_t address);

#endif
