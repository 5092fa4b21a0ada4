/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of the prediction are those of the documents; --opt predict=later takes those of the
 * last published program instead.
 */
#include "optimize/parameters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"

const char *const rarog_pipeline_names[] = { "custom", "basic", "advanced", "full", NULL };

enum prediction { PREDICT_DOCUMENTS, PREDICT_LATER, PREDICT_OFF };

enum kind { WHOLE, FRACTION, FLAG, CHOICE, TEXT };

static const char *const flags[] = { "0", "1", "no", "yes", "false", "true", NULL };
static const char *const cg_modes[] = { "match",    "prune",     "soft", "strict",
					"top-down", "bottom-up", NULL };
static const char *const cg_levels[] = { "longest", "estimated", NULL };
static const char *const diff_modes[] = { "soft", "semistrict", "strict", "color", NULL };
static const char *const complexities[] = { "zero",  "constant", "linear", "quadratic",
					    "cubic", "quartic",  NULL };
static const char *const threshold_modes[] = { "soft", "strict", NULL };
static const char *const predictions[] = { "documents", "later", "off", NULL };

static const struct rule {
	const char *name;
	enum kind kind;
	double usual;
	const char *const *choices;
} rules[RAROG_PARAMETERS] = {
	[RAROG_PARAMETER_DIFF_VERSION] = { "diff-version", TEXT },
	[RAROG_PARAMETER_DIFF_KEEP_LEAF] = { "diff-keep-leaf", FLAG, 1 },
	[RAROG_PARAMETER_DIFF_INSPECT_ALL] = { "diff-inspect-all", FLAG, 1 },
	[RAROG_PARAMETER_DIFF_CFG_MODE] = { "diff-cfg-mode", CHOICE, RAROG_DIFF_SEMISTRICT,
					    diff_modes },
	[RAROG_PARAMETER_SOURCE_FILES] = { "source-files", TEXT },
	[RAROG_PARAMETER_SOURCE_DIRS] = { "source-dirs", TEXT },
	[RAROG_PARAMETER_STATIC_COMPLEXITY] = { "static-complexity", CHOICE,
						RAROG_COMPLEXITY_CONSTANT, complexities },
	[RAROG_PARAMETER_STATIC_KEEP_TOP] = { "static-keep-top", WHOLE, 1 },
	[RAROG_PARAMETER_CG_MODE] = { "cg-mode", CHOICE, RAROG_CG_MATCH, cg_modes },
	[RAROG_PARAMETER_CG_LEVELS] = { "cg-levels", CHOICE, 0, cg_levels },
	[RAROG_PARAMETER_CG_TRIM_LEVELS] = { "cg-trim-levels", WHOLE, 2 },
	[RAROG_PARAMETER_CG_TRIM_MIN_FUNCTIONS] = { "cg-trim-min-functions", WHOLE, 10 },
	[RAROG_PARAMETER_CG_TRIM_KEEP_LEAF] = { "cg-trim-keep-leaf", FLAG },
	[RAROG_PARAMETER_CG_PRUNE_CHAIN_LENGTH] = { "cg-prune-chain-length", WHOLE, 1 },
	[RAROG_PARAMETER_CG_PRUNE_KEEP_TOP] = { "cg-prune-keep-top", WHOLE, 2 },
	[RAROG_PARAMETER_CG_PROJ_LEVELS] = { "cg-proj-levels", WHOLE, 1 },
	[RAROG_PARAMETER_CG_PROJ_KEEP_LEAF] = { "cg-proj-keep-leaf", FLAG },
	[RAROG_PARAMETER_DYN_SAMPLE_STEP] = { "dyn-sample-step", FRACTION, 2 },
	[RAROG_PARAMETER_DYN_SAMPLE_THRESHOLD] = { "dyn-sample-threshold", WHOLE, 10000 },
	[RAROG_PARAMETER_PROBING_THRESHOLD] = { "probing-threshold", WHOLE, 100000 },
	[RAROG_PARAMETER_PROBING_REATTACH] = { "probing-reattach", FLAG },
	[RAROG_PARAMETER_TIMED_SAMPLE_FREQ] = { "timed-sample-freq", WHOLE, 1 },
	[RAROG_PARAMETER_DYN_BASE_SOFT_THRESHOLD] = { "dyn-base-soft-threshold", WHOLE, 10000 },
	[RAROG_PARAMETER_DYN_BASE_HARD_THRESHOLD] = { "dyn-base-hard-threshold", WHOLE, 1000000 },
	[RAROG_PARAMETER_DYN_BASE_AGAIN] = { "dyn-base-again", WHOLE, 10 },
	[RAROG_PARAMETER_THRESHOLD_MODE] = { "threshold-mode", CHOICE, 0, threshold_modes },
	[RAROG_PARAMETER_PREDICT] = { "predict", CHOICE, PREDICT_DOCUMENTS, predictions },
};

