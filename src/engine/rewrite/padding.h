/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_ENGINE_REWRITE_PADDING_H
#define RAROG_ENGINE_REWRITE_PADDING_H

#include "binary/code-map.h"

/** rarog_rewrite_padding() - bytes after @f, up to the next function, to which nothing leads */
uint32_t rarog_rewrite_padding(const struct rarog_code_map *map, const struct rarog_function *f);

#endif
