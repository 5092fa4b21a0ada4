/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-apart.h"
#include "cmd/collect-attach.h"
#include "cmd/collect-blocks.h"
#include "cmd/collect-features.h"
#include "cmd/collect-metrics.h"
#include "cmd/collect-optimize.h"
#include "cmd/collect-series.h"
#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/inline/dry-run.h"
#include "plan/options.h"
#include "store/template.h"

struct args {
	struct rarog_collect_series_options series;
	const char *engine, *counters;
	struct rarog_counter_requests counter_requests;
	struct rarog_collector_parameters what;
	int metrics;       /* enum rarog_collect_metrics */
	uint64_t start_ns; /* of all of it */
	char windows[64];  /* of timed sampling */
	bool dry_run, json;
	struct rarog_collect_way way;
	uint64_t timeout_ns, duration_ns;
	long pid;
	struct rarog_strings everybody;
};

static const char *const outputs[] = { "pass", "capture", "suppress", NULL };

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("Result"),
	RAROG_OPT_STRING(
		'o', "profile", struct args, series.output, "FILE",
		"write the profile to FILE, whose name may have tags (default: into the project's "
		"store, or to PROG.rarog if there is no store)"),
	RAROG_OPT_STRING(
		0, "label", struct args, series.label, "NAME",
		"give the profile this label; without git, it is the version that is measured"),
	RAROG_OPTION_CHOICE(struct args, series.configuration,
			    "note in the profile that the program runs with its option NAME set to "
			    "VALUE: it is compared only with profiles of the same options; may be "
			    "repeated"),
	RAROG_PLAN_RESULT_OPTIONS(struct args, what.plan),
	RAROG_OPT_INT(0, "porcelain", struct args, series.porcelain, "FD", 0, 1023,
		      "write the profile's hash (or file) to file descriptor FD"),
	RAROG_OPT_GROUP("What is measured"),
	RAROG_OPT_STRING(
		0, "engine", struct args, engine, "NAME",
		"how calls are seen: inline (the default where it works: times, nearly native "
		"speed), ebpf (by the kernel, without touching the program; as root, or by a "
		"helper that has capabilities), stap (the same by SystemTap), vex (calls, "
		"instructions and blocks of all code, exactly; no times); how blocks are counted: "
		"compiled (by rarog cc), rewrite (the default for programs that rarog cc did not "
		"compile)"),
	RAROG_PLAN_WHAT_OPTIONS(struct args, what.plan),
	RAROG_PLAN_TIMES_OPTION(struct args, what.plan),
	RAROG_PLAN_ACCESSES_OPTION(struct args, what.plan),
	RAROG_PLAN_WINDOWS_OPTION(struct args, what.plan),
	RAROG_PLAN_OVERHEAD_OPTION(struct args, what.plan),
	RAROG_OPT_STRING(0, "counters", struct args, counters, "LIST",
			 "count events of the whole run, too: instructions, cycles, task-clock, "
			 "page-faults, context-switches …, with commas between them"),
	RAROG_OPT_FLAG('n', "dry-run", struct args, dry_run,
		       "say what would be probed and what that would cost; run nothing"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write what --dry-run says as JSON"),
	RAROG_OPT_GROUP("Regions of features (rarog collect features)"),
	RAROG_FEATURE_CHOICE_OPTION(struct args, what.features),
	RAROG_FEATURE_LOOK_OPTIONS(struct args, what.features),
	RAROG_OPT_GROUP("What is left out"),
	RAROG_OPTIMIZE_OPTIONS(struct args, what.optimize),
	RAROG_PLAN_STAP_CACHE_OPTION(struct args, what.plan),
	RAROG_COLLECT_METRICS_OPTION(struct args, metrics),
	RAROG_OPT_GROUP("How samples are taken (rarog collect sample)"),
	RAROG_SAMPLE_OPTIONS(struct args, what.sample),
	RAROG_OPT_GROUP("A program that runs already"),
	RAROG_OPT_INT_ONCE('p', "pid", struct args, pid, "PID", 1, 4194304,
			   "one process is measured at a time, with what it starts",
			   "attach to process PID, measure it and what it starts, and leave it as "
			   "it was"),
	RAROG_OPT_STRINGS(0, "every-process", struct args, everybody, "FILE",
			  "measure all processes that run FILE now or start it later, and let them "
			  "run on (--engine ebpf)"),
	RAROG_OPT_DURATION(0, "duration", struct args, duration_ns, "TIME",
			   "end the measurement after TIME (30s, 2m; default: at Ctrl-C, or when "
			   "the program ends)"),
	RAROG_OPT_GROUP("How the program runs"),
	RAROG_OPT_DURATION('t', "timeout", struct args, timeout_ns, "TIME",
			   "stop the program after TIME (30s, 2m); exit code 124"),
	RAROG_OPT_CHOICE(0, "output", struct args, series.program_output, "MODE", outputs,
			 "what becomes of the program's output (capture: it is shown, and copied "
			 "to a file)"),
	RAROG_OPT_STRING(0, "capture", struct args, series.capture, "FILE",
			 "write the copy of --output=capture to FILE (default: the profile's name "
			 "and .out)"),
	RAROG_OPT_INT('r', "repeat", struct args, series.repeat, "N", 1, 100000,
		      "run N times; one profile for each, numbered"),
	RAROG_OPT_INT('w', "warmup", struct args, series.warmup, "N", 0, 1000,
		      "first run N times without measuring"),
	RAROG_PLAN_DROP_OPTION(struct args, what.plan),
	RAROG_OPT_GROUP("When something is wrong"),
	RAROG_OPT_STRING(0, "diagnose", struct args, series.diagnose, "FILE",
			 "pack what a bug report needs into FILE (.tar.gz or .tar.zst)"),
	RAROG_OPT_FLAG(0, "diagnose-profile", struct args, series.diagnose_profile,
		       "put the profile into the file of --diagnose, too"),
	RAROG_OPT_END,
};

