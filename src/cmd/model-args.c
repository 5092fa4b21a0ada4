/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/model-args.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"

/* In the order of their enums. */
static const char *const rules[] = { "aicc", "r2", "cv", NULL };
static const char *const statistics[] = { "mean", "median", NULL };

#define ARGS struct rarog_model_args

const struct rarog_option rarog_model_options[] = {
	RAROG_OPT_GROUP("Which points"),
	RAROG_OPT_STRINGS('f', "func", ARGS, func, "PATTERN",
			  "functions that match: a name, a glob or /regex/ (all, and over runs the "
			  "program)"),
	RAROG_OPT_STRING(
		0, "x", ARGS, x, "X",
		"what the cost grows with: a captured argument by its name, return, order (of "
		"calls), size (of a structure, imported profiles); over runs workload (its "
		"number), option:NAME (of the program), iterations (of the function's loops) or "
		"iterations:LINE (of those at a source line); default: what the profile has. n,m: "
		"several at once (normal form)"),
	RAROG_OPT_STRING(
		0, "y", ARGS, y, "Y",
		"the cost: of calls wall, exclusive, instructions, blocks; of runs also cpu, "
		"calls, iterations[:LINE] (of loops), max_rss_bytes and other amounts and counters "
		"of the run (default: instructions over runs if they are known, else wall)"),
	RAROG_OPT_FLAG(0, "per-call", ARGS, per_call,
		       "over runs: the mean cost of a call instead of all calls of a run; likewise "
		       "for iterations"),
	RAROG_OPT_FLAG(0, "means", ARGS, means,
		       "times of calls: take their mean instead of the time of a typical call"),
	RAROG_OPT_FLAG(0, "normalize", ARGS, normalize,
		       "show amounts as parts of the largest, 0 to 1, so that profiles of several "
		       "machines can be compared"),
	RAROG_OPT_STRING(0, "job", ARGS, job, "NAME", "only profiles of this job"),
	RAROG_OPT_STRING(0, "collector", ARGS, collector, "NAME",
			 "only profiles of this collector"),
	RAROG_OPT_STRINGS(0, "option", ARGS, option, "NAME=VALUE",
			  "only profiles whose program ran with this option; may be repeated"),
	RAROG_OPT_GROUP("Which models"),
	RAROG_OPT_STRING('r', "family", ARGS, family, "NAME[,…]",
			 "only these: constant, logarithmic, linear, linearithmic, "
			 "linear-linearithmic, quadratic, cubic, power, shifted-power, "
			 "exponential, regressogram, moving-average, kernel"),
	RAROG_OPT_CHOICE(0, "select", ARGS, select, NULL, rules,
			 "how the model is chosen: information criterion, largest R², or error on "
			 "points that were left out (aicc)"),
	RAROG_OPT_CHOICE('m', "method", ARGS, method, NULL, rarog_pieces_method_names,
			 "fit all points, or parts of them by Perun's methods, or segments that "
			 "the points show (full)"),
	RAROG_OPT_INT('s', "steps", ARGS, steps, "N", 1, 1000,
		      "number of parts, for methods that have parts (3), or most segments (5)"),
	RAROG_OPT_CHOICE(0, "errors", ARGS, errors, NULL, rarog_errors_names,
			 "how the noise grows with y (auto: as the points show)"),
	RAROG_OPT_FLAG(0, "by-logs", ARGS, by_logs,
		       "fit power and exponential through logarithms, as textbooks do"),
	RAROG_OPT_CHOICE(0, "robust", ARGS, robust, NULL, rarog_robust_names,
			 "give far-off points less weight (none)"),
	RAROG_OPT_INT(0, "seed", ARGS, seed, "N", 0, 0x7fffffff, "seed of random draws (0)"),
	RAROG_OPT_STRING(0, "at", ARGS, at, "X=NUMBER[,…]",
			 "predict the cost there, with an interval"),
	RAROG_OPT_GROUP("Models without a formula"),
	RAROG_OPT_INT(0, "bucket-number", ARGS, buckets, "N", 1, 1000000,
		      "regressogram: N buckets"),
	RAROG_OPT_CHOICE(0, "bucket-method", ARGS, bucket_method, NULL, rarog_bin_rule_names,
			 "regressogram: the rule for the width of buckets (auto)"),
	RAROG_OPT_CHOICE(0, "statistic", ARGS, statistic, NULL, statistics,
			 "regressogram: the value of a bucket's points (mean)"),
	RAROG_OPT_CHOICE(0, "moving", ARGS, moving, NULL, rarog_moving_names,
			 "moving average: mean or median of a window, or exponential (sma)"),
	RAROG_OPT_INT(0, "window-width", ARGS, window_width, "N", 1, 100000000,
		      "moving average: points in a window (by cross-validation)"),
	RAROG_OPT_CHOICE(0, "window", ARGS, window, NULL, rarog_window_names,
			 "moving average: weights (boxcar)"),
	RAROG_OPT_INT(0, "min-periods", ARGS, min_periods, "N", 1, 100000000,
		      "moving average: a window with fewer than N points has no value (1)"),
	RAROG_OPT_FLAG(0, "trailing", ARGS, trailing,
		       "moving average: the window ends at its "
		       "point, instead of lying around it"),
	RAROG_OPT_STRING(0, "decay", ARGS, decay, "KIND=NUMBER",
			 "moving average, exponential: com, span, halflife or alpha"),
	RAROG_OPT_CHOICE(0, "kernel", ARGS, kernel, NULL, rarog_kernel_names,
			 "kernel regression: weights (epanechnikov)"),
	RAROG_OPT_INT('q', "degree", ARGS, degree, "N", 0, 3,
		      "kernel regression: degree of the local polynomial, 0: Nadaraya-Watson (1)"),
	RAROG_OPT_STRING(0, "bandwidth", ARGS, bandwidth, "cv|aic|scott|silverman|NUMBER",
			 "kernel regression: the bandwidth, how far it looks (cv)"),
	RAROG_OPT_STRING(0, "ridge", ARGS, ridge, "NUMBER",
			 "kernel regression: the ridge that steadies local equations"),
	RAROG_OPT_GROUP("In which form"),
	RAROG_OPT_FLAG(0, "json", ARGS, json, "write the same facts as JSON"),
	RAROG_OPT_FLAG(0, "csv", ARGS, csv,
		       "for spreadsheets: points, curve and bands of one function; a line for each "
		       "of several functions"),
	RAROG_OPT_INT('n', "limit", ARGS, limit, "N", 0, 100000000,
		      "at most N functions, 0: all (20)"),
	RAROG_OPT_FLAG(0, "no-chart", ARGS, no_chart, "leave out the drawing"),
	RAROG_OPT_FLAG(0, "ascii", ARGS, ascii, "use no characters beyond ASCII"),
	RAROG_OPT_INT(0, "width", ARGS, width, "N", 0, 100000,
		      "width in columns (default: the terminal's, else 100)"),
	RAROG_OPT_STRING('o', "output", ARGS, output, "FILE", "write to FILE"),
	RAROG_OPT_END,
};

