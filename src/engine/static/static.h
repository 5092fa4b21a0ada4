/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions that were compiled in. */
#ifndef RAROG_ENGINE_STATIC_STATIC_H
#define RAROG_ENGINE_STATIC_STATIC_H

#include "engine/steps.h"

extern const struct rarog_engine_steps rarog_static_steps;

#endif
