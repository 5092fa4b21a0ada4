/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/units.h"
#include "binary/kept-binaries.h"
#include "blow/best-run.h"
#include "blow/profile.h"
#include "cmd/blow-amounts.h"
#include "cmd/collect-apart.h"
#include "cmd/collect-attach.h"
#include "cmd/commands.h"
#include "collect/collector.h"
#include "engine/delay.h"
#include "view/blow/blow-view.h"
#include "view/destination.h"

struct args {
	struct rarog_blow_options blow;
	const char *budget, *least_time, *growth, *strength, *sampling, *output, *corpus, *log,
		*timeline;
	char *names; /* what --corpus has */
	long called, sites, seed, pid;
	struct rarog_attachment attachment;
	int shrink, noise;
	bool json, mangled, show_output;
};

static const char *const shrinks[] = { "interval", "halves", NULL };

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("Which functions get noise"),
	RAROG_OPT_STRINGS('f', "func", struct args, blow.what.functions, "PATTERN",
			  "only functions that match: a name, a glob or /regex/"),
	RAROG_OPT_STRINGS('x', "exclude", struct args, blow.what.excluded, "PATTERN",
			  "no functions that match"),
	RAROG_OPT_INT(0, "called-threshold", struct args, called, "N", 1, 1000000000,
		      "only functions that are called at least N times (default: 2)"),
	RAROG_OPT_INT(0, "call-sites-threshold", struct args, sites, "N", 1, 1000000000,
		      "… or are called from at least N places of the program's code"),
	RAROG_OPT_FLAG(0, "varying", struct args, blow.choice.varying,
		       "… or have a loop or a recursion in them, or below"),
	RAROG_OPT_STRING(0, "min-func-time", struct args, least_time, "PERCENT|TIME",
			 "only functions that take at least PERCENT of the run (default: 0.5), or "
			 "TIME a call (10us)"),
	RAROG_OPT_FLAG(0, "io-functions", struct args, blow.choice.io,
		       "also functions that read or write, however short"),
	RAROG_OPT_FLAG(0, "locks", struct args, blow.choice.locks,
		       "also functions that take locks, or wait otherwise, however short"),
	RAROG_OPT_STRING(0, "corpus", struct args, corpus, "FILE",
			 "the functions that FILE has, one a line, mangled or not, and no others"),
	RAROG_OPT_STRINGS(0, "at", struct args, blow.what.at, "PLACE",
			  "put noise at this place instead of functions: FILE:LINE is a line, "
			  "FILE:L1-L2 the code between two lines, FUNC@CALLER the calls of FUNC by "
			  "CALLER, return@FUNC where FUNC returns; with --func in functions, too; "
			  "may be repeated"),
	RAROG_OPT_STRINGS(0, "region", struct args, blow.choice.regions, "NAME",
			  "put noise where this region of rarog.h or USDT begins, instead of "
			  "functions; may be repeated"),
	RAROG_OPT_FLAG(
		'l', "libs", struct args, blow.what.libraries,
		"functions of shared libraries, too; but not those of libc, the loader, unwinders "
		"and allocators, which may hold their locks"),
	RAROG_OPT_STRING(0, "within", struct args, blow.what.within, "FUNC",
			 "only functions that are called inside FUNC (and FUNC)"),
	RAROG_OPT_FLAG(0, "show-functions", struct args, blow.only_functions,
		       "say which functions are called and which would get noise, and no more"),
	RAROG_OPT_STRINGS(
		0, "progress", struct args, blow.points, "NAME",
		"measure the time for a call of the function NAME, or for a passage of the point "
		"NAME of rarog.h or USDT, instead of the whole run; auto: choose one by how often "
		"functions are called; may be repeated: each has its own estimates, and rounds go "
		"by the first"),
	RAROG_OPT_GROUP("How much noise"),
	RAROG_OPT_CHOICE(
		0, "noise", struct args, noise, "KIND", rarog_blow_noise_names,
		"slow: what delayed calls do: busy: use the processor, as slower code would; "
		"sleep; yield the processor again and again; write to memory that all threads "
		"share; lock: busy, one thread at a time. The time that has passed is measured in "
		"each case (default: busy)"),
	RAROG_OPT_DURATION(0, "noise-minimum", struct args, blow.least_ns, "TIME",
			   "delay each call by at least TIME (default: 10ns)"),
	RAROG_OPT_DURATION(0, "noise-maximum", struct args, blow.most_ns, "TIME",
			   "… and at most (default: 100ms)"),
	RAROG_OPT_STRING(0, "noise-growth", struct args, growth, "FACTOR",
			 "multiply noise by FACTOR from one round to the next, until the interval "
			 "is narrow (default: 2)"),
	RAROG_OPT_STRING(0, "strength", struct args, strength, "PERCENT",
			 "speed: make functions slower by PERCENT of themselves (default: 50)"),
	RAROG_OPT_STRING(0, "sampling", struct args, sampling, "PERCENT",
			 "causal: make functions faster by PERCENT of themselves, by twice that, … "
			 "(default: by 25, 50, 100)"),
	RAROG_OPT_FLAG(0, "full-analysis", struct args, blow.is_full,
		       "give every function noise of every strength, even if its result is sure "
		       "before"),
	RAROG_OPT_GROUP("A program that runs already"),
	RAROG_OPT_INT('p', "pid", struct args, pid, "PID", 1, INT_MAX,
		      "attach to process PID: windows of time take the place of runs, and the time "
		      "for a passage of --progress is measured; only slow and speed, with busy "
		      "noise"),
	RAROG_OPT_DURATION(0, "window", struct args, blow.window_ns, "TIME",
			   "let a window last at least TIME (default: 500ms)"),
	RAROG_OPT_GROUP("How long"),
	RAROG_OPT_STRING('b', "budget", struct args, budget, "TIME|N",
			 "stop after TIME (90s, 5m) or after N runs (default: 60s)"),
	RAROG_OPT_CHOICE(0, "shrink", struct args, shrink, NULL, shrinks,
			 "which functions get no more runs: those whose interval says enough "
			 "(interval), or also, after 4, 8, 16 … rounds, the half that can matter "
			 "least (halves) (default: interval)"),
	RAROG_OPT_DURATION('t', "timeout", struct args, blow.timeout_ns, "TIME",
			   "take a run that lasts longer than TIME for hung (default: by the time "
			   "that it takes without noise)"),
	RAROG_OPT_INT(0, "seed", struct args, seed, "N", 0, 2147483647,
		      "seed of the random order of runs and of the intervals (default: 1)"),
	RAROG_OPT_STRING(0, "resume", struct args, blow.journal, "FILE",
			 "keep each run in FILE at once; runs that FILE already has are not made "
			 "again"),
	RAROG_OPT_FLAG(0, "compare-output", struct args, blow.compares_output,
		       "report also each run that prints something else than without noise"),
	RAROG_OPT_GROUP("Output"),
	RAROG_OPT_STRING('o', "profile", struct args, output, "FILE",
			 "keep the experiments as the profile FILE, too"),
	RAROG_OPT_STRING(0, "timeline", struct args, timeline, "FILE",
			 "make one more run with noise in the function that matters most, and "
			 "record each call in the profile FILE: rarog report draws it over time"),
	RAROG_OPT_STRING(0, "log", struct args, log, "FILE",
			 "write a line to FILE for each run, and the estimates after each round; "
			 "-: to standard error"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write JSON"),
	RAROG_OPT_FLAG(0, "mangled", struct args, mangled, "show names as the linker knows them"),
	RAROG_OPT_FLAG(0, "show-output", struct args, show_output,
		       "let the program print, in every run"),
	RAROG_OPT_END,
};

