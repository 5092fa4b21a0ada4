/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where control leaves what has been rewritten, so that times have to end there. */
#ifndef RAROG_ENGINE_REWRITE_OUTSIDE_H
#define RAROG_ENGINE_REWRITE_OUTSIDE_H

#include "binary/code-map.h"
#include "engine/rewrite/module.h"

/** rarog_rewrite_outside_find() - fill in .leaves of all blocks of @module. */
void rarog_rewrite_outside_find(struct rarog_rewrite_module *module,
				const struct rarog_code_map *map);

#endif
