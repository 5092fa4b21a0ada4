/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which counted function of one version is one of the other by its control flow, whatever it is
 * called.
 */
#ifndef RAROG_CHECK_ALIKE_H
#define RAROG_CHECK_ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct rarog_profile;

/* How much two functions have in common. */
struct rarog_likeness {
	double share; /* of their weight, 0 … 1 */
	double bits;  /* that it takes to have this in common by chance */
};

/* Functions of two profiles of blocks. */
struct rarog_alike;

/** rarog_alike_new() - @profiles outlive it. 0, -EBADMSG, -ENOMEM with message. */
int rarog_alike_new(struct rarog_profile *const profiles[2], struct rarog_alike **ret_alike);
void rarog_alike_free(struct rarog_alike *alike);
RAROG_DEFINE_FREEP(rarog_alike);

/** rarog_alike_compare() - functions at @locations[0] and [1], of the first and the second profile;
 * nothing in common if one has no blocks. */
struct rarog_likeness rarog_alike_compare(const struct rarog_alike *alike,
					  const uint32_t locations[2]);

/** rarog_alike_is() - is that enough to be the same function, if no other is as like? */
bool rarog_alike_is(const struct rarog_likeness *likeness);

/**
 * rarog_alike_partner() - of the function at @location of the first profile, in the second
 * @is_free: is_free[1][location], likewise [0]: it may be matched; the others are only there to be
 *	mistaken for
 *
 * Both have to be of one source file (its name without folders), each the other's most like, and
 * anything else in the file clearly less like either of them: of two that look the same none is
 * matched.
 *
 * Return: its location, RAROG_NONE: none, or it cannot be told.
 */
uint32_t rarog_alike_partner(const struct rarog_alike *alike, uint32_t location,
			     const bool *const is_free[2]);

#endif