const struct rarog_model_args rarog_model_args_default = {
	.limit = -1, .width = -1, .degree = -1, .errors = RAROG_ERRORS_AUTO
};

/* --- what they mean --- */

#define NORMAL_FORM "normal-form"

/* The word before the options, and the families it stands for; NULL: all with a formula. */
static const struct {
	const char *name, *families;
} units[] = {
	{ "regression", NULL },
	{ "regression-analysis", NULL },
	{ "regressogram", "regressogram" },
	{ "moving-average", "moving-average" },
	{ "kernel-regression", "kernel" },
	{ NORMAL_FORM, NULL },
};

static bool is_spelled(const char *text, const char *name)
{
	for (; *name && (*text == *name || (*text == '_' && *name == '-')); text++)
		name++;
	return *name == *text;
}

bool rarog_model_is_unit(const char *text)
{
	for (size_t i = 0; i < RAROG_COUNT(units); i++)
		if (is_spelled(text, units[i].name))
			return true;
	return false;
}

static const char *families_of(const struct rarog_model_args *args, const char *unit)
{
	for (size_t i = 0; unit && !args->family && i < RAROG_COUNT(units); i++)
		if (is_spelled(unit, units[i].name))
			return units[i].families;
	return args->family;
}

static int no_family(const char *word)
{
	rarog_cleanup(rarog_str_release) struct rarog_str known = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && rarog_model_families[i]; i++)
		r = rarog_str_addf(&known, "%s%s", i > 0 ? ", " : "",
				   rarog_model_families[i]->name);
	return r < 0 ? rarog_oom()
		     : rarog_fail(-EINVAL, "--family: '%s' is none; there are %s", word,
				  rarog_str_text(&known));
}

