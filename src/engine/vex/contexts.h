/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The context tree of all processes: calls and instructions of each way from the outermost call. */
#ifndef RAROG_ENGINE_VEX_CONTEXTS_H
#define RAROG_ENGINE_VEX_CONTEXTS_H

#include "engine/vex/image.h"

/** rarog_vex_contexts_write() - @maps: of the harvest's images. 0; negative with message. */
int rarog_vex_contexts_write(const struct rarog_vex_harvest *harvest,
			     const struct rarog_vex_map maps[],
			     struct rarog_profile_writer *writer);

#endif
