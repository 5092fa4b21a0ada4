/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of captured values: x is an argument's value (or the result), y what its call took. Of a
 * mark that takes no time (a point), y is what the call took that it was passed in: marks of one
 * name may stand in several functions, each of which has points of its own. */
#ifndef RAROG_MODEL_POINTS_ARGUMENTS_H
#define RAROG_MODEL_POINTS_ARGUMENTS_H

#include "base/vec.h"
#include "model/points.h"

/* Of a point's value, where it was passed. */
struct rarog_points_within {
	uint32_t argument;
	uint32_t location;       /* of the calls that it was passed in */
	double least, most, sum; /* of x */
	struct rarog_points points;
};

struct rarog_argument_points {
	size_t n;                                     /* arguments */
	struct rarog_points *of;                      /* of[n]; y in ns; of points' values: none */
	RAROG_VEC(struct rarog_points_within) within; /* by argument, then location */
};

/**
 * rarog_argument_points_read() - of all arguments of @profile
 * @cost: which is y where calls have no durations; NULL: instructions
 * @is_exclusive: y is the time without what was called, but of a point's values
 *
 * Only whole calls have points: those of --detail=calls that returned. Pointers have none; values
 * that are no finite number are counted as left out. Return: 0, also when there are none; -EBADMSG,
 * -ENOMEM.
 */
int rarog_argument_points_read(struct rarog_profile *profile, const char *cost, bool is_exclusive,
			       struct rarog_argument_points *ret_points);
/* A value of one call. */
struct rarog_argument_call {
	uint32_t argument;
	uint32_t within; /* of a point's value: the function that it was passed in; else RAROG_NONE
			  */
	double x;
	double y;           /* ns that the call took, or its cost where calls have no durations */
	double exclusive_y; /* without what was called; of a point's value the same as y */
	uint32_t strand;
	uint64_t entered_ticks; /* when it began; 0: calls have no times */
};

/**
 * rarog_argument_calls() - each value that rarog_argument_points_read() makes a point of
 * @cost: as there
 * @take: 0 to go on; strand after strand, in the order in which calls end
 *
 * Return: 0, errors, what @take said.
 */
int rarog_argument_calls(struct rarog_profile *profile, const char *cost,
			 int (*take)(void *arg, const struct rarog_argument_call *call), void *arg);

void rarog_argument_points_release(struct rarog_argument_points *points);

/**
 * rarog_points_settle() - sorts, and takes out what single calls have that others of like x have
 * not
 *
 * A call during which another program had the processor took a thousand times as long as it needs,
 * and least squares follow it. Points of one x, or of so many neighbouring ones that there are
 * five, become one: their medians. Of fewer than 16 points each y becomes the median of itself and
 * its neighbours. @ret_least: each point stands for so many calls of
 * an x at least. 0, -ENOMEM.
 */
int rarog_points_settle(struct rarog_points *points, double *ret_least);

#endif
