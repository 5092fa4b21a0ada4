/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Breakpoints that the kernel puts into functions' first bytes for other tools (perf probe,
 * bpftrace). Functions and marks that have one before we patch are not measured, and named. Where
 * one comes while the program runs nothing of its file is measured any more.
 *
 * Called by the thread that traces and by the drain's; the lock of known-areas.h is held inside.
 */
#ifndef RAROG_ENGINE_INLINE_COEXIST_BREAKS_H
#define RAROG_ENGINE_INLINE_COEXIST_BREAKS_H

#include "engine/inline/code/image.h"

/** rarog_breaks_lose() - a breakpoint has come into @patch, in process @pid: all jumps of what it
 * is @installed with shall go, all of the image's if it is a hook. */
void rarog_breaks_lose(struct rarog_image *image, struct rarog_installed *installed,
		       struct rarog_patch *patch, pid_t pid);

/**
 * rarog_breaks_look() - are there foreign breakpoints in the jumps of process @pid?
 *
 * If so image->hook_out or image->lost_in tells the tracer to take out what is lost by it. Of a
 * process that is not traced nothing is told. Return: patches looked at.
 */
size_t rarog_breaks_look(struct rarog_image *image, pid_t pid);

/** rarog_breaks_leave() - take out of process @pid, whose threads stand still, what is lost, and
 * say so. */
void rarog_breaks_leave(struct rarog_image *image, pid_t pid);

#endif
