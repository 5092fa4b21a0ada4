/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fits may be told. All zero: the defaults, which are ordinary least squares. */
#ifndef RAROG_MODEL_OPTIONS_H
#define RAROG_MODEL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the error of one y grows with y. */
enum rarog_errors {
	RAROG_ERRORS_CONSTANT, /* ordinary least squares */
	RAROG_ERRORS_RELATIVE, /* so many percent: what times do */
	RAROG_ERRORS_AUTO,     /* whichever of constant, root and relative the points show */
};

/* What far-off points count. */
enum rarog_robust {
	RAROG_ROBUST_NONE,
	RAROG_ROBUST_HUBER, /* with their distance, no longer with its square */
	RAROG_ROBUST_TUKEY, /* nothing */
};

enum rarog_bin_rule {
	RAROG_BINS_AUTO, /* the narrower of fd and sturges */
	RAROG_BINS_DOANE,
	RAROG_BINS_FD,
	RAROG_BINS_RICE,
	RAROG_BINS_SCOTT,
	RAROG_BINS_SQRT,
	RAROG_BINS_STURGES,
};

enum rarog_moving_kind {
	RAROG_MOVING_SMA, /* weighted mean of a window */
	RAROG_MOVING_SMM, /* median of a window */
	RAROG_MOVING_EMA, /* exponentially less */
};

enum rarog_moving_window {
	RAROG_WINDOW_BOXCAR,
	RAROG_WINDOW_TRIANG,
	RAROG_WINDOW_BLACKMAN,
	RAROG_WINDOW_HAMMING,
	RAROG_WINDOW_BARTLETT,
	RAROG_WINDOW_PARZEN,
	RAROG_WINDOW_BOHMAN,
	RAROG_WINDOW_BLACKMANHARRIS,
	RAROG_WINDOW_NUTTALL,
	RAROG_WINDOW_BARTHANN,
};

enum rarog_decay {
	RAROG_DECAY_COM,      /* alpha = 1 / (1 + com) */
	RAROG_DECAY_SPAN,     /* 2 / (span + 1) */
	RAROG_DECAY_HALFLIFE, /* 1 - 2^(-1 / halflife) */
	RAROG_DECAY_ALPHA,
};

enum rarog_smoothing_kernel {
	RAROG_KERNEL_EPANECHNIKOV,
	RAROG_KERNEL_TRICUBE,
	RAROG_KERNEL_NORMAL,
	RAROG_KERNEL_EPANECHNIKOV4,
	RAROG_KERNEL_NORMAL4,
	RAROG_KERNEL_BOX,
};

enum rarog_bandwidth {
	RAROG_BANDWIDTH_CV,  /* least squares of what was left out, point by point */
	RAROG_BANDWIDTH_AIC, /* Hurvich, Simonoff, Tsai 1998 */
	RAROG_BANDWIDTH_SCOTT,
	RAROG_BANDWIDTH_SILVERMAN,
	RAROG_BANDWIDTH_GIVEN,
};

/* Names as the command line has them; each ends with NULL. */
extern const char *const rarog_errors_names[],
	*const rarog_robust_names[],
		*const rarog_bin_rule_names[],
			*const rarog_moving_names[],
				*const rarog_window_names[],
					*const rarog_decay_names[],
						*const rarog_kernel_names[],
							*const rarog_bandwidth_names[];

/** rarog_decay_alpha() - what "span 4" is worth: how much the newest point counts. */
double rarog_decay_alpha(enum rarog_decay decay, double value);

/** rarog_is_decay() - is there such an alpha? */
bool rarog_is_decay(double alpha);

struct rarog_regressogram_options {
	enum rarog_bin_rule rule;
	size_t buckets; /* 0: by the rule */
	bool is_median; /* else means */
};

struct rarog_moving_options {
	enum rarog_moving_kind kind;
	enum rarog_moving_window window;
	size_t width;       /* points; 0: the one of the smallest error on points left out */
	bool is_trailing;   /* else centred; ema is always trailing */
	size_t min_periods; /* fewer points in the window: no value there; 0: 1 */
	enum rarog_decay decay;
	bool has_decay; /* of ema; else the one of the smallest error on points left out */
	double decay_value;
};

struct rarog_kernel_options {
	enum rarog_smoothing_kernel kernel;
	unsigned degree; /* of the local polynomial + 1; 0: local lines, 1: Nadaraya-Watson */
	enum rarog_bandwidth bandwidth;
	double given; /* RAROG_BANDWIDTH_GIVEN */
	double ridge; /* added to the local equations, as a share of their weight */
};

struct rarog_model_options {
	const double *weights; /* weights[n], above 0; NULL: 1 each */
	enum rarog_errors errors;
	enum rarog_robust robust;
	bool are_counts; /* y has no noise: what is left is what no model knows of the program */
	double repeats;  /* each y is the median of at least so many measurements; 0: of one */
	bool is_by_logs; /* power and exponential through logarithms, as Perun and textbooks do */
	const char *const *smoothers; /* of families without a formula these, NULL at the end; NULL:
					 all. They take longer than all others */
	uint64_t seed;                /* of whatever is drawn */
	struct rarog_regressogram_options regressogram;
	struct rarog_moving_options moving;
	struct rarog_kernel_options kernel;
};

#endif