#define WINDOW_NS ((uint64_t)500000000)
#define TRACED    4 /* windows that the program is traced for, before there is noise */

static const char automatic[] = RAROG_BLOW_PROGRESS_AUTO;

#define CORPUS_MOST ((size_t)16 << 20) /* bytes */

/* Empty lines, and what begins with #, say nothing. */
static int read_corpus(struct args *args)
{
	struct rarog_strings *names = &args->blow.choice.names;
	char *line, *rest;
	size_t n;
	int r = rarog_stream_read(args->corpus, CORPUS_MOST, &args->names, &n);

	for (line = args->names; r == 0 && line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		if (*line && *line != '#' && rarog_vec_push(names, line) < 0)
			r = rarog_oom();
	}
	if (r == 0 && names->n == 0)
		r = rarog_fail(-EINVAL, "--corpus=%s: has no names, one a line", args->corpus);
	return r;
}

static int check_together(const struct args *args)
{
	const struct rarog_blow_options *blow = &args->blow;

	if (args->show_output && blow->compares_output)
		return rarog_fail(-EINVAL, "--compare-output and --show-output: only one of them "
					   "is possible");
	if (blow->kind != RAROG_NOISE_BUSY && blow->mode->is_gain)
		return rarog_fail(-EINVAL,
				  "--noise: is of rarog blow slow; %s has busy noise alone",
				  blow->mode->name);
	if (blow->points.n > RAROG_BLOW_POINTS_MOST)
		return rarog_fail(-EINVAL, "--progress: %d points are possible, not %zu",
				  RAROG_BLOW_POINTS_MOST, blow->points.n);
	for (size_t i = 0; blow->points.n > 1 && i < blow->points.n; i++)
		if (strcmp(blow->points.v[i], RAROG_BLOW_PROGRESS_AUTO) == 0)
			return rarog_fail(-EINVAL, "--progress=%s: stands alone",
					  RAROG_BLOW_PROGRESS_AUTO);
	if (args->sampling && !blow->mode->is_virtual)
		return rarog_fail(-EINVAL,
				  "--sampling: is of rarog blow causal; see --noise-growth "
				  "and --strength");
	if (blow->is_full && !blow->mode->grows)
		return rarog_fail(-EINVAL, "--full-analysis: speed has noise of one strength, "
					   "--strength");
	if (blow->least_ns > blow->most_ns)
		return rarog_fail(-EINVAL, "--noise-minimum is more than --noise-maximum");
	if (blow->timeout_ns && blow->most_ns >= blow->timeout_ns)
		return rarog_fail(-EINVAL, "--noise-maximum is not below --timeout: a single call "
					   "would take too long");
	if (blow->most_ns > rarog_delay_most_ns() || blow->most_ns >= UINT32_MAX)
		return rarog_fail(-EINVAL,
				  "--noise-maximum: 100 ms are possible on any machine, %s is too "
				  "much",
				  rarog_format_ns(blow->most_ns).text);
	return 0;
}