struct rarog_parameters rarog_parameters_default(void)
{
	struct rarog_parameters parameters = { 0 };

	for (int i = 0; i < RAROG_PARAMETERS; i++)
		parameters.number[i] = rules[i].usual;
	return parameters;
}

/* --- given --- */

/* Other names: of one parameter, or of two that the documents have as one. */
static const struct {
	const char *name;
	enum rarog_technique_parameter parameter, also;
} others[] = {
	{ "diff-base", RAROG_PARAMETER_DIFF_VERSION, RAROG_PARAMETER_DIFF_VERSION },
	{ "cg-keep-top", RAROG_PARAMETER_CG_TRIM_LEVELS, RAROG_PARAMETER_CG_PRUNE_KEEP_TOP },
};

static bool is_called(const char *name, size_t n, const char *text)
{
	return strlen(name) == n && strncmp(name, text, n) == 0;
}

/* @ret_also: another one that is set with it, or the same. */
static int find_rule(const char *text, size_t n, int *ret_also)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is_called(others[i].name, n, text)) {
			*ret_also = (int)others[i].also;
			return (int)others[i].parameter;
		}
	for (int i = 0; i < RAROG_PARAMETERS; i++)
		if (is_called(rules[i].name, n, text))
			return *ret_also = i;
	return -ENOENT;
}

static int unknown(const char *text, size_t n)
{
	rarog_cleanup(rarog_str_release) struct rarog_str near = { 0 };
	rarog_cleanup(rarog_freep) char *name = strndup(text, n);
	struct rarog_nearest nearest = { .wanted = name };

	if (!name)
		return rarog_oom();
	for (int i = 0; i < RAROG_PARAMETERS; i++)
		rarog_nearest_offer(&nearest, rules[i].name);
	if (rarog_nearest_add(&nearest, "", &near) < 0)
		return rarog_oom();
	return rarog_fail(-EINVAL, "--opt %s: there is no such parameter%s", text,
			  rarog_str_text(&near));
}

static int find_choice(const char *const choices[], const char *value)
{
	for (int i = 0; choices[i]; i++)
		if (strcmp(choices[i], value) == 0)
			return i;
	return -ENOENT;
}

static int bad_choice(const char *text, const char *const choices[])
{
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };
	int r = 0;

	for (int i = 0; r == 0 && choices[i]; i++)
		r = rarog_str_addf(&list, "%s%s", i ? ", " : "", choices[i]);
	return r < 0 ? r : rarog_fail(-EINVAL, "--opt %s: expected one of %s", text, list.text);
}

static int read_number(const char *text, const char *value, const struct rule *rule,
		       double *ret_number)
{
	char *end;
	double number = strtod(value, &end);

	if (*value == '\0' || *end || !isfinite(number) || number < 0 || number > UINT32_MAX)
		return rarog_fail(-EINVAL, "--opt %s: expected a number %s", text,
				  rule->kind == FRACTION ? "above 0" : "from 0 on");
	if (rule->kind == WHOLE && number != floor(number))
		return rarog_fail(-EINVAL, "--opt %s: expected a whole number", text);
	if (rule->kind == FRACTION && number <= 0)
		return rarog_fail(-EINVAL, "--opt %s: expected a number above 0", text);
	*ret_number = number;
	return 0;
}

static int read_value(const char *text, const char *value, const struct rule *rule,
		      double *ret_number)
{
	const char *const *choices = rule->kind == FLAG ? flags : rule->choices;
	int choice;

	if (rule->kind == WHOLE || rule->kind == FRACTION)
		return read_number(text, value, rule, ret_number);
	if (rule->kind == TEXT)
		return *value ? 0 : rarog_fail(-EINVAL, "--opt %s: expected a value", text);
	choice = find_choice(choices, value);
	if (choice < 0)
		return bad_choice(text, choices);
	*ret_number = rule->kind == FLAG ? choice % 2 : choice;
	return 0;
}

int rarog_parameters_set(struct rarog_parameters *parameters, const char *text)
{
	const char *equals = strchr(text, '=');
	int also = 0, i = equals ? find_rule(text, (size_t)(equals - text), &also) : -EINVAL;
	int r;

	if (!equals)
		return rarog_fail(-EINVAL, "--opt %s: expected NAME=VALUE", text);
	if (i < 0)
		return unknown(text, (size_t)(equals - text));
	r = read_value(text, equals + 1, &rules[i], &parameters->number[i]);
	if (r < 0)
		return r;
	parameters->given[i] = text;
	parameters->number[also] = parameters->number[i];
	parameters->is_given[i] = parameters->is_given[also] = true;
	return 0;
}

