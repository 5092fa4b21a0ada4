/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many functions grow how, by the six models of the documents (their metric M_FC): the time of
 * a call by its number among the calls of the function. It is for comparing runs with each other;
 * what a function really costs is a matter of rarog model.
 */
#ifndef RAROG_MODEL_KINDS_H
#define RAROG_MODEL_KINDS_H

#include "profile/reader.h"

enum rarog_kind {
	RAROG_KIND_CONSTANT,
	RAROG_KIND_LINEAR,
	RAROG_KIND_LOGARITHMIC,
	RAROG_KIND_QUADRATIC,
	RAROG_KIND_POWER,
	RAROG_KIND_EXPONENTIAL,
	RAROG_KIND_UNCLEAR, /* none explains half of the variance */
	RAROG_KINDS,
};

/** rarog_kind_names - "constant", …, "unclear", NULL. */
extern const char *const rarog_kind_names[];

struct rarog_kinds {
	uint64_t functions[RAROG_KINDS];
	uint64_t too_few; /* functions with fewer than 3 calls: no model */
};

/* Sums over the points of one function, of which each model takes what it needs. */
struct rarog_kind_sums {
	uint64_t n;
	long double x, x2, x3, x4, y, y2, xy, x2y; /* y in µs */
	long double lx, lx2, lxy;                  /* ln x, and y */
	uint64_t n_logs;                           /* points with y > 0 */
	long double px, px2, pl, pl2, ly, ly2, xly, lxly;
};

/** rarog_kind_add() - the call of number @x took @y µs. */
void rarog_kind_add(struct rarog_kind_sums *sums, double x, double y);

/** rarog_kind_best() - of at least 3 points; @ret_r2: how much of their variance it explains. */
enum rarog_kind rarog_kind_best(const struct rarog_kind_sums *sums, double *ret_r2);

/** rarog_kinds_count() - of a profile with single calls; without them all are 0. 0; -errno with
 * message. */
int rarog_kinds_count(struct rarog_profile *profile, struct rarog_kinds *ret_kinds);

#endif