/* Every call that is late is late: there is no every N-th. */
static int fail_every(void)
{
	return rarog_fail(-EINVAL, "--at PLACE#N and --func FUNC#N: noise is in each call; "
				   "leave out #N");
}

static int check_place(const struct args *args, const struct rarog_place_request *place)
{
	if (place->every > 1)
		return fail_every();
	if (!args->pid || !args->blow.mode->is_gain || !rarog_place_request_is_line(place))
		return 0;
	return rarog_fail(-EINVAL,
			  "--pid: the time of the line --at=%s is found by an extra run, which is "
			  "not possible here; name a region with it (FILE:LINE-LINE)",
			  place->given);
}

static int check_places(const struct args *args)
{
	struct rarog_plan plan = { 0 };
	int r = rarog_plan_make(&args->blow.what, &plan);

	if (r == 0 && rarog_call_sampling_is_any(&plan.every))
		r = fail_every();
	for (size_t i = 0; r == 0 && i < plan.places.list.n; i++)
		r = check_place(args, &plan.places.list.v[i]);
	rarog_plan_release(&plan);
	return r;
}

/* What is of programs that are run again and again. */
static int check_attached(const struct args *args, int argc)
{
	const struct rarog_blow_options *blow = &args->blow;
	const struct rarog_collect_option of_runs[] = {
		{ "--compare-output", blow->compares_output },
		{ "--show-output", args->show_output },
		{ "--timeline", args->timeline },
		{ "--timeout", blow->timeout_ns > 0 },
	};

	if (!args->pid && blow->window_ns)
		return rarog_fail(-EINVAL, "--window: is of --pid");
	if (!args->pid)
		return 0;
	if (argc > 0)
		return rarog_fail(-EINVAL, "--pid: that program runs already; no other is run");
	for (size_t i = 0; i < RAROG_COUNT(of_runs); i++)
		if (of_runs[i].is_given)
			return rarog_fail(-EINVAL, "--pid: %s is of programs that are run",
					  of_runs[i].name);
	if (blow->mode->is_virtual) /* others wait for it */
		return rarog_fail(-EINVAL, "--pid: causal needs a program that is run; speed asks "
					   "the same of one that runs already");
	if (blow->kind != RAROG_NOISE_BUSY)
		return rarog_fail(-EINVAL, "--pid: there is busy noise alone");
	return 0;
}

