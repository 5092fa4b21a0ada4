/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any number of points in bounded memory. Each x has a bin of its own as long as few differ; of
 * more, neighbours share one, so that bins are as wide as their x is large (at 2,048 of them over
 * nine decades 3 %) and what is rare is never dropped. Of each bin the number of its points, their
 * means and the squares around the mean of y are exact; its median is one of a sample.
 */
#ifndef RAROG_MODEL_BINS_H
#define RAROG_MODEL_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "run/splitmix.h"

#define RAROG_BINS_MAX 2048

struct rarog_bin {
	double n;       /* points */
	double x, y;    /* their means */
	double squares; /* Σ (y - its mean)² */
	size_t n_sample, room;
	double *sample; /* sample[n_sample] of its y, each as likely */
};

/* Zeroed: empty. */
struct rarog_bins {
	RAROG_VEC(struct rarog_bin) list; /* by x */
	unsigned shift;                   /* x that agree but for that many last bits share a bin */
	struct rarog_splitmix random;
};

/** rarog_bins_add() - one point, both numbers finite. 0, -ENOMEM. */
int rarog_bins_add(struct rarog_bins *bins, double x, double y);

/** rarog_bins_merge() - all points of another bin, from elsewhere. 0, -ENOMEM. */
int rarog_bins_merge(struct rarog_bins *bins, const struct rarog_bin *bin);

/** rarog_bin_median() - of the sample, which is sorted for it; the lower one of an even number. */
double rarog_bin_median(struct rarog_bin *bin);

void rarog_bins_release(struct rarog_bins *bins);

#endif
