/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `rarog model`, and what they mean; a job's `postprocess` has the same. */
#ifndef RAROG_CMD_MODEL_ARGS_H
#define RAROG_CMD_MODEL_ARGS_H

#include "base/match.h"
#include "base/options.h"
#include "model/estimate.h"
#include "model/normal-form.h"

#define RAROG_MODEL_FAMILIES_ASKED (RAROG_MODEL_FAMILIES_MAX + 1)

struct rarog_model_args {
	/* which points */
	struct rarog_strings func, option;
	const char *x, *y, *job, *collector;
	bool per_call, means, normalize, by_logs;
	/* which models */
	const char *family, *at;
	int select, method, errors, robust;
	long steps, seed;
	/* those without a formula */
	int bucket_method, statistic, moving, window, kernel;
	long buckets, window_width, min_periods, degree;
	bool trailing;
	const char *decay, *bandwidth, *ridge;
	/* in which form */
	bool json, csv, ascii, no_chart;
	long limit, width;
	const char *output;
};

extern const struct rarog_option rarog_model_options[];
extern const struct rarog_model_args rarog_model_args_default;

/** rarog_model_is_unit() - "regression", "regressogram" …: is it one? Perun's spelling, too. */
bool rarog_model_is_unit(const char *text);

/* What they mean. */
struct rarog_model_ask {
	struct rarog_estimate_options options;
	struct rarog_match functions;
	const char *families[RAROG_MODEL_FAMILIES_ASKED];
	char *family_text;  /* where these stand */
	char *x_text;       /* where these stand */
	size_t n_variables; /* of a normal form; 0: there is one x */
	char *variables[RAROG_NORMAL_VARIABLES];
	bool has_at;
	double at;
	char *at_name; /* what this is called; NULL: nobody said */
	double at_all[RAROG_NORMAL_VARIABLES];
};

/** rarog_model_ask() - @unit: the word before the options, NULL: none. Return: 0; -EINVAL with
 * message. */
int rarog_model_ask(const struct rarog_model_args *args, const char *unit,
		    struct rarog_model_ask *ret_ask);

/** rarog_model_args_check() - do they go together, and with what was asked? Return: 0; -EINVAL with
 * message. */
int rarog_model_args_check(const struct rarog_model_args *args, const struct rarog_model_ask *ask);

void rarog_model_ask_release(struct rarog_model_ask *ask);

#endif
