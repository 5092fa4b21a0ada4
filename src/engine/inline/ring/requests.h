/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What agents ask of us: to look at libraries that were opened. All by the drain's thread. */
#ifndef RAROG_ENGINE_INLINE_RING_REQUESTS_H
#define RAROG_ENGINE_INLINE_RING_REQUESTS_H

#include <stdbool.h>

struct rarog_drain;

/** rarog_requests_are_there() - does a thread wait for an answer? The drain's lock is held. */
bool rarog_requests_are_there(const struct rarog_drain *d);

/** rarog_requests_answer() - one of them; the drain's lock is not held. Return: was there one? */
bool rarog_requests_answer(struct rarog_drain *d);

/** rarog_requests_sweep() - places of those that have ended are free again; the drain's lock is
 * held */
void rarog_requests_sweep(struct rarog_drain *d);

#endif
