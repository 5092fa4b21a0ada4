/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold between features, as "!A | (B & C)", "A => B", "A <=> !B". */
#ifndef RAROG_FEATURE_CONSTRAINT_H
#define RAROG_FEATURE_CONSTRAINT_H

#include <stdbool.h>
#include <stddef.h>

/* Is the feature of the @n bytes at @name on? negative: there is none. */
typedef int (*rarog_feature_is_on)(void *user, const char *name, size_t n);

/** rarog_feature_constraint() - 1: it holds; 0; -EINVAL: it cannot be read, or names no feature. */
int rarog_feature_constraint(const char *text, rarog_feature_is_on is_on, void *user);

#endif
