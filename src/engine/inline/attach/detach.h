/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Out of a program that goes on: it becomes what it was. */
#ifndef RAROG_ENGINE_INLINE_ATTACH_DETACH_H
#define RAROG_ENGINE_INLINE_ATTACH_DETACH_H

#include "engine/inline/code/image.h"
#include "process/threads.h"

/**
 * rarog_detach_settle() - bring the stopped @threads to where they have no more to do with the
 * image
 *
 * Probes still record. Return: 0: all that has happened is recorded, and only return addresses on
 * stacks lead to the image's code; -EBUSY: a thread will return there in another way: let them go
 * on for a moment, and try again; -ESRCH; others with message.
 */
int rarog_detach_settle(struct rarog_image *image, struct rarog_threads *threads);

/**
 * rarog_detach_clean() - after rarog_detach_settle(): take everything out
 *
 * Return: 0; -errno with message: something was left (see there), which does no harm.
 */
int rarog_detach_clean(struct rarog_image *image, struct rarog_threads *threads);

/** rarog_detach_quiet() - instead of rarog_detach_clean(): return addresses and jumps out, but the
 * memory stays. Return: 0, -errno with message. */
int rarog_detach_quiet(struct rarog_image *image, struct rarog_threads *threads);

/** rarog_detach_entries() - instead: only let no new call come to the image; what is open returns
 * through it. Return: 0, -errno with message. */
int rarog_detach_entries(struct rarog_image *image, struct rarog_threads *threads);

#endif
