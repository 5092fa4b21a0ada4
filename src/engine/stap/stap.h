/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace collector's engine stap: one run under SystemTap's probes, into one profile. */
#ifndef RAROG_ENGINE_STAP_STAP_H
#define RAROG_ENGINE_STAP_STAP_H

#include "engine/probed/run.h"

/** rarog_stap() - run the program, or watch one that runs, and write its profile. As
 * rarog_inline_measure(). */
int rarog_stap(const struct rarog_trace_options *options, struct rarog_probed_result *ret_result);

#endif
