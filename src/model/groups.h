/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any number of points in bounded memory. Each x has a group of its own as long as few differ; of
 * more, neighbours share one, so that groups are as wide as their x is large (at 2,048 of them over
 * nine decades 3 %) and what is rare is never dropped. Of each group the number of its points,
 * their means and the squares around the mean of y are exact; its median is one of a sample.
 */
#ifndef RAROG_MODEL_GROUPS_H
#define RAROG_MODEL_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "run/splitmix.h"

#define RAROG_GROUPS_MAX 2048

struct rarog_group {
	double n;       /* points */
	double x, y;    /* their means */
	double squares; /* Σ (y - its mean)² */
	size_t n_sample, room;
	double *sample; /* sample[n_sample] of its y, each as likely */
};

/* Zeroed: empty. */
struct rarog_groups {
	RAROG_VEC(struct rarog_group) list; /* by x */
	unsigned shift; /* x that agree but for that many last bits share a group */
	struct rarog_splitmix random;
};

/** rarog_groups_add() - one point, both numbers finite. 0, -ENOMEM. */
int rarog_groups_add(struct rarog_groups *groups, double x, double y);

/** rarog_groups_merge() - all points of a group from elsewhere. 0, -ENOMEM. */
int rarog_groups_merge(struct rarog_groups *groups, const struct rarog_group *from);

/** rarog_group_median() - of the sample, which is sorted for it; the lower one of an even number.
 */
double rarog_group_median(struct rarog_group *group);

void rarog_groups_release(struct rarog_groups *groups);

#endif
