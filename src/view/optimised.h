/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far compilers went, of which lines tell only what is left of them. */
#ifndef RAROG_VIEW_OPTIMISED_H
#define RAROG_VIEW_OPTIMISED_H

#include <jansson.h>
#include <stddef.h>

#include "profile/reader.h"

/** rarog_optimisation_of() - "-O2" if all @flags, strings, end with that; not terminated, of
 * @ret_n bytes. NULL: several, or none is known. */
const char *rarog_optimisation_of(const json_t *flags, size_t *ret_n);

/** rarog_optimised_warn() - in a line, of what shows counts of lines, if code was optimised. */
void rarog_optimised_warn(const struct rarog_profile *profile);

#endif
