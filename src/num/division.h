/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dividing a series that may depend on its own past: x is looked at as z(t) = x(t) - φ x(t-1),
 * whose noise is independent when x is an AR(1) process about its level. Parts have a level, or a
 * level and a slope. The first z of a part mixes two levels and is left out of its cost, so a
 * change costs a parameter for it, too.
 */
#ifndef RAROG_NUM_DIVISION_H
#define RAROG_NUM_DIVISION_H

#include <stdbool.h>
#include <stddef.h>

/* The cost of any part is known at once from running sums. */
struct rarog_whitened {
	size_t n;
	double phi;
	bool is_sloped;
	double *z;                      /* z[1 … n-1] */
	double *sum, *squares, *moment; /* n + 1: Σ z, Σ z², Σ t z of t < i */
	double *by_n, *by_sxx; /* n + 1: 1/m, 12/(m³ - m): divisions are what takes time */
};

/** rarog_whitened_init() - room for n values; 0 or -ENOMEM. Released in any case. */
int rarog_whitened_init(struct rarog_whitened *w, size_t n);
void rarog_whitened_release(struct rarog_whitened *w);

/** rarog_whitened_set() - look at @x (n values, about 0 for the sake of precision) so. */
void rarog_whitened_set(struct rarog_whitened *w, const double x[], double phi, bool is_sloped);

/** rarog_whitened_part() - residual sum of squares of the part x[first … end-1] */
double rarog_whitened_part(const struct rarog_whitened *w, size_t first, size_t end);

struct rarog_division {
	size_t n_at, *at; /* first values of all parts but the first, rising; room for n */
	double rss;       /* of all parts */
};

#define RAROG_DIVISION_CANDIDATES 64

/* Where changes may be, and what the search needs. */
struct rarog_division_search {
	size_t n_candidates,
		candidates[RAROG_DIVISION_CANDIDATES + 2]; /* first 0, rising, last n */
	double best[RAROG_DIVISION_CANDIDATES + 2];
	size_t before[RAROG_DIVISION_CANDIDATES + 2];
	double *work; /* 3 (n + 1) */
};

int rarog_division_search_init(struct rarog_division_search *search, size_t n);
void rarog_division_search_release(struct rarog_division_search *search);

/**
 * rarog_division_candidates() - places where a change may be worth a look
 *
 * Those at which the means of 2, 4, 8 or 16 values before and after differ more than at the places
 * next to them; of these the RAROG_DIVISION_CANDIDATES largest.
 */
void rarog_division_candidates(size_t n, const double x[], struct rarog_division_search *search);

/** rarog_division_best() - the division at candidates with the least RSS + @penalty × changes;
 * exact (Jackson et al. 2005, optimal partitioning). */
void rarog_division_best(const struct rarog_whitened *w, struct rarog_division_search *search,
			 double penalty, struct rarog_division *division);

/** rarog_division_refine() - move each change by up to 8 places to where it is best. */
void rarog_division_refine(const struct rarog_whitened *w, struct rarog_division *division);

#endif