static int add_family(struct rarog_model_ask *ask, size_t n, char *word)
{
	for (char *c = word; *c; c++)
		if (*c == '_')
			*c = '-';
	if (n + 1 >= RAROG_MODEL_FAMILIES_ASKED)
		return rarog_fail(-EINVAL, "--family: so many there are not");
	if (!rarog_model_family(word))
		return no_family(word);
	ask->families[n] = word;
	return 0;
}

/* Only what has a formula is compared. */
static int check_families(size_t n, const char *const families[])
{
	for (size_t i = 0; n > 1 && i < n; i++)
		if (rarog_model_family(families[i])->n_coefficients == 0)
			return rarog_fail(-EINVAL,
					  "--family: %s has no formula to be compared; ask for it "
					  "alone",
					  families[i]);
	return 0;
}

/* "linear,quadratic"; "all" */
static int read_families(const char *text, struct rarog_model_ask *ask)
{
	size_t n = 0;
	char *rest;
	int r = 0;

	if (!text || strcmp(text, "all") == 0)
		return 0;
	ask->family_text = rest = strdup(text);
	if (!rest)
		return rarog_oom();
	for (char *word; r == 0 && (word = strsep(&rest, ",")); n++)
		r = add_family(ask, n, word);
	ask->options.families = ask->families;
	return r < 0 ? r : check_families(n, ask->families);
}

static int read_number(const char *option, const char *text, double *ret_number)
{
	char *end;

	*ret_number = strtod(text, &end);
	if (end == text || *end || !isfinite(*ret_number))
		return rarog_fail(-EINVAL, "%s: '%s' is no number", option, text);
	return 0;
}

static int index_of(const char *text, size_t n, const char *const list[])
{
	for (int i = 0; list[i]; i++)
		if (strlen(list[i]) == n && strncmp(text, list[i], n) == 0)
			return i;
	return -1;
}

static int read_decay(const char *text, struct rarog_moving_options *moving)
{
	size_t n = strcspn(text, "=");
	int kind = index_of(text, n, rarog_decay_names), r;

	if (kind < 0 || text[n] != '=')
		return rarog_fail(-EINVAL,
				  "--decay: '%s': com, span, halflife or alpha and a "
				  "number are wanted, as alpha=0.3",
				  text);
	moving->decay = (enum rarog_decay)kind;
	moving->has_decay = true;
	r = read_number("--decay", text + n + 1, &moving->decay_value);
	if (r < 0 || rarog_is_decay(rarog_decay_alpha(moving->decay, moving->decay_value)))
		return r;
	return rarog_fail(-EINVAL,
			  "--decay: '%s' is none: com is at least 0, span at least 1, halflife "
			  "above 0, alpha above 0 and at most 1",
			  text);
}

