/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --windows: calls are recorded for a while, then counted for a while. */
#ifndef RAROG_COLLECT_WINDOWS_H
#define RAROG_COLLECT_WINDOWS_H

#include "engine/engine.h"

struct rarog_window_keeper {
	const struct rarog_windows *windows; /* borrowed; on_ns 0: there are none */
	uint64_t start_ns; /* of the first one, as if the program had never stood; 0: it has not
			    * begun */
	bool is_shut, is_given_up;
};

/**
 * rarog_windows_keep() - open or shut, if it is time, by switching all places of the engine
 *
 * An engine that cannot is left alone: it keeps them itself, or was not asked to. Where switching
 * fails there are no windows any more, which a warning says. Return: ns until the next time; 0:
 * none is to come.
 */
long rarog_windows_keep(struct rarog_window_keeper *keeper, const struct rarog_engine *engine,
			struct rarog_engine_run *run);

#endif