static int settle(struct args *args)
{
	struct rarog_blow_options *blow = &args->blow;
	double strength = 50, sampling = 0;
	int r = args->budget ? rarog_blow_parse_budget(args->budget, blow) : 0;

	blow->choice.called = (uint64_t)args->called;
	blow->choice.sites = (uint64_t)args->sites;
	blow->choice.by_self = blow->mode->is_gain;
	blow->choice.libraries = blow->what.libraries;
	blow->choice.at = blow->what.at;
	blow->choice.only_marks = (blow->what.at.n > 0 || blow->choice.regions.n > 0) &&
				  blow->what.functions.n == 0 && !args->corpus;
	blow->choice.share = 0.005;
	if (r == 0 && args->least_time)
		r = rarog_blow_parse_least_time(args->least_time, &blow->choice);
	if (r == 0 && args->growth)
		r = rarog_blow_parse_number(args->growth, "noise-growth", 1, 1000, &blow->growth);
	if (r == 0 && args->strength)
		r = rarog_blow_parse_number(args->strength, "strength", 1, 1000, &strength);
	if (r == 0 && args->sampling)
		r = rarog_blow_parse_number(args->sampling, "sampling", 1, 100, &sampling);
	blow->strength = strength / 100;
	blow->sampling = sampling / 100;
	blow->halves = args->shrink > 0;
	blow->kind = args->noise > 0 ? (enum rarog_noise)args->noise : RAROG_NOISE_BUSY;
	if (r == 0)
		r = check_together(args);
	if (r == 0 && args->corpus)
		r = read_corpus(args);
	blow->seed = (uint64_t)args->seed;
	return r;
}

static int check_program(const char *name)
{
	char path[PATH_MAX];

	return rarog_program_find(name, path) == 0
		       ? 0
		       : rarog_error_exit(rarog_fail(-ENOENT, "%s: not found", name),
					  RAROG_EXIT_NOT_FOUND);
}

/* Threads that wait for each other's processor are slower for another reason. */
static int check_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0 || CPU_COUNT(&set) > 1)
		return 0;
	return rarog_fail(-ENOTSUP, "there is one processor only, where every delay reaches the "
				    "end; two are needed (taskset?)");
}

/* Where others want the processor, too, a delay is as many times longer. */
static void warn_of_load(double load)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0 || load < CPU_COUNT(&set) - 1)
		return;
	rarog_warn("the load was %.1f before, on %d processors: if other programs run, a delay in "
		   "a program with threads costs more than itself; do not rely on its estimates",
		   load, CPU_COUNT(&set));
}

static void show_progress(void *user, uint64_t runs, double share)
{
	(void)share;
	rarog_progress_update(user, runs);
}

static int write_result(const struct rarog_context *context, const struct args *args,
			const struct rarog_blow_result *result)
{
	const struct rarog_blow_view view = {
		.options = &args->blow,
		.result = result,
		.width = context->width,
		.colour = context->colour,
		.is_mangled = args->mangled,
	};
	struct rarog_json json;
	int r = 0;

	if (!args->json && args->blow.only_functions)
		return rarog_blow_print_functions(&view, stdout), 0;
	if (!args->json)
		return rarog_blow_print(&view, stdout);
	rarog_json_start_object(&json, stdout);
	if (args->blow.only_functions)
		rarog_blow_json_functions(&view, &json);
	else
		r = rarog_blow_json(&view, &json);
	return r < 0 ? r : rarog_json_finish(&json);
}

static int open_log(struct args *args)
{
	if (!args->log)
		return 0;
	args->blow.log = strcmp(args->log, "-") == 0 ? stderr : fopen(args->log, "we");
	return args->blow.log ? 0 : rarog_fail_errno("--log=%s: cannot be written", args->log);
}

