/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A histogram in one line of block characters. All lines of a table share one logarithmic axis of
 * whole decades, so that what stands in the same column took the same time.
 */
#ifndef RAROG_VIEW_TERM_SPARKLINE_H
#define RAROG_VIEW_TERM_SPARKLINE_H

#include "profile/profile.h"

#define RAROG_SPARKLINE_CELLS 15

/* Zeroed: an axis nothing was added to. */
struct rarog_axis {
	bool is_used;
	uint64_t low_ns, high_ns; /* powers of ten once rounded */
};

/** rarog_axis_add() - the axis shall hold the durations of @summary. */
void rarog_axis_add(struct rarog_axis *axis, const struct rarog_clock *clock,
		    const struct rarog_summary *summary);

/** rarog_axis_round() - to decades; call once, when all is added. */
void rarog_axis_round(struct rarog_axis *axis);

/** rarog_axis_title() - "10 ns … 1 ms". */
void rarog_axis_title(const struct rarog_axis *axis, bool ascii, size_t size, char title[size]);

/** rarog_sparkline() - draw; @text must hold 3 * RAROG_SPARKLINE_CELLS + 1 bytes. */
void rarog_sparkline(const struct rarog_axis *axis, const struct rarog_clock *clock,
		     const struct rarog_summary *summary, bool ascii, char *text);

/** rarog_sparkline_draw() - @n cells, the highest full; @text must hold 3 * @n + 1 bytes. */
void rarog_sparkline_draw(size_t n, const uint64_t cells[n], bool ascii, char *text);

#endif
