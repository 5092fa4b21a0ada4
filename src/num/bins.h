/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many buckets of equal width a sample asks for. */
#ifndef RAROG_NUM_BINS_H
#define RAROG_NUM_BINS_H

#include <stddef.h>

/* In the order of rarog_bin_rules; the width of a bucket, 0: the rule has none. */
struct rarog_bin_rule_row {
	const char *name;
	double (*width)(size_t n, const double sorted[]);
};

/** rarog_bin_rules - auto, doane, fd, rice, scott, sqrt, sturges as NumPy has them: auto is the
 * narrower of fd (Freedman, Diaconis 1981) and sturges, which is for few values; NULL at the end */
extern const struct rarog_bin_rule_row rarog_bin_rules[];

/** rarog_bins() - the range by the rule's width, rounded up; 1 … RAROG_BINS_MAX */
size_t rarog_bins(const struct rarog_bin_rule_row *rule, size_t n, const double sorted[]);

#define RAROG_BINS_MAX 16384

#endif