/* If a signal ended rarog, the exit status tells that signal. */
static int status_of(const struct rarog_command_line *command, int r)
{
	int signal = r == -EINTR ? rarog_signals_release(&command->mask) : 0;

	if (signal <= 0)
		return r;
	fprintf(stderr, "rarog blow: %s\n", rarog_error_message());
	return RAROG_EXIT_SIGNAL + signal;
}

static int blow_command(const struct rarog_context *context, struct args *args, const char *program)
{
	rarog_cleanup(rarog_blow_result_release) struct rarog_blow_result result = { 0 };
	rarog_cleanup(rarog_kept_binaries_freep) struct rarog_kept_binaries *kept =
		rarog_kept_binaries_new();
	struct rarog_progress progress;
	int r;

	args->blow.what.kept = kept; /* NULL: each run reads anew */
	args->blow.engine = rarog_collectors->engines[0];
	r = args->pid ? 0 : check_program(program);
	if (r == 0)
		r = rarog_collector_able(args->blow.engine);
	if (r == 0)
		r = check_processors();
	if (r < 0)
		return r;
	r = open_log(args);
	if (r < 0)
		return r;
	rarog_progress_start(&progress, "blowing", "runs", args->blow.budget_runs, context->quiet);
	args->blow.progress = show_progress;
	args->blow.user = &progress;
	r = rarog_blow(&args->blow, &result);
	args->blow.user = NULL;
	rarog_progress_finish(&progress);
	if (r == 0)
		warn_of_load(result.load);
	if (r == 0 && args->output && !args->blow.only_functions)
		r = rarog_blow_write(&args->blow, &result, args->output);
	if (r == 0 && args->timeline && !args->blow.only_functions)
		r = rarog_blow_best_run(&args->blow, &result, args->timeline);
	if (r < 0)
		return status_of(args->blow.command, r);
	return write_result(context, args, &result);
}

static int blow_with(const struct rarog_context *context, struct args *args, char **argv)
{
	struct rarog_command_line command;
	int r;

	rarog_command_line_init(&command, argv);
	command.output = args->show_output ? RAROG_OUTPUT_PASS : RAROG_OUTPUT_SUPPRESS;
	args->blow.command = &command;
	r = blow_command(context, args, argv[0]);
	args->blow.command = NULL;
	return r;
}

static int blow_attached(const struct rarog_context *context, struct args *args)
{
	rarog_cleanup(rarog_freep) char *program = NULL;
	char **arguments = NULL;
	int r = rarog_collect_attach_open((pid_t)args->pid, true, &arguments, &program);

	args->attachment.pid = (pid_t)args->pid;
	if (!args->blow.window_ns)
		args->blow.window_ns = WINDOW_NS;
	args->attachment.duration_ns = TRACED * args->blow.window_ns;
	args->blow.attachment = &args->attachment;
	if (args->blow.points.n == 0 && rarog_vec_push(&args->blow.points, automatic) < 0)
		r = rarog_oom();
	if (r == 0 && rarog_collect_apart(&r))
		r = blow_with(context, args, arguments);
	free(arguments);
	return r;
}

static bool is_mode(const char *word)
{
	return rarog_blow_mode_find(word) != NULL;
}

