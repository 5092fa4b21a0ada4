/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points that models are fitted to: what each call took, by what. x is the structure size, order of
 * the call or number of the workload that an imported profile has; a value that was captured with
 * the calls; else the number of the call of its function and strand. y is the duration in ns (or
 * an amount in its own unit; instructions where calls have no durations). costs.h has more x and y.
 */
#ifndef RAROG_MODEL_POINTS_H
#define RAROG_MODEL_POINTS_H

#include "model/groups.h"
#include "model/model.h"
#include "profile/reader.h"

/* --- of one function --- */

#define RAROG_POINTS_MAX 16384 /* more are grouped */

/* Zeroed: empty. */
struct rarog_points {
	size_t n, capacity;
	double *x, *y;   /* of groups their means */
	size_t seen;     /* added */
	double sum;      /* of y, of all that were added */
	double *w;       /* points in each group; NULL: ungrouped, each is one */
	double within;   /* Σ of the squares of y around the means of its groups */
	size_t left_out; /* not finite */
	bool are_counts; /* y has no noise: points that are alike are one, before any are grouped */
	double least, most; /* x */
	struct rarog_groups *groups;
};

/** rarog_points_add() - 0, -ENOMEM. What is not finite is left out and counted. */
int rarog_points_add(struct rarog_points *points, double x, double y);

/** rarog_points_merge() - all points of @from. 0, -ENOMEM. */
int rarog_points_merge(struct rarog_points *points, const struct rarog_points *from);

/** rarog_points_drop_doubles() - of single points, sorted: those that are alike are one. */
void rarog_points_drop_doubles(struct rarog_points *points);

/** rarog_points_scale() - y of all points times @by. */
void rarog_points_scale(struct rarog_points *points, double by);

/** rarog_points_sort() - when all are there: by x, equal ones by y, as models want them; of groups
 * x, y and w are set. May be asked for again after more were added. 0, -ENOMEM. */
int rarog_points_sort(struct rarog_points *points);
void rarog_points_release(struct rarog_points *points);

/* --- of a profile --- */

#define RAROG_POINTS_ORDER "order" /* of the call */

/* Both may be zero: what the profile offers, and durations. */
struct rarog_points_wish {
	const char *x; /* a captured value by its name, or RAROG_POINTS_ORDER */
	const char
		*cost; /* RAROG_VALUE_BLOCKS; NULL: instructions, where calls have no durations */
	bool is_exclusive; /* durations without what was called; not of what marks told */
	bool is_single;    /* .point gets every call, never the mean of a group of them */
};

/* All may be NULL. Return 0 to go on, negative to stop with it. */
struct rarog_points_sink {
	struct rarog_points_wish wish;
	int (*point)(void *arg, uint32_t location, double x, double y);
	/* Many at once, of one location. NULL: one after the other; of groups, then, their means.
	 */
	int (*points)(void *arg, uint32_t location, const struct rarog_points *points);
	/* A model that the profile brought along; @model->n is 0. The callee takes it. */
	int (*model)(void *arg, uint32_t location, struct rarog_model *take_model);
	/* Before its points: their x is the captured value @x, not the number of the call. */
	int (*named)(void *arg, uint32_t location, const char *x);
	void *arg;
};

/**
 * rarog_points_read() - all points and models of @profile
 *
 * Return: 0, also when it has none; -EBADMSG a damaged section; -ENOMEM; what the sink said.
 */
int rarog_points_read(struct rarog_profile *profile, const struct rarog_points_sink *sink);

#endif