/* --- predicted --- */

static void put(struct rarog_parameters *p, enum rarog_technique_parameter parameter, double number)
{
	if (!p->is_given[parameter])
		p->number[parameter] = number;
}

#define FEW_FUNCTIONS 20 /* of which leaves are kept */

static void predict_modes(struct rarog_parameters *p, enum rarog_pipeline pipeline, bool later)
{
	static const struct {
		int diff, cg, threshold;
	} modes[] = {
		[RAROG_PIPELINE_CUSTOM] = { RAROG_DIFF_SEMISTRICT, RAROG_CG_MATCH, 0 },
		[RAROG_PIPELINE_BASIC] = { RAROG_DIFF_SOFT, RAROG_CG_STRICT, 1 },
		[RAROG_PIPELINE_ADVANCED] = { RAROG_DIFF_SEMISTRICT, RAROG_CG_SOFT, 0 },
		[RAROG_PIPELINE_FULL] = { RAROG_DIFF_STRICT, RAROG_CG_PRUNE, 0 },
	};

	put(p, RAROG_PARAMETER_DIFF_CFG_MODE, later ? RAROG_DIFF_COLOUR : modes[pipeline].diff);
	put(p, RAROG_PARAMETER_CG_MODE, later ? RAROG_CG_TOP_DOWN : modes[pipeline].cg);
	put(p, RAROG_PARAMETER_THRESHOLD_MODE, modes[pipeline].threshold);
}

static double at_least(double value, double least)
{
	return value > least ? value : least;
}

static void predict_shape(struct rarog_parameters *p, const struct rarog_graph_size *size,
			  bool later)
{
	bool is_strict = p->number[RAROG_PARAMETER_CG_MODE] == RAROG_CG_STRICT;
	double levels = is_strict ? ceil(0.25 * size->levels) : rint(0.5 * size->levels);
	double tenth = ceil(0.1 * size->levels), branch = size->branch + 1.0;

	put(p, RAROG_PARAMETER_CG_TRIM_LEVELS, at_least(levels, 2));
	put(p, RAROG_PARAMETER_CG_PROJ_LEVELS, at_least(levels, 2));
	put(p, RAROG_PARAMETER_CG_PRUNE_CHAIN_LENGTH, at_least(floor(0.1 * size->levels), 1));
	put(p, RAROG_PARAMETER_CG_TRIM_MIN_FUNCTIONS, at_least(ceil(0.1 * size->functions), 10));
	put(p, RAROG_PARAMETER_CG_PRUNE_KEEP_TOP, at_least(tenth, later ? branch : 2));
	put(p, RAROG_PARAMETER_STATIC_KEEP_TOP, at_least(tenth, later ? branch : 1));
	if (size->functions > FEW_FUNCTIONS)
		return;
	put(p, RAROG_PARAMETER_DIFF_KEEP_LEAF, 1);
	put(p, RAROG_PARAMETER_CG_TRIM_KEEP_LEAF, 1);
	put(p, RAROG_PARAMETER_CG_PROJ_KEEP_LEAF, 1);
}

static void predict_thresholds(struct rarog_parameters *p)
{
	double base = p->number[RAROG_PARAMETER_THRESHOLD_MODE] > 0 ? 1000 : 10000;

	put(p, RAROG_PARAMETER_DYN_SAMPLE_THRESHOLD, base);
	put(p, RAROG_PARAMETER_DYN_BASE_SOFT_THRESHOLD, base);
	put(p, RAROG_PARAMETER_DYN_BASE_HARD_THRESHOLD, 100 * base);
	if (p->number[RAROG_PARAMETER_PROBING_REATTACH] > 0)
		put(p, RAROG_PARAMETER_PROBING_THRESHOLD, 20000);
}

void rarog_parameters_predict(struct rarog_parameters *parameters, enum rarog_pipeline pipeline,
			      const struct rarog_graph_size *size)
{
	double predict = parameters->number[RAROG_PARAMETER_PREDICT];

	if (predict == PREDICT_OFF)
		return;
	predict_modes(parameters, pipeline, predict == PREDICT_LATER);
	if (size->functions > 0)
		predict_shape(parameters, size, predict == PREDICT_LATER);
	predict_thresholds(parameters);
}
