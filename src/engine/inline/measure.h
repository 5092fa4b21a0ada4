/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of a program under the inline engine, into one profile. */
#ifndef RAROG_ENGINE_INLINE_MEASURE_H
#define RAROG_ENGINE_INLINE_MEASURE_H

#include "engine/steps.h"

extern const struct rarog_engine_steps rarog_inline_steps;

#endif
