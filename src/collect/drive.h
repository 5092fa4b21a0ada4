/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run under an engine, from its first step to its last (engine/engine.h). */
#ifndef RAROG_COLLECT_DRIVE_H
#define RAROG_COLLECT_DRIVE_H

#include "engine/engine.h"

/**
 * rarog_drive() - run the program, or watch one that runs, and write its profile
 *
 * However it ends, no process, probe or file is left behind. Signals are held then
 * (base/signals.h). Return: 0: the program ran (see ret_collected->run) and the profile is written;
 * -ENOENT, -EACCES …: as rarog_launch_failed(); negative with message otherwise. @ret_collected is
 * set in any case, as far as it is known.
 */
int rarog_drive(const struct rarog_engine *engine, const struct rarog_trace_options *options,
		struct rarog_collected *ret_collected);

#endif
