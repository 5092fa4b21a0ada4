/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace collector's engine stap: one run under SystemTap's probes, into one profile. */
#ifndef RAROG_ENGINE_STAP_STAP_H
#define RAROG_ENGINE_STAP_STAP_H

#include "engine/probed/run.h"

extern const struct rarog_engine_steps rarog_stap_steps;

#endif
