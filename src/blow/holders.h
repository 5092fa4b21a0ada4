/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that may be called while the allocator, or the loader, holds a lock: of the C library
 * and what belongs to it, unwinders (which ask the loader), allocators.
 */
#ifndef RAROG_BLOW_HOLDERS_H
#define RAROG_BLOW_HOLDERS_H

struct rarog_binary;
struct rarog_place_set;

/** rarog_blow_leave_holders() - a judge of places (plan.h): these are off. What gets no noise in
 * any case is not traced either. 0; -ENOMEM, -EFBIG with message. */
int rarog_blow_leave_holders(void *user, struct rarog_binary *binary, struct rarog_place_set *set);

#endif
