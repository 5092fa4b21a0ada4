/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Breakpoints that the kernel puts into functions' first bytes for somebody else (perf probe,
 * bpftrace): found before we patch, or looked for while the program runs, or met by it. Functions
 * and marks that have one are not measured, and named.
 *
 * Called by the thread that traces and by the drain's; a lock of breaks.c is held inside.
 */
#ifndef RAROG_ENGINE_INLINE_COEXIST_BREAKS_H
#define RAROG_ENGINE_INLINE_COEXIST_BREAKS_H

#include "engine/inline/code/image.h"

/** rarog_breaks_keep() - @now is one of the image's from here on; its patches are sorted. 0;
 * -ENOMEM. */
int rarog_breaks_keep(struct rarog_image *image, const struct rarog_installed *now);

/**
 * rarog_breaks_add_place() - who is at @place is in our code from here on
 * rarog_breaks_drop_place() - the place added last is one that was known
 *
 * Return: 0; -ENOMEM.
 */
int rarog_breaks_add_place(struct rarog_image *image, const struct rarog_area_place *place);
void rarog_breaks_drop_place(struct rarog_image *image);

enum rarog_code {
	RAROG_CODE_PROGRAMS, /* none of ours */
	RAROG_CODE_STEPS,    /* on the way to a stub */
	RAROG_CODE_STUBS,
	RAROG_CODE_AGENT, /* what all stubs share */
};

/** rarog_breaks_code_at() - what may be at @address in a process of the image?
 * @ret_at: that far from the start of its area, if it is one of ours */
enum rarog_code rarog_breaks_code_at(const struct rarog_image *image, uint64_t address,
				     uint64_t *ret_at);

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

/**
 * rarog_breaks_write() - rarog_patches_write(), not while a look goes on
 * rarog_breaks_restore() - rarog_patches_restore(), likewise
 *
 * Semaphores follow. Return: 0; errors of these, and of semaphores.h.
 */
int rarog_breaks_write(struct rarog_image *image, struct rarog_remote *remote,
		       const struct rarog_installed *installed);
int rarog_breaks_restore(struct rarog_remote *remote, const struct rarog_installed *installed);

#endif
