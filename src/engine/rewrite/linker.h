/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dynamic linker calls an empty function, _dl_debug_state(), when libraries came. There stands
 * a breakpoint, in the memory of each process of the image.
 */
#ifndef RAROG_ENGINE_REWRITE_LINKER_H
#define RAROG_ENGINE_REWRITE_LINKER_H

#include "engine/rewrite/image.h"

/** rarog_rewrite_linker_watch() - put the breakpoint into a program that is stopped. 0; negative
 * with message. */
int rarog_rewrite_linker_watch(struct rarog_rewrite_image *image, struct rarog_remote *remote);

/** rarog_rewrite_linker_is_at() - has thread @tid, which is stopped, just met it? */
bool rarog_rewrite_linker_is_at(const struct rarog_rewrite_image *image, pid_t tid);

/** rarog_rewrite_linker_leave() - take the breakpoint out of the process of @tid, which runs, and
 * let go of @tid: without us it would die there. Return: true; false: it has ended. */
bool rarog_rewrite_linker_leave(const struct rarog_rewrite_image *image, pid_t tid);

#endif