static int read_bandwidth(const char *text, struct rarog_kernel_options *kernel)
{
	int rule = index_of(text, strlen(text), rarog_bandwidth_names);

	kernel->bandwidth = rule < 0 ? RAROG_BANDWIDTH_GIVEN : (enum rarog_bandwidth)rule;
	if (kernel->bandwidth != RAROG_BANDWIDTH_GIVEN)
		return 0;
	if (read_number("--bandwidth", text, &kernel->given) == 0 && kernel->given > 0)
		return 0;
	return rarog_fail(-EINVAL,
			  "--bandwidth: '%s': cv, aic, scott, silverman or a number above 0 are "
			  "wanted",
			  text);
}

static int read_ridge(const char *text, struct rarog_kernel_options *kernel)
{
	int r = read_number("--ridge", text, &kernel->ridge);

	return r == 0 && kernel->ridge < 0
		       ? rarog_fail(-EINVAL, "--ridge: '%s' is below 0; it steadies equations",
				    text)
		       : r;
}

/* --- variables of a normal form --- */

static int add_variable(struct rarog_model_ask *ask, char *name)
{
	if (!*name)
		return rarog_fail(-EINVAL, "--x: a name is missing; n,m is two");
	if (ask->n_variables == RAROG_NORMAL_VARIABLES)
		return rarog_fail(-EINVAL, "--x: a model has at most %d variables",
				  RAROG_NORMAL_VARIABLES);
	ask->variables[ask->n_variables++] = name;
	return 0;
}

/* "n,m"; one is enough if a normal form was asked for. */
static int read_variables(const struct rarog_model_args *args, const char *unit,
			  struct rarog_model_ask *ask)
{
	bool is_wanted = unit && is_spelled(unit, NORMAL_FORM);
	char *rest;
	int r = 0;

	if (is_wanted && !args->x)
		return rarog_fail(-EINVAL,
				  "normal-form: --x is missing; --x n,m has two variables");
	if (!args->x || (!is_wanted && !strchr(args->x, ',')))
		return 0;
	if (args->family || args->method != RAROG_METHOD_FULL)
		return rarog_fail(-EINVAL, "--family and --method are for one x; several make a "
					   "normal form");
	ask->x_text = rest = strdup(args->x);
	if (!rest)
		return rarog_oom();
	for (char *name; r == 0 && (name = strsep(&rest, ","));)
		r = add_variable(ask, name + strspn(name, " "));
	return r;
}

static int find_variable(const struct rarog_model_ask *ask, const char *text, size_t n)
{
	for (size_t v = 0; v < ask->n_variables; v++) {
		const char *option = rarog_cost_option(ask->variables[v]);

		if (index_of(text, n, (const char *const[]){ ask->variables[v], option, NULL }) >=
		    0)
			return (int)v;
	}
	return rarog_fail(-EINVAL, "--at: '%.*s' is none of the variables", (int)n, text);
}

/* "n=1e6,m=20": all of them. */
static int read_at_all(const char *text, struct rarog_model_ask *ask)
{
	rarog_cleanup(rarog_freep) char *copy = strdup(text);
	bool is_set[RAROG_NORMAL_VARIABLES] = { false };
	char *rest = copy;

	if (!copy)
		return rarog_oom();
	for (char *word; (word = strsep(&rest, ","));) {
		size_t n = strcspn(word, "=");
		int v = find_variable(ask, word, n);
		int r = v < 0 ? v
			      : read_number("--at", word + n + (word[n] == '='), &ask->at_all[v]);

		if (r < 0)
			return r;
		is_set[v] = true;
	}
	for (size_t v = 0; v < ask->n_variables; v++)
		if (!is_set[v] || ask->at_all[v] <= 0)
			return rarog_fail(-EINVAL, "--at: %s %s", ask->variables[v],
					  is_set[v] ? "must be above 0" : "is missing");
	return 0;
}

/* "1e6", "n=1e6" */
static int read_at(const char *text, struct rarog_model_ask *ask)
{
	const char *equals = strchr(text, '=');

	ask->has_at = true;
	if (ask->n_variables > 0)
		return read_at_all(text, ask);
	if (equals)
		ask->at_name = strndup(text, (size_t)(equals - text));
	if (equals && !ask->at_name)
		return rarog_oom();
	return read_number("--at", equals ? equals + 1 : text, &ask->at);
}

