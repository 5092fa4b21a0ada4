/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One amount over versions: of a function its time, calls or instructions, or of the program. Only
 * as many values are kept as a further analysis needs, and what was settled before.
 */
#ifndef RAROG_CHECK_SERIES_H
#define RAROG_CHECK_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "num/changes.h"

enum rarog_series_metric {
	RAROG_SERIES_WALL,        /* ns, of runs without probes */
	RAROG_SERIES_TRACED_WALL, /* ns, with probes: where there is no other */
	RAROG_SERIES_EXCLUSIVE,   /* ns */
	RAROG_SERIES_INCLUSIVE,   /* ns */
	RAROG_SERIES_CALLS,
	RAROG_SERIES_CPU, /* ns, user and system, of runs without probes */
	/* parts of a function's exclusive time, ns */
	RAROG_SERIES_EXCLUSIVE_CPU,
	RAROG_SERIES_EXCLUSIVE_WAITED,
	RAROG_SERIES_INSTRUCTIONS, /* executed, of profiles of blocks */
	RAROG_SERIES_METRICS
};

/** rarog_series_metric_name() - "wall", "traced-wall", "exclusive", "inclusive", "calls",
 * "cpu", "exclusive-cpu", "exclusive-waited", "instructions"; static.
 */
const char *rarog_series_metric_name(enum rarog_series_metric metric);

/** rarog_series_is_count() - a metric that is a number of something, and no time. */
bool rarog_series_is_count(enum rarog_series_metric metric);

/** rarog_series_is_exclusive() - a time of a function without that of what it called. */
bool rarog_series_is_exclusive(enum rarog_series_metric metric);

enum rarog_shift_shape {
	RAROG_SHIFT_STEP = 0,
	RAROG_SHIFT_STAIRS, /* several steps in one direction, some of them too small to be shown */
	RAROG_SHIFT_DRIFT,  /* all the time a little */
	RAROG_SHIFT_SHAPES
};

/** rarog_shift_shape_name() - "step", "stairs", "drift"; static. */
const char *rarog_shift_shape_name(enum rarog_shift_shape shape);

/* Where a series moved to another level, or how. */
struct rarog_shift {
	uint32_t version;  /* the first of the new level; an index of the history's versions */
	uint32_t previous; /* the version measured before it: the change lies in between */
	uint32_t until;    /* of stairs the last step, of a drift its last version; else version */
	uint16_t shape;    /* enum rarog_shift_shape */
	uint16_t steps;    /* of stairs */
	uint16_t runs;     /* of an exact step: how many say the same before and after it, together,
			      RAROG_SHIFT_RUNS at most */
	bool is_kept;      /* it was certain when the series was exact, and stays so */
	double before, after; /* levels: medians of up to 30 values */
	double p;             /* 0: exact */
};

/* Fewer runs in a row that agree may do so by chance. */
#define RAROG_SHIFT_RUNS 4

/** rarog_shift_is_weak() - an exact step of which too few runs know that nothing varies. */
static inline bool rarog_shift_is_weak(const struct rarog_shift *shift)
{
	return shift->runs > 0 && shift->runs < RAROG_SHIFT_RUNS;
}

struct rarog_series_value {
	double value;
	uint32_t version;
};

/* Zeroed, but for .metric: empty. */
struct rarog_series {
	enum rarog_series_metric metric;
	uint32_t n;     /* values so far */
	uint32_t turns; /* values that differ from the one before */
	/* values of several runs that were the same in all of them, that were not */
	uint32_t agreed, differed;
	uint32_t same; /* runs in a row that had the last value, RAROG_SHIFT_RUNS at most */
	RAROG_VEC(struct rarog_series_value)
	values;                        /* the last ones: values[i] is number n - values.n + i */
	struct rarog_change_scan scan; /* .changes are in .settled */
	RAROG_VEC(struct rarog_shift) settled;
	RAROG_VEC(struct rarog_shift) steps; /* the last turns of a count */
};

void rarog_series_release(struct rarog_series *series);

/** rarog_series_add() - the value of the next version; analysed and dropped what is not needed any
 * more. 0; -EINVAL a value that is not finite, -ENOMEM. */
int rarog_series_add(struct rarog_series *series, uint32_t version, double value);

/** rarog_series_add_several() - likewise, of a version with several runs. @agree: all of them had
 * that value. */
int rarog_series_add_several(struct rarog_series *series, uint32_t version, double value,
			     bool agree);

/** rarog_series_is_exact() - each move is a change: of counts that hardly ever move; of
 * instructions also if no runs of one version differed, and half of the versions have several.
 *
 * A version that is as the one before it never ends that. */
bool rarog_series_is_exact(const struct rarog_series *series);

struct rarog_shifts {
	RAROG_VEC(struct rarog_shift) list; /* oldest first */
};

/** rarog_series_shifts() - all changes, settled or not; release list. Drifts come last.
 *
 * An exact step that enough runs agree on stays when later counts vary. */
int rarog_series_shifts(const struct rarog_series *series, struct rarog_shifts *ret_shifts);

#endif
