/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/model-session.h"
#include "view/destination.h"

static int write_json(const struct rarog_model_view *view, FILE *out)
{
	struct rarog_json json;
	int r;

	rarog_json_start_object(&json, out);
	r = rarog_model_json(view, &json);
	return r < 0 ? r : rarog_json_finish(&json);
}

static int write_to(const struct rarog_context *context, const struct rarog_model_session *s,
		    FILE *out)
{
	const struct rarog_model_args *args = s->args;
	struct rarog_model_view view = rarog_model_session_view(s);

	view.is_ascii = args->ascii || !rarog_utf8_is_spoken();
	view.colour = context->colour && !args->output;
	view.no_chart = args->no_chart;
	view.width = args->width > 0 ? (int)args->width : context->width;
	if (args->json)
		return write_json(&view, out);
	return args->csv ? rarog_model_csv(&view, out) : rarog_model_print(&view, out);
}

static int run_args(const struct rarog_context *context, const struct rarog_model_args *args,
		    const char *unit, size_t n, char *const operands[])
{
	rarog_cleanup(rarog_model_session_release) struct rarog_model_session s = { .args = args };
	struct rarog_destination to;
	int r = rarog_project_open(context, RAROG_NEED_STORE_IF_ANY, &s.project);

	if (r == 0)
		r = rarog_model_session_run(&s, unit, n, operands);
	if (r == 0)
		r = rarog_destination_open(&to, args->output);
	if (r != 0)
		return r;
	r = rarog_destination_close(&to, write_to(context, &s, to.stream));
	return r == -EPIPE ? RAROG_EXIT_OK : r;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct rarog_model_args args = rarog_model_args_default;
	int first = rarog_options_parse(rarog_model_options, argc, argv, false, &args), r;
	const char *unit = NULL;

	if (first < 0) {
		rarog_options_release(rarog_model_options, &args);
		return rarog_usage_error(first);
	}
	if (first < argc && rarog_model_is_unit(argv[first]))
		unit = argv[first++];
	r = run_args(context, &args, unit, (size_t)(argc - first), argv + first);
	rarog_options_release(rarog_model_options, &args);
	return r;
}

const struct rarog_command rarog_cmd_model = {
	.name = "model",
	.summary = "how cost grows with input: its class, formula, and what to expect",
	.usage = "[regression|regressogram|moving-average|kernel-regression|normal-form] [OPTION…] "
		 "[FUNC] "
		 "[PROFILE | REV | A..B]…",
	.description =
		"Fits models to the cost of calls or runs. x is a value that a call was given "
		"(rarog collect --args FUNC keeps it) or the order of calls; or, over several "
		"runs, the number of their workload (generators of workloads in .rarog.yml give "
		"one) or the value of an option of the program. y is the time, or the number of "
		"instructions, which has no noise and is preferred over several runs.\n"
		"\n"
		"Without a function there is a line for each. With a function that matches, rarog "
		"model says its class (constant, logarithmic, linear, linearithmic, quadratic, "
		"cubic, power, exponential) and how sure that is, or \"cannot tell\" and why; then "
		"the formula, its coefficients with 95 % intervals, the next best models, and a "
		"drawing. A name that names no profile is taken for a function. Without a profile "
		"it takes the newest one of the store, with all others of the same version and job "
		"if its workload has a number.\n"
		"\n"
		"Times of single calls have a long tail, so calls with similar x become one point, "
		"their median: the model is that of a typical call (--means takes their mean). All "
		"calls count, however many there are; rare ones are not left out.\n"
		"\n"
		"With --at the model predicts the cost at another x, with the interval in which 95 "
		"of 100 measurements are expected. Beyond the measured range it holds only as long "
		"as the class does; rarog model says how far beyond x is.\n"
		"\n"
		"regression takes the families with a formula, regressogram takes means of "
		"buckets, and moving-average and kernel-regression give smooth curves. With "
		"several x (--x n,m) the model is in performance model normal form: a sum of terms "
		"like n log2(n) m, with as many terms as the points justify. Models of profiles in "
		"the store are kept there; rarog show lists them.",
	.examples = "rarog collect --args sort -o sort.rarog -- ./prog\n"
		    "rarog model sort sort.rarog\n"
		    "rarog model sort sort.rarog --at n=1e6\n"
		    "rarog run && rarog model                     over the workloads of a job\n"
		    "rarog model --x workload --y max_rss_bytes --job sizes HEAD~5..HEAD\n"
		    "rarog model kernel-regression sort sort.rarog --csv\n"
		    "rarog model multiply m.rarog --x rows,columns --at rows=1e4,columns=1e3",
	.options = rarog_model_options,
	.run = run,
};