static void set_models(const struct rarog_model_args *args, struct rarog_estimate_options *options)
{
	struct rarog_model_options *model = &options->fit.model;

	options->is_of_means = args->means;
	options->fit.method = (enum rarog_pieces_method)args->method;
	options->fit.steps = args->steps > 0 ? (size_t)args->steps : 0;
	options->fit.rule = (enum rarog_model_rule)args->select;
	model->errors = (enum rarog_errors)args->errors;
	model->robust = (enum rarog_robust)args->robust;
	/* what Perun compares is the R² of logarithms */
	model->is_by_logs = args->by_logs || options->fit.rule == RAROG_MODEL_R2;
	model->seed = (uint64_t)args->seed;
	model->regressogram.rule = (enum rarog_bin_rule)args->bucket_method;
	model->regressogram.buckets = (size_t)args->buckets;
	model->regressogram.is_median = args->statistic == 1;
	model->moving.kind = (enum rarog_moving_kind)args->moving;
	model->moving.window = (enum rarog_moving_window)args->window;
	model->moving.width = (size_t)args->window_width;
	model->moving.min_periods = (size_t)args->min_periods;
	model->moving.is_trailing = args->trailing;
	model->kernel.kernel = (enum rarog_smoothing_kernel)args->kernel;
	model->kernel.degree = (unsigned)(args->degree + 1);
}

/* "n", "iterations:12" */
static int check_amount(const char *option, const char *amount)
{
	size_t n = strlen(RAROG_COST_ITERATIONS);
	uint32_t line;

	if (amount && !*amount)
		return rarog_fail(-EINVAL, "%s: a name is missing", option);
	if (!amount || strncmp(amount, RAROG_COST_ITERATIONS ":", n + 1) != 0 ||
	    rarog_cost_is_iterations(amount, &line))
		return 0;
	return rarog_fail(-EINVAL, "%s: '%s' is no line of the source; iterations:12 is one",
			  option, amount + n + 1);
}

static int check_amounts(const struct rarog_model_args *args, const struct rarog_model_ask *ask)
{
	int r = check_amount("--y", args->y);

	if (r == 0 && ask->n_variables == 0)
		r = check_amount("--x", args->x);
	for (size_t v = 0; r == 0 && v < ask->n_variables; v++)
		r = check_amount("--x", ask->variables[v]);
	return r;
}

static int add_functions(const struct rarog_model_args *args, struct rarog_match *functions)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->func.n; i++)
		r = rarog_match_include(functions, args->func.v[i]);
	return r;
}

int rarog_model_ask(const struct rarog_model_args *args, const char *unit,
		    struct rarog_model_ask *ret_ask)
{
	struct rarog_model_ask *ask = ret_ask;
	int r;

	*ask = (struct rarog_model_ask){ 0 };
	set_models(args, &ask->options);
	r = read_families(families_of(args, unit), ask);
	if (r == 0)
		r = add_functions(args, &ask->functions);
	if (r == 0 && args->decay)
		r = read_decay(args->decay, &ask->options.fit.model.moving);
	if (r == 0 && args->bandwidth)
		r = read_bandwidth(args->bandwidth, &ask->options.fit.model.kernel);
	if (r == 0 && args->ridge)
		r = read_ridge(args->ridge, &ask->options.fit.model.kernel);
	if (r == 0)
		r = read_variables(args, unit, ask);
	if (r == 0)
		r = check_amounts(args, ask);
	if (r == 0 && args->at)
		r = read_at(args->at, ask);
	return r < 0 ? r : rarog_model_args_check(args, ask);
}

void rarog_model_ask_release(struct rarog_model_ask *ask)
{
	rarog_match_release(&ask->functions);
	free(ask->family_text);
	free(ask->x_text);
	free(ask->at_name);
	*ask = (struct rarog_model_ask){ 0 };
}