static int choose_counters(struct args *args)
{
	int r = args->counters ? rarog_event_counters_parse(args->counters, &args->counter_requests)
			       : 0;

	return r < 0 ? rarog_usage_error(r) : rarog_event_counters_check(&args->counter_requests);
}

static int make_plan(const struct args *args, struct rarog_plan *plan)
{
	if (args->series.diagnose_profile && !args->series.diagnose)
		return rarog_fail(-EINVAL, "--diagnose-profile needs --diagnose=FILE");
	if (args->json && !args->dry_run)
		return rarog_fail(-EINVAL, "--json is for --dry-run; rarog show --json prints what "
					   "was measured");
	if (args->series.porcelain >= 0 && fcntl((int)args->series.porcelain, F_GETFD) < 0)
		return rarog_fail(-EBADF, "--porcelain=%ld: no such descriptor is open",
				  args->series.porcelain);
	if (args->series.capture && args->series.program_output != RAROG_OUTPUT_CAPTURE)
		return rarog_fail(-EINVAL, "--capture is for --output=capture; give both");
	if (args->series.output && rarog_template_is_one(args->series.output) &&
	    rarog_template_check(args->series.output) < 0)
		return -EINVAL;
	return rarog_collector_plan(args->way.collector, &args->what, plan);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int dry_run(const struct args *args, struct rarog_plan *plan, const char *program)
{
	char path[PATH_MAX];

	if (rarog_program_find(program, path) < 0)
		return rarog_error_exit(rarog_fail(-ENOENT, "%s: not found", program),
					RAROG_EXIT_NOT_FOUND);
	return rarog_dry_run(plan, program, args->json, stdout);
}

/* The run counts, whether they can be said or not. */
static void say_metrics(const struct args *args, const struct rarog_collect_optimize *optimize,
			const struct rarog_collect_series *series)
{
	enum rarog_collect_metrics how = (enum rarog_collect_metrics)args->metrics;

	if (rarog_collect_metrics_say(optimize, how, series->last, args->start_ns,
				      series->drive_ns) == 0)
		return;
	rarog_warn("no metrics: %s", rarog_error_message());
	rarog_error_clear();
}

static void say_stap_cache(const struct args *args)
{
	if (args->what.plan.no_stap_cache && !(args->way.engine->abilities & RAROG_ENGINE_CACHES))
		rarog_warn("--no-stap-cache means nothing to --engine=%s, which makes no module",
			   rarog_engine_word(args->way.engine));
}

static int collect(const struct rarog_context *context, struct args *args, char **argv,
		   const char *program, const struct rarog_attachment *attachment)
{
	rarog_cleanup(rarog_freep) char *name = rarog_asprintf("%s.rarog", program);
	rarog_cleanup(rarog_collect_optimize_release) struct rarog_collect_optimize optimize = {
		.context = context, .options = &args->what.optimize, .argv = argv
	};
	rarog_cleanup(rarog_feature_regions_release) struct rarog_feature_regions features = { 0 };
	struct rarog_plan plan = { 0 };
	struct rarog_command_line command;
	rarog_cleanup(rarog_collect_series_release) struct rarog_collect_series series = {
		.context = context,
		.options = &args->series,
		.way = &args->way,
		.plan = &plan,
		.compensate = args->what.plan.compensate,
		.command = &command,
		.program = program,
		.attachment = attachment,
		.name = { .given = args->series.output ? args->series.output : name,
			  .may_have_tags = args->series.output,
			  .argv = argv,
			  .write_parameters = args->way.engine->write_parameters,
			  .plan = &plan },
	};
	int r = name ? make_plan(args, &plan) : rarog_oom();

	if (r == 0)
		r = rarog_collect_features_choose(&args->what.features, &args->way, argv[0],
						  attachment, &features, &plan);
	if (r == 0)
		r = rarog_collect_optimize_init(&optimize, args->way.collector, args->way.engine);
	if (r == 0)
		rarog_techniques_plan(&optimize.techniques, args->way.engine, &plan);
	rarog_command_line_init(&command, argv);
	command.output = (enum rarog_output_mode)args->series.program_output;
	command.timeout_ns = args->timeout_ns;
	command.counters = &args->counter_requests;
	say_stap_cache(args);
	if (r < 0)
		rarog_usage_error(r);
	else if (args->dry_run)
		r = dry_run(args, &plan, argv[0]);
	else
		r = rarog_collect_series(&series);
	r = rarog_collect_optimize_end(&optimize, series.last, r);
	if (r >= 0 && !args->dry_run)
		say_metrics(args, &optimize, &series);
	rarog_plan_release(&plan);
	return r;
}

static struct rarog_engine_request request_of(const struct args *args,
					      const struct rarog_attachment *attachment)
{
	return (struct rarog_engine_request){
		.options = &args->what.plan,
		.sample = &args->what.sample,
		.attachment = attachment->pid || attachment->file ? attachment : NULL,
		.is_dry = args->dry_run,
	};
}

static int check_ways(const struct args *args, const struct rarog_attachment *attachment,
		      const char *program)
{
	const struct rarog_engine_request request = request_of(args, attachment);
	const struct rarog_collect_option started[] = {
		{ "--timeout", args->timeout_ns > 0 },
		{ "--output", args->series.program_output != RAROG_OUTPUT_PASS },
		{ "--capture", args->series.capture },
		{ "--repeat", args->series.repeat > 1 },
		{ "--warmup", args->series.warmup > 0 },
		{ "--dry-run", args->dry_run },
		{ "--counters", args->counters },
	};

	if (rarog_collector_check(args->way.collector, args->way.engine, &request) < 0 ||
	    rarog_collect_everybody_check(&args->everybody, &args->what.plan) < 0)
		return -EINVAL;
	return rarog_collect_attach_check(attachment, program, RAROG_COUNT(started), started);
}

static int collect_attached(const struct rarog_context *context, struct args *args,
			    const struct rarog_attachment *attachment)
{
	rarog_cleanup(rarog_freep) char *program = NULL;
	char **arguments = NULL;
	bool is_traced = !(args->way.engine->abilities & RAROG_ENGINE_SAMPLES);
	int r = rarog_collect_attach_open(attachment->pid, is_traced, &arguments, &program);

	/* Of samples nothing is left in the process, however rarog ends. */
	if (r == 0 && (!is_traced || rarog_collect_apart(&r)))
		r = collect(context, args, arguments, program, attachment);
	free(arguments);
	return r;
}

/* The profile is that of the file, whichever process runs it. */
static int collect_everybody(const struct rarog_context *context, struct args *args,
			     struct rarog_attachment attachment)
{
	struct rarog_collect_everybody everybody;
	char *arguments[] = { everybody.name, NULL };
	int r = rarog_collect_attach_everybody(attachment.file, &everybody);

	if (r < 0)
		return r;
	attachment.file = everybody.name;
	attachment.path = everybody.path;
	r = collect(context, args, arguments, base_name(everybody.name), &attachment);
	close(everybody.fd);
	return r;
}

/* What --dry-run says is said without an engine. */
static int choose_engine(struct args *args, const struct rarog_attachment *attachment,
			 const char *program)
{
	const struct rarog_engine_request request = request_of(args, attachment);

	return args->dry_run ? 0 : rarog_collect_way_choose(&request, program, &args->way);
}

static bool is_collector(const char *word)
{
	return rarog_collector_find(word);
}

static const char *collector_name(size_t i)
{
	return rarog_collectors[i].name;
}

/* The first word may be a collector's name, and there may be options after it, too; after "--" it
 * is the program. Returns where the program is. */
static int parse(int argc, char **argv, struct args *args)
{
	int first = rarog_options_parse(options, argc, argv, true, args), next;
	bool is_program = first > 0 && strcmp(argv[first - 1], "--") == 0;

	if (first < 0 || first >= argc || is_program ||
	    !rarog_collect_way_find(argv[first], &args->way))
		return first;
	next = rarog_options_parse(options, argc - first, argv + first, true, args);
	return next < 0 ? next : first + next;
}

/* Windows that were asked for stay. */
static int choose_windows(struct args *args)
{
	int r = rarog_optimize_windows(&args->what.optimize, sizeof(args->windows), args->windows);

	if (r > 0 && args->what.plan.windows)
		rarog_warn("timed-sampling is off: --windows says when calls are recorded");
	else if (r > 0)
		args->what.plan.windows = args->windows;
	return r < 0 ? r : 0;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .what = RAROG_COLLECTOR_PARAMETERS_DEFAULT,
			     .start_ns = rarog_now_ns(),
			     .way = rarog_collect_way_standard(),
			     .series = { .repeat = 1, .porcelain = -1 } };
	struct rarog_attachment attachment = { 0 };
	int first = parse(argc, argv, &args), r;

	attachment.pid = (pid_t)args.pid;
	attachment.duration_ns = args.duration_ns;
	attachment.file = args.everybody.n > 0 ? args.everybody.v[0] : NULL;
	r = first;
	if (r >= 0)
		r = args.engine ? rarog_collect_way_engine(&args.way, args.engine) : 0;
	if (r == 0 && !args.engine && !args.pid && !attachment.file)
		rarog_collect_blocks_choose(first < argc ? argv[first] : NULL, &args.way);
	if (r == 0)
		r = choose_windows(&args);
	if (r == 0)
		r = check_ways(&args, &attachment, first < argc ? argv[first] : NULL);
	r = r < 0 ? rarog_usage_error(r) : rarog_option_choice_read(&args.series.configuration);
	if (r == 0)
		r = choose_counters(&args);
	if (r == 0)
		r = choose_engine(&args, &attachment, first < argc ? argv[first] : NULL);
	if (r < 0)
		;
	else if (args.pid)
		r = collect_attached(context, &args, &attachment);
	else if (attachment.file)
		r = collect_everybody(context, &args, attachment);
	else if (first >= argc)
		r = rarog_usage_error(rarog_fail(-EINVAL, "which program? rarog collect -- PROG "
							  "ARGS"));
	else
		r = collect(context, &args, argv + first, base_name(argv[first]), NULL);
	rarog_option_choice_release(&args.series.configuration);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_collect = {
	.name = "collect",
	.summary = "run a program and measure it",
	.usage = "[OPTION…] [--] PROG [ARG…]",
	.description =
		"Runs PROG as it is, without recompiling and without root, and records every call "
		"of its functions: how often, how long, called from where. It does not change what "
		"the program reads, writes and returns. rarog show and rarog report look at the "
		"profile.\n\n"
		"rarog collect complexity measures the functions of the program and its libraries "
		"that rarog cc --hooks built. The rules that were given to rarog cc choose them, "
		"but --func here counts more. It keeps the sizes of the data structures that they "
		"work on, as RAROG_SIZE() of rarog.h in the source, --rarog-size or --arg tell "
		"them. rarog show says how the time of each function grows with these sizes.\n\n"
		"rarog collect features measures the code that runs because of the options of a "
		"program that rarog cc --features compiled (rarog feature regions lists it): how "
		"often it runs, how long it takes, and which code runs within which. The program "
		"contains no probes before the measurement, and with --pid none after it. "
		"--feature chooses features. --engine static measures the regions that rarog cc "
		"--rarog-regions compiled in.\n\n"
		"rarog collect blocks counts basic blocks instead, exactly: those of a program "
		"that rarog cc or rarog c++ compiled, and of all processes that it starts. In any "
		"other program that has symbols (or with --engine rewrite) it counts blocks of "
		"machine code, without recompiling and at nearly native speed: it copies functions "
		"and puts counters into the copies. Give --engine compiled if the program only "
		"opens libraries that rarog cc compiled. Functions whose control flow is not "
		"proven stay as they are and are listed. --func chooses functions, --libs adds "
		"libraries. The time in blocks is estimated from samples. With --times=measured "
		"each block reads a time stamp where it begins; --compensate subtracts what that "
		"costs.\n\n"
		"rarog collect time puts nothing into the program: it keeps wall, user and system "
		"time, the most memory, page faults and context switches of each run. After "
		"several runs (--warmup, --repeat) it sums up and says which runs are outliers.\n\n"
		"With --counters LIST events of the kernel and the processor are counted from the "
		"moment that the program is executed, with its threads and children: "
		"instructions, cycles, ref-cycles, bus-cycles, branches, branch-misses, "
		"cache-references, cache-misses, stalled-cycles-frontend, stalled-cycles-backend, "
		"L1-dcache-loads, L1-dcache-load-misses, L1-dcache-stores, L1-icache-load-misses, "
		"LLC-loads, LLC-load-misses, dTLB-loads, dTLB-load-misses, iTLB-load-misses; "
		"task-clock, cpu-clock, page-faults, minor-faults, major-faults, context-switches, "
		"cpu-migrations, alignment-faults, emulation-faults. If the processor has fewer "
		"registers than events, the events take turns; amounts are then scaled and marked "
		"as scaled. The code that a collector puts into a program (trace) is counted as "
		"well.\n\n"
		"With --sample-calls N only every N-th call of each function and thread is "
		"recorded, beginning with the first. A call that is left out costs one or two ns, "
		"and the functions that it calls are counted on their own. --func FUNC#N and "
		"--func FILE#FUNC#N choose N for single functions. With --windows 10ms/1s only "
		"those calls are recorded that begin in the first 10 ms of each second, from the "
		"start of the program on, and those marks that are passed then. Numbers of calls "
		"are exact nevertheless. Total times are estimated from the recorded calls, "
		"including those inside recursions. The exclusive times of sampled functions and "
		"of their callers are not known: check compares total times, and report leaves out "
		"what is not known. Call trees contain only recorded calls.\n\n"
		"With --overhead 5% the aim is that probes take at most 5 % of the processor time "
		"that the program would take without them, from its first second on. Functions "
		"that are called seldom are recorded each time. Of functions that are called more "
		"often, one of N calls is recorded, by chance, and all calls are counted. If even "
		"counting takes too much, the probes of the shortest functions are taken out, and "
		"put in again now and then. N changes while the program runs, and total times are "
		"weighted by it. Functions that were thinned are shown as sampled; which exclusive "
		"times are known is as with --sample-calls. A function whose probe was off at "
		"times was called more often than its number says, and is unknown to check.\n\n"
		"With --pipeline and --on, techniques leave out functions that are not worth their "
		"cost. main, functions whose values are captured and those that --within needs "
		"stay. diff-tracing keeps the functions that have changed since the newest earlier "
		"version that was collected with it (--opt diff-version=REV: another one), and "
		"protects them from the other techniques. cg-shaping chooses by the call graph "
		"(--opt cg-mode=match, prune, soft, strict, top-down, bottom-up). static-baseline "
		"leaves out functions whose calls all take the same time. dynamic-baseline leaves "
		"out functions of which an earlier run of the same command has shown that they are "
		"called too often, are constant, or are told by their only caller. "
		"dynamic-sampling records every n-th call of functions that are called often. "
		"reached-before leaves out functions that no earlier run has called. These three "
		"learn in a project's store. dynamic-probing switches functions off, while the "
		"program runs, when they were called often enough. timed-sampling records for one "
		"half of the time. basic is cg-shaping and dynamic-baseline; advanced has "
		"diff-tracing and dynamic-sampling, too; full has static-baseline and "
		"dynamic-probing, too. For check a function that was left out is unknown, not "
		"gone. --explain says for each function why. doc/design/techniques.md has every "
		"parameter of --opt.\n\n"
		"With --engine ebpf the kernel watches the program's file. Nothing is put into the "
		"program, static and running programs are measured as well, and the program may "
		"use signals, ptrace and seccomp as it likes. A call costs about a microsecond "
		"(rarog doctor measures it), and many times that if the function's first "
		"instructions give the kernel no cheap place. --detail=count costs half, and with "
		"--detail=summary the kernel sums up by itself. The engine is for root, and for "
		"every user if rarog-ebpf-helper has file capabilities (sudo setcap "
		"cap_bpf,cap_perfmon+ep FILE) or sudo asks for no password: only the helper is "
		"then elevated. Values in vector registers (float, double) cannot be captured. In "
		"programs that may unwind or switch stacks (C++ exceptions, sigaltstack) calls can "
		"only be counted. --libs needs --no-follow. Events that the kernel's buffer cannot "
		"hold are lost, and their number is told.\n\n"
		"With --engine stap SystemTap does the same, on kernels that load modules. It "
		"makes a module for the functions and marks that are measured; that takes up to "
		"minutes the first time, and the module is kept in its cache. Values in memory "
		"that the program has not touched yet cannot be captured, lines and addresses "
		"(--at) need debug information, and functions of libraries are not measured. Calls "
		"outside of --windows are told as lost. RAROG_STAP names another stap than that in "
		"PATH.\n\n"
		"rarog collect sample puts nothing into the program either: the kernel looks at "
		"each running thread some 1000 times a second (--rate) and notes which function "
		"runs and its callers (--call-graph). Times are estimates from these samples, by "
		"shares of the CPU time; calls are not counted. It sees all code: libraries, "
		"generated code that a perf map or a jitdump names, and with --kernel the kernel. "
		"With --off-cpu it also sees where threads wait.\n\n"
		"With --engine vex, calls, executed instructions and basic blocks of any program "
		"are counted, with all libraries and generated code, exactly and without "
		"recompiling. The program runs under Valgrind, some six times slower or more. Such "
		"a profile has no times, and functions and events cannot be chosen. For functions "
		"that --args, --arg and --ret name, each call is kept with its values and the "
		"instructions that it executed. With --accesses it also counts how often each "
		"function and block loads from memory and stores to it, and how many bytes.\n\n"
		"If inline cannot work, and neither an engine nor a collector is named, the best "
		"one that this machine and the options allow measures instead: ebpf, or samples; "
		"vex if --detail=count asks for counts. A line says which one and why. Such "
		"profiles are compared only with their own kind. rarog doctor says beforehand "
		"which one it will be.\n\n"
		"PROG may be a script or a build tool. The programs that it starts are measured if "
		"they have symbols; interpreters and system tools are not measured unless --binary "
		"names them.\n\n"
		"In a project that has a store (rarog init) the profile is put there, together "
		"with the commit that is checked out, whether anything was changed since, the job "
		"and the machine. rarog status lists it, and rarog show shows the newest "
		"profile.\n\n"
		"Without a store, the profile is PROG.rarog in the current directory; an older one "
		"is kept as PROG.rarog.old. With --repeat the profiles are numbered (PROG.1.rarog, "
		"…), and every run reads the same input if that is a file. After a run that fails "
		"the next one begins; after Ctrl-C none does. Warm-up runs are not measured and "
		"not captured.\n\n"
		"FILE may be a template: %collector%, %engine%, %cmd%, %args%, %date%, %origin% "
		"(the commit), %label%, %type%, %counter% (the first number that is free) and "
		"%trace.PARAMETER% stand for what they say; %origin:8% stands for the first eight "
		"characters of %origin%, and %% for a percent sign. rarog report and rarog export "
		"have the same tags, and also %job%, %workload% and %options%.\n\n"
		"With --output=capture the program has a terminal if rarog has one. Output of "
		"children that outlive the program is captured for two more seconds.\n\n"
		"With --pid the program runs already. All of its threads are stopped for some "
		"milliseconds to put the probes in, and again to take them out. Calls that were "
		"open at the beginning are not in the profile. Ctrl-C, SIGTERM, SIGHUP and SIGQUIT "
		"let the program go, and what was measured is stored. Before the first probe is in "
		"place, these signals end rarog. A signal that was ignored when rarog started "
		"(nohup) does nothing. The exit status is 0 if the program was measured, however "
		"it ends.\n\n"
		"With --every-process FILE the kernel watches all processes that run the program "
		"FILE (--engine ebpf): those that run already and those that start meanwhile, "
		"whichever process starts them. The processes are told apart, and the programs "
		"that they start are measured if they run FILE, too. The measurement goes on until "
		"--duration, Ctrl-C or SIGTERM. root measures processes of all users; other users "
		"measure their own programs in their own processes. If FILE is a library, calls "
		"are only counted (--detail=count), in every process that has it mapped.\n\n"
		"Exit status:\n"
		"    the program's own (with --repeat: the first that is not 0), or\n"
		"    124  it was stopped by --timeout (SIGTERM, two seconds later SIGKILL)\n"
		"    125  rarog failed, or was used wrongly\n"
		"    126  PROG cannot be executed\n"
		"    127  PROG was not found\n"
		"    128+N  it was killed by signal N, or signal N ended the series (130: Ctrl-C)",
	.examples = "rarog collect -- ./prog input.txt\n"
		    "rarog collect -o make.rarog --binary ./prog -- make test\n"
		    "rarog collect --detail=summary --func 'parse_*' -- ./prog\n"
		    "rarog collect --sample-calls 100 --func main#1 --func '*' -- ./prog\n"
		    "rarog collect -o '%cmd%-%origin:8%-%counter%.rarog' -- ./prog\n"
		    "rarog collect --dry-run --libs -- ./prog\n"
		    "rarog collect --overhead 5% -- ./prog\n"
		    "rarog collect --pipeline basic --explain -- ./prog\n"
		    "rarog collect blocks -- ./prog\n"
		    "rarog collect time --warmup 2 --repeat 10 -o runs.rarog -- ./prog\n"
		    "rarog collect sample -- ./prog\n"
		    "rarog collect sample --off-cpu --pid 1234 --duration 10s\n"
		    "rarog collect --engine vex -- ./prog\n"
		    "rarog collect --engine vex --accesses -- ./prog\n"
		    "rarog collect --engine ebpf --detail=count -- ./prog\n"
		    "rarog collect --warmup 1 --repeat 5 -o runs.rarog -- ./prog\n"
		    "rarog collect --pid $(pidof -s redis-server) --duration 10s\n"
		    "rarog collect --engine ebpf --every-process /usr/sbin/nginx --duration 10s\n"
		    "rarog collect --diagnose=report.tar.gz -- ./prog",
	.options = options,
	.runs_program = true,
	.is_word = is_collector,
	.word = collector_name,
	.run = run,
};