/* The first word is what is done; there may be options after it. Returns where the program is. */
static int parse(int argc, char **argv, struct args *args)
{
	int first = rarog_options_parse(options, argc, argv, true, args), next;

	if (first < 0)
		return first;
	if (first >= argc || !is_mode(argv[first]))
		return rarog_fail(-EINVAL, "what? rarog blow slow|speed|causal -- PROG ARGS");
	args->blow.mode = rarog_blow_mode_find(argv[first]);
	next = rarog_options_parse(options, argc - first, argv + first, true, args);
	if (next >= 0 && first + next >= argc && !args->pid)
		return rarog_fail(-EINVAL, "which program? rarog blow %s -- PROG ARGS",
				  args->blow.mode->name);
	return next < 0 ? next : first + next;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = {
		.blow = { .what = RAROG_PLAN_OPTIONS_DEFAULT,
			  .budget_ns = 60000000000ull,
			  .least_ns = 10,
			  .most_ns = 100000000,
			  .growth = 2,
			  .most_share = 0.4,
			  .small = 0.05,
			  .surely = 0.2,
			  .narrow = 0.06 },
		.called = 2,
		.seed = 1,
	};
	int first = parse(argc, argv, &args), r;

	r = first < 0 ? first : settle(&args);
	r = r < 0 ? r : check_attached(&args, argc - first);
	r = r < 0 ? r : check_places(&args);
	if (r < 0)
		r = rarog_usage_error(r);
	else
		r = args.pid ? blow_attached(context, &args)
			     : blow_with(context, &args, argv + first);
	if (args.blow.log && args.blow.log != stderr)
		fclose(args.blow.log);
	rarog_vec_release(&args.blow.choice.names);
	free(args.names);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_blow = {
	.name = "blow",
	.summary = "slow functions down and see what that does to the run",
	.usage = "slow|speed|causal [OPTION…] [--] PROG [ARG…] | slow|speed --pid PID "
		 "[OPTION…]",
	.description =
		"rarog blow slow runs PROG many times. In each run every call of one function is "
		"delayed by noise, which keeps the processor busy as slower code would. Between "
		"these are runs without noise. The estimate says which part of the delay reaches "
		"the end of the run, with a 95 % interval: 1 if all calls are on the critical "
		"path, 0 if none is. A function that does not wait, and that another thread waits "
		"for, has 1, however small its part of a flat profile is.\n\n"
		"A first run is traced. It says which functions there are, how often each is "
		"called and how long it takes; --show-functions ends there. Noise begins with 1 % "
		"of the run and grows until the interval is narrow. A function whose interval "
		"excludes an influence above 0.05 after six runs gets no more.\n\n"
		"rarog blow speed slows all chosen functions by the same part of themselves, and "
		"in other runs all but one. The gain is the part of the run that would be gained "
		"if that one took no time. rarog blow causal asks the same by virtual speed-up: "
		"while a thread calls the function, all other threads pause for the time that a "
		"faster function would have gained. They make up for it before they wake each "
		"other, and a thread that waited does not owe the time that was gained meanwhile. "
		"These runs are compared with others in which all threads pause as long: the "
		"function is late by as much as it gains. "
		"speed and causal make some more runs at first, for a tenth of the budget, to "
		"learn what functions take. Time in which a function waits is no opportunity: it "
		"is shown, but left out. With --progress the time for a call of a function, or for "
		"a passage of a point of rarog.h, takes the place of the whole run.\n\n"
		"sensitivity says by what part of itself the run becomes slower when the function "
		"becomes slower by a part of itself: at 0.5 the run is slower by half of that "
		"part. fitness and influence are computed as in the thesis on noise injection for "
		"Perun; small noise brings them to 1 for any function, so they rank nothing. "
		"opportunity, in tables of speed and causal, is by the thesis' formulas the "
		"function's share of the run, whatever was measured.\n\n"
		"A program that ends otherwise with noise than without, or does not end, depends "
		"on which thread comes first. Such runs are repeated and then listed below the "
		"table; what was seen only once is marked as such.\n\n"
		"With -o the experiments are kept as a profile: rarog show shows them, rarog "
		"report "
		"has a page of them, and rarog check compares what hangs on each function with "
		"another version. For users of Perun's blower: its iterations are --budget N, its "
		"timeout is --budget TIME, its main is --within.\n\n"
		"With --at and --region noise is at single calls, lines, returns and regions "
		"instead of functions; for speed and causal the time of a line is sampled. --pid "
		"attaches to a program that runs, measures windows of time instead of runs, and "
		"leaves the program as it was.\n\n"
		"The program must do the same in each run. The machine should have as many "
		"processors as the program has threads.",
	.examples = "  rarog blow slow -- ./prog input\n"
		    "  rarog blow slow --budget 5m --func 'parse*' -- ./prog input\n"
		    "  rarog blow causal --progress request_done -- ./server-test\n"
		    "  rarog blow speed --resume runs.journal --budget 1h -- ./prog input\n"
		    "  rarog blow slow --at 'read_block@main' --at return@close -- ./prog input\n"
		    "  rarog blow slow --pid 1234 --progress request_done --budget 2m\n"
		    "  rarog blow slow --json -- ./prog input\n",
	.options = options,
	.runs_program = true,
	.is_word = is_mode,
	.run = run,
};
