/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points that models are fitted to: what each call took, by what. x is the structure size, order of
 * the call or number of the workload that an imported profile has; a value that was captured with
 * the calls; else the number of the call of its function and strand. y is the duration in ns (or
 * an amount in its own unit).
 */
#ifndef RAROG_MODEL_POINTS_H
#define RAROG_MODEL_POINTS_H

#include "model/model.h"
#include "profile/reader.h"

/* --- of one function --- */

#define RAROG_POINTS_MAX 16384 /* a power of two; of more, every second, fourth … is kept */

/* Zeroed: empty. */
struct rarog_points {
	size_t n, capacity;
	double *x, *y;
	size_t seen; /* added, kept or not */
	size_t stride;
};

/** rarog_points_add() - 0, -ENOMEM. What is kept is spread evenly over what was added. */
int rarog_points_add(struct rarog_points *points, double x, double y);
/** rarog_points_sort() - by x, equal ones by y, as models want them. */
int rarog_points_sort(struct rarog_points *points);
void rarog_points_release(struct rarog_points *points);

/* --- of a profile --- */

/* All may be NULL. Return 0 to go on, negative to stop with it. */
struct rarog_points_sink {
	int (*point)(void *arg, uint32_t location, double x, double y);
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
