/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Change points of a series (a metric over commits): where its level moves and stays.
 */
#ifndef RAROG_NUM_CHANGES_H
#define RAROG_NUM_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct rarog_change_point {
	size_t at; /* index of the first value after the change */
	double p;  /* rarog_changes_find() */
};

/* A part between changes that rises or falls all the time. */
struct rarog_drift {
	size_t first, end;    /* of its values */
	double before, after; /* the line at its ends */
	double p;             /* that chance makes such a slope, if noise is normal */
};

/* In the order of @at. Zeroed is empty. */
struct rarog_changes {
	RAROG_VEC(struct rarog_change_point) list;
	RAROG_VEC(struct rarog_drift) drifts; /* of the last window, likewise */
};

void rarog_changes_release(struct rarog_changes *changes);

/* Values that are analysed at once; the fewest in which a change can be seen, in which one near to
 * an end or a short one can, and in which a drift can. */
#define RAROG_CHANGES_WINDOW 512
#define RAROG_CHANGES_LEAST  8
#define RAROG_CHANGES_MANY   12
#define RAROG_DRIFT_LEAST    12

/**
 * rarog_changes_find() - the changes of a series of measurements, as checks use it
 * @n: 0 … RAROG_CHANGES_WINDOW values; less than RAROG_CHANGES_LEAST have no change
 * @ret_changes: released by the caller; p: that chance makes such a change at any place of the two
 * parts beside it, if noise is normal; set only on success
 *
 * Needs no setting: noise, memory and drift are estimated from the series. Single wild values, a
 * steady drift (which is found as what it is) and AR(1) noise are no changes. Deterministic.
 * doc/design/history.md has what was tried and how well it does.
 *
 * Return: 0, -EDOM (too many values), -EINVAL, -ENOMEM.
 */
int rarog_changes_find(size_t n, const double x[], struct rarog_changes *ret_changes);

/* How far a series of any length has been settled. Zeroed: nothing. */
struct rarog_change_scan {
	size_t start;   /* values before are of no more use */
	size_t settled; /* changes before that index will stay */
	struct rarog_changes changes;
};

void rarog_change_scan_release(struct rarog_change_scan *scan);

/**
 * rarog_change_scan() - the changes of a series of any length, going on from an earlier scan
 * @n: length of the whole series
 * @first: @x[0] is value @first of the series, at most @scan->start
 * @x: n - first values
 * @scan: goes on; to be kept with the series for the next time
 * @ret_changes: all of them, settled or not; released by the caller
 *
 * The same as from the beginning, and no more than one and a half windows are read for a new value.
 * Errors as above.
 */
int rarog_change_scan(size_t n, size_t first, const double x[], struct rarog_change_scan *scan,
		      struct rarog_changes *ret_changes);

/** rarog_change_settle() - only as far as changes are final: what is left has at most
 * RAROG_CHANGES_WINDOW values. As above. */
int rarog_change_settle(size_t n, size_t first, const double x[], struct rarog_change_scan *scan);

#endif
