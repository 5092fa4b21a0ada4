/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that end with a jump to one that looks at its return address: it sees theirs. */
#ifndef RAROG_BINARY_RETURN_ASKED_H
#define RAROG_BINARY_RETURN_ASKED_H

#include "binary/code-map.h"
#include "binary/patch-site.h"

/**
 * rarog_return_asked() - let no OK function pass its return address on to one that looks at it
 * @map: complete
 * @sites: one for each function of @map; RAROG_SITE_OK becomes RAROG_SITE_RETURN where one jumps to
 * a function with that verdict, or to one that @map's links tell to ask, directly or by way of
 * others
 */
void rarog_return_asked(const struct rarog_code_map *map, struct rarog_site sites[]);

#endif
