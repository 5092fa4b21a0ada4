/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of many differences stand out from the rest. */
#ifndef RAROG_CHECK_OUTLIERS_H
#define RAROG_CHECK_OUTLIERS_H

#include <stddef.h>

enum rarog_outlier {
	RAROG_OUTLIER_NONE,
	RAROG_OUTLIER_DEVIATION, /* beyond some standard deviations of those that are none */
	RAROG_OUTLIER_FENCE,     /* beyond Tukey's fences */
	RAROG_OUTLIER_SCORE,     /* a large modified z-score */
};

struct rarog_outlier_limits {
	double score;      /* 3.5 (Iglewicz, Hoaglin 1993) */
	double fence;      /* 1.5 interquartile ranges (Tukey 1977) */
	double deviations; /* 2 */
};

struct rarog_outlier_word {
	enum rarog_outlier kind;
	double times; /* how many deviations, interquartile ranges beyond the quartile, or z */
};

/**
 * rarog_outliers() - judge each of @n differences
 * @ret_words: n
 *
 * The modified z-score is 0.6745 (x - median) / MAD; if more than half of them are equal, so that
 * the MAD is 0, (x - median) / (1.253314 mean absolute deviation). Fewer than 4: none stands out.
 * Return: 0, -EINVAL not finite, -ENOMEM.
 */
int rarog_outliers(size_t n, const double x[], const struct rarog_outlier_limits *limits,
		   struct rarog_outlier_word ret_words[]);

#endif
