/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first window begins when the program does. Where this thread comes too late a window is
 * longer, or shorter, than it should be, and the next one begins on time all the same. Time in
 * which the program stands still is none of its own: a large library takes longer to prepare than
 * many a window is long.
 */
#include "collect/windows.h"

#include <limits.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

#define NS_UNBEGUN 100000 /* until the next look whether it has */

static void switch_all(struct rarog_window_keeper *k, const struct rarog_engine *engine,
		       struct rarog_engine_run *run)
{
	const struct rarog_place_change change = {
		.action = k->is_shut ? RAROG_PLACE_COUNTED : RAROG_PLACE_PLANNED,
	};

	if (rarog_engine_set_place(engine, run, &change) == 0)
		return;
	k->is_given_up = true;
	rarog_warn("%s; from here on there are no --windows", rarog_error_message());
	rarog_error_clear();
}

/* Until then it is being prepared, which may take longer than a window. */
static bool has_begun(const struct rarog_engine *engine, const struct rarog_engine_run *run)
{
	return !engine->steps->traces || run->waiter.start_ns > 0;
}

long rarog_windows_keep(struct rarog_window_keeper *k, const struct rarog_engine *engine,
			struct rarog_engine_run *run)
{
	const struct rarog_windows *w = k->windows;
	uint64_t now = rarog_now_ns() - run->waiter.stood_ns, at;

	if (w->on_ns == 0 || k->is_given_up || !(engine->abilities & RAROG_ENGINE_SWITCHES))
		return 0;
	if (k->start_ns == 0 && !has_begun(engine, run))
		return NS_UNBEGUN;
	if (k->start_ns == 0)
		k->start_ns = now;
	at = (now - k->start_ns) % w->period_ns;
	if (k->is_shut != (at >= w->on_ns)) {
		k->is_shut = !k->is_shut;
		switch_all(k, engine, run);
	}
	at = at < w->on_ns ? w->on_ns - at : w->period_ns - at;
	return at < LONG_MAX ? (long)at : LONG_MAX;
}
