/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold between features, as "!A | (B & C)", "A => B", "A <=> !B". */
#ifndef RAROG_FEATURE_CONSTRAINT_H
#define RAROG_FEATURE_CONSTRAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum rarog_constraint_sign {
	RAROG_CONSTRAINT_NOT = INT32_MIN,
	RAROG_CONSTRAINT_AND,
	RAROG_CONSTRAINT_OR,
	RAROG_CONSTRAINT_IMPLIES,
	RAROG_CONSTRAINT_EQUALS,
};

/* Zeroed: empty. */
struct rarog_constraint {
	RAROG_VEC(int32_t) code; /* numbers of features; a sign comes after what it is about */
};

/* The number of the feature of the @n bytes at @name; negative: there is none. */
typedef int32_t (*rarog_feature_number)(const void *user, const char *name, size_t n);

/** rarog_constraint_read() - 0; -EINVAL: it cannot be read, or names no feature; -ENOMEM. Release
 * in any case. */
int rarog_constraint_read(const char *text, rarog_feature_number number, const void *user,
			  struct rarog_constraint *ret_constraint);
void rarog_constraint_release(struct rarog_constraint *constraint);

/** rarog_constraint_holds() - @on: of each feature, by its number. */
bool rarog_constraint_holds(const struct rarog_constraint *constraint, const bool on[]);

#endif
