/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Written by num-peers.py with SciPy 1.10.1, NumPy 1.24.2,
 * statsmodels 0.13.5+dfsg.
 */
#ifndef RAROG_TESTS_NUM_PEERS_H
#define RAROG_TESTS_NUM_PEERS_H

#define PEER_X_N     13
#define PEER_Y_N     11
#define PEER_TIED_N  7
#define PEER_PAIRS_N 9
#define PEER_P_N     10
static const double peer_x[13] = { 9.3100000000000005,
				   10.720000000000001,
				   8.0500000000000007,
				   11.6,
				   10.199999999999999,
				   9.9399999999999995,
				   12.83,
				   7.4100000000000001,
				   10.07,
				   9.5800000000000001,
				   30,
				   8.8800000000000008,
				   10.33 };
static const double peer_y[11] = { 10.9,
				   11.35,
				   9.9900000000000002,
				   12.4,
				   10.85,
				   11.619999999999999,
				   13.1,
				   9.0199999999999996,
				   10.609999999999999,
				   10.75,
				   11.9 };
static const double peer_tied[7] = { 9.3100000000000005,
				     10.199999999999999,
				     10.199999999999999,
				     11.6,
				     9.9399999999999995,
				     10.720000000000001,
				     12.83 };
static const double peer_pairs[9] = { 0.31,
				      -0.12,
				      0.52000000000000002,
				      0.27000000000000002,
				      0.44,
				      -0.050000000000000003,
				      0.38,
				      0.60999999999999999,
				      0.19 };
static const double peer_p[10] = { 0.00040000000000000002, 0.031,
				   0.0011999999999999999,  0.20000000000000001,
				   0.00040999999999999999, 0.90000000000000002,
				   0.059999999999999998,   0.031,
				   0.0080000000000000002,  1 };

/* scipy.stats.mstats.mquantiles: p, then types 4 to 9 by alphap and betap */
static const struct {
	double p, type[6];
} peer_quantiles[] = {
	{ 0,
	  { 7.4100000000000001, 7.4100000000000001, 7.4100000000000001, 7.4100000000000001,
	    7.4100000000000001, 7.4100000000000001 } },
	{ 0.01,
	  { 7.4100000000000001, 7.4100000000000001, 7.4100000000000001, 7.4868000000000006,
	    7.4100000000000001, 7.4100000000000001 } },
	{ 0.1,
	  { 7.6020000000000003, 7.9220000000000006, 7.6660000000000004, 8.2160000000000011,
	    7.8366666666666678, 7.8580000000000005 } },
	{ 0.25,
	  { 8.9875000000000007, 9.2025000000000006, 9.0950000000000006, 9.3100000000000005,
	    9.1666666666666679, 9.1756250000000001 } },
	{ 0.5, { 10.004999999999999, 10.07, 10.07, 10.07, 10.07, 10.07 } },
	{ 0.7,
	  { 10.369, 10.564, 10.642000000000001, 10.486000000000001, 10.59, 10.583500000000001 } },
	{ 0.9,
	  { 12.461000000000002, 16.264000000000017, 23.132000000000026, 12.584000000000001,
	    18.553333333333342, 17.981000000000012 } },
	{ 0.99, { 27.767899999999987, 30, 30, 27.939599999999984, 30, 30 } },
	{ 1, { 30, 30, 30, 30, 30, 30 } },
};

/* scipy.stats.mannwhitneyu(y, x), exact; (tied, x), asymptotic */
#define PEER_U             103
#define PEER_U_P           0.072024690883218265
#define PEER_U_TIED        55.5
#define PEER_U_TIED_P      0.45002850668920258
/* scipy.stats.ttest_ind(equal_var=False), statsmodels' tconfint_diff */
#define PEER_WELCH_T       -0.19636566082255569
#define PEER_WELCH_P       0.84734176196444211
#define PEER_WELCH_FREEDOM 13.08126308882991
#define PEER_WELCH_LOW     -3.8375037818211513
#define PEER_WELCH_HIGH    3.1976436419610113

/* scipy.stats.permutation_test, all permutations, upper tail: tied against y;
 * pairs */
#define PEER_PERMUTATION_P 0.23993783993783993
#define PEER_PAIRED_P      0.0078125

/* statsmodels' multipletests, fdr_bh */
static const double peer_bh[10] = { 0.0020499999999999997,
				    0.051666666666666666,
				    0.0040000000000000001,
				    0.25,
				    0.0020499999999999997,
				    1,
				    0.085714285714285715,
				    0.051666666666666666,
				    0.02,
				    1 };
/* statsmodels' multipletests, fdr_by */
static const double peer_by[10] = { 0.0060043849206349196, 0.15133002645502644,
				    0.011715873015873015,  0.73224206349206344,
				    0.0060043849206349196, 1,
				    0.25105442176870746,   0.15133002645502644,
				    0.058579365079365071,  1 };
/* statsmodels' multipletests, holm */
static const double peer_holm[10] = { 0.0040000000000000001, 0.186,
				      0.0095999999999999992, 0.60000000000000009,
				      0.0040000000000000001, 1,
				      0.23999999999999999,   0.186,
				      0.056000000000000001,  1 };

/* scipy.stats.bootstrap, BCa, 400,000 resamples: mean of x; the ends vary by
 * 0.5 % */
#define PEER_BCA_LOW  9.6376923076923067
#define PEER_BCA_HIGH 17.480462730076262

/* scipy.stats.theilslopes(y), kendalltau (no continuity correction) */
#define PEER_SEN_SLOPE          0.05600000000000023
#define PEER_SEN_LOW            -0.27500000000000008
#define PEER_SEN_HIGH           0.42999999999999972
#define PEER_KENDALL_TAU        0.018181818181818184
#define PEER_KENDALL_P          0.93794745684293901
/* statsmodels: durbin_watson of y about its mean; OLS of y on 0, 1, …, with AIC
 */
#define PEER_DURBIN_WATSON      2.6484231639447513
#define PEER_OLS_R2             1.7934080059900381e-06
#define PEER_OLS_LOG_LIKELIHOOD -16.386853568577042
static const double peer_ols[4] = { 11.13772727272727, -0.00045454545454515216, 0.66934518732712167,
				    0.1131399865903146 };

/* second of five bounds by scipy.integrate.quad: O'Brien-Fleming type, Pocock
 * type */
#define PEER_OBRIEN_FLEMING_2 3.3570119215746423
#define PEER_POCOCK_2         2.4268138581501746

#endif
