/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What got slower between two versions. Here: options, which methods, how it is printed; which
 * versions are meant, check-stored.c and check-now.c; src/check/ compares.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/check-history.h"
#include "cmd/check-methods.h"
#include "cmd/check-save.h"
#include "cmd/check-session.h"
#include "cmd/commands.h"
#include "cmd/report-pair.h"
#include "view/html/report.h"
#include "view/verdict/verdict-view.h"

enum fail_on {
	FAIL_ON_DEGRADATION,
	FAIL_ON_MAYBE,
	FAIL_ON_NEVER,
};

static const char *const until_names[] = {
	[RAROG_CHECK_UNTIL_PROGRAM] = "program",
	[RAROG_CHECK_UNTIL_FUNCTIONS] = "functions",
	NULL,
};

static const char *const fail_on_names[] = { "degradation", "maybe", "never", NULL };

struct args {
	bool all, history, force, save, methods, measure;
	struct rarog_check_measure now; /* how, if .measure */
	struct rarog_strings method, set;
	int fail_on;
	struct rarog_verdicts_asked formats;
	const char *output, *html;
	long limit;
};

#define FORMAT(format, help) RAROG_OPT_FLAG(0, #format, struct args, formats.format, help),

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("What is compared"),
	RAROG_OPT_FLAG(0, "all", struct args, all,
		       "compare every measured version of a range (A..B) with the one before it"),
	RAROG_OPT_FLAG(0, "history", struct args, history,
		       "say where functions changed over all measured versions up to HEAD, or in a "
		       "range"),
	RAROG_OPT_FLAG('f', "force", struct args, force,
		       "compare also what is not comparable (other machine, compiler, job), and "
		       "mark it"),
	RAROG_OPT_STRINGS('J', "job", struct args, now.names, "NAME",
			  "only this job of .rarog.yml; may be repeated (all)"),
	RAROG_OPTION_CHOICE(struct args, now.job.choice,
			    "only profiles whose program ran with this option; with --measure: use "
			    "only this value of a job's option; may be repeated"),
	RAROG_OPT_GROUP("How"),
	RAROG_OPT_STRINGS('m', "method", struct args, method, "NAME",
			  "compare by this method; may be repeated (default: the strategies in "
			  ".rarog.yml, else runs)"),
	RAROG_OPT_STRINGS(0, "set", struct args, set, "NAME=VALUE",
			  "a threshold of the method named last, or of --history"),
	RAROG_OPT_FLAG(0, "methods", struct args, methods, "list methods and thresholds"),
	RAROG_OPT_CHOICE(0, "fail-on", struct args, fail_on, NULL, fail_on_names,
			 "the verdict from which on the exit status is 1; inconclusive is 4 unless "
			 "never"),
	RAROG_OPT_FLAG(0, "save", struct args, save,
		       "keep the verdict for rarog log (default; --no-save)"),
	RAROG_OPT_GROUP("Measuring now"),
	RAROG_OPT_FLAG(0, "measure", struct args, measure,
		       "build both versions and run them side by side, until enough is known"),
	RAROG_OPT_STRINGS('c', "cmd", struct args, now.job.commands, "COMMAND",
			  "measure a job that is not in .rarog.yml: the program and its arguments"),
	RAROG_JOB_COLLECTOR_OPTIONS(struct args, now.job),
	RAROG_OPT_STRINGS(0, "build", struct args, now.job.build, "LINE",
			  "shell line that builds a version"),
	RAROG_OPT_INT('r', "runs", struct args, now.runs, "N", 2, 10000,
		      "make at most N runs of each version (20; 100 with --until functions)"),
	RAROG_OPT_CHOICE(0, "until", struct args, now.until, NULL, until_names,
			 "measure until it is known whether the program changed, or each function"),
	RAROG_OPT_INT(0, "untraced", struct args, now.job.untraced, "N", 1, 1000,
		      "make N runs without probes in each round (3)"),
	RAROG_OPT_FLAG(0, "in-turn", struct args, now.in_turn,
		       "make runs without probes one after the other, never of both versions at "
		       "once"),
	RAROG_OPT_DURATION(0, "budget", struct args, now.budget_ns, "TIME",
			   "begin no round after TIME (10m; 30m with --until functions); 0: no "
			   "limit"),
	RAROG_OPT_INT('j', "parallel", struct args, now.parallel, "N", 1, 64,
		      "build N versions at once (1)"),
	RAROG_OPT_STRING(0, "processors", struct args, now.processors, "LIST",
			 "where programs run: 1,3-5 or all (all but the first)"),
	RAROG_OPT_GROUP("Output"),
	RAROG_OPT_INT('n', "limit", struct args, limit, "N", 0, 1000000,
		      "show at most N functions (3; of a history 20 changes), and besides each "
		      "function that makes a tenth of the difference; 0: all"),
	RAROG_VERDICT_FORMATS(FORMAT) /* a row each of verdict-view.h */
	RAROG_OPT_STRING('o', "output", struct args, output, "FILE",
			 "write to FILE (standard output)"),
	RAROG_OPT_STRING(0, "html", struct args, html, "FILE",
			 "also write both versions side by side as a page for the browser"),
	RAROG_OPT_END,
};

struct session {
	const struct args *args;
	struct rarog_check_session check;
};

static void session_release(struct session *s)
{
	rarog_check_session_release(&s->check);
}

/* --- methods --- */

static int add_rule(struct session *s, const struct rarog_check_method *method)
{
	struct rarog_check_rule rule = { .method = method };

	if (!method)
		return rarog_usage_error(-EINVAL);
	rarog_threshold_standards(method, rule.thresholds);
	return rarog_vec_push(&s->check.rules, rule) < 0 ? rarog_oom() : 0;
}

static int choose_rules(struct session *s)
{
	const struct args *args = s->args;
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->method.n; i++)
		r = add_rule(s, rarog_check_method_find(args->method.v[i]));
	if (r == 0 && s->check.rules.n == 0)
		r = add_rule(s, rarog_check_methods[0]);
	for (size_t i = 0; r == 0 && !args->history && i < args->set.n; i++) {
		struct rarog_check_rule *last = &s->check.rules.v[s->check.rules.n - 1];

		r = rarog_threshold_set(last->method, args->set.v[i], last->thresholds);
	}
	return r == -EINVAL ? rarog_usage_error(r) : r;
}

/* --- the verdict --- */

static int write_verdict(const struct session *s)
{
	bool is_file = s->args->output != NULL;
	rarog_cleanup(rarog_fclosep) FILE *file = is_file ? fopen(s->args->output, "we") : NULL;
	const struct rarog_verdict_options view = {
		.baseline = s->check.baseline,
		.target = s->check.target,
		.limit = s->args->limit == 0  ? SIZE_MAX
			 : s->args->limit < 0 ? 3
					      : (size_t)s->args->limit,
		.width = !is_file && isatty(STDOUT_FILENO) ? s->check.context->width : 0,
		.colour = !is_file && s->check.context->colour,
	};
	FILE *out = is_file ? file : stdout;
	int r;

	if (!out)
		return rarog_fail_errno("%s: cannot write", s->args->output);
	r = rarog_verdict_format(&s->args->formats, false)->write(&s->check.checks, &view, out);
	if (r == 0 && (fflush(out) != 0 || ferror(out)))
		return rarog_fail_errno("%s: cannot write", is_file ? s->args->output : "output");
	return r;
}

/* Before hours of measuring. */
static int try_output(const char *path)
{
	rarog_cleanup(rarog_freep) char *copy = path ? strdup(path) : NULL;

	if (!path || access(path, W_OK) == 0)
		return 0;
	if (!copy)
		return rarog_oom();
	if (errno != ENOENT || access(dirname(copy), W_OK) < 0)
		return rarog_fail_errno("%s: cannot write", path);
	return 0;
}

static int try_outputs(const struct args *args)
{
	int r = try_output(args->output);

	return r < 0 ? r : try_output(args->html);
}

static int write_html(const struct session *s)
{
	const struct rarog_pair_options page = { .version = RAROG_VERSION,
						 .baseline = s->check.baseline,
						 .target = s->check.target,
						 .max_frames = RAROG_REPORT_FRAMES,
						 .vcs = s->check.project.vcs };

	return s->args->html ? rarog_report_pair_save(&s->check.checks, &page, s->args->html) : 0;
}

static int exit_code(const struct session *s)
{
	enum rarog_finding finding = rarog_checks_finding(&s->check.checks);
	bool may_fail = s->args->fail_on != FAIL_ON_NEVER;

	if (may_fail && (finding == RAROG_FINDING_DEGRADATION ||
			 (finding == RAROG_FINDING_MAYBE && s->args->fail_on == FAIL_ON_MAYBE)))
		return RAROG_EXIT_DEGRADATION;
	if (s->check.checks.is_incomplete)
		return RAROG_EXIT_FAILURE;
	return may_fail && finding == RAROG_FINDING_INCONCLUSIVE ? RAROG_EXIT_INCONCLUSIVE
								 : RAROG_EXIT_OK;
}

static int check(struct session *s, int n, char **operands)
{
	const struct args *args = s->args;
	int r = args->measure ? rarog_check_now(&s->check, &args->now, n, operands)
		: args->all   ? rarog_check_range(&s->check, (size_t)n, operands)
		: n == 0      ? rarog_check_head(&s->check)
			 : rarog_check_named(&s->check, operands[0], n > 1 ? operands[1] : "HEAD");

	if (r == 0)
		r = write_verdict(s);
	if (r == 0)
		r = write_html(s);
	if (r == 0 && args->save && !s->check.is_work_tree)
		r = rarog_check_save(s->check.project.store, &s->check.checks);
	return r < 0 ? r : exit_code(s);
}

static int check_history(struct session *s, int n, char **operands)
{
	const struct args *args = s->args;
	double thresholds[RAROG_THRESHOLDS_MAX];
	const struct rarog_check_history how = {
		.context = s->check.context,
		.project = &s->check.project,
		.range = n > 0 ? operands[0] : NULL,
		.limit = args->limit < 0 ? 20 : (uint64_t)args->limit,
		.thresholds = thresholds,
		.format = rarog_verdict_format(&args->formats, true),
		.save = args->save,
		.fails_on_maybe = args->fail_on == FAIL_ON_MAYBE,
		.fails_never = args->fail_on == FAIL_ON_NEVER,
	};

	if (n > 1 || args->all || args->measure || args->method.n > 0 || !how.format ||
	    args->output || args->html)
		return rarog_usage_error(rarog_fail(
			-EINVAL, "--history takes one range, and of the other options only "
				 "--json, --markdown, --set, --fail-on, --limit and "
				 "--no-save"));
	rarog_threshold_standards(&rarog_check_history_rules, thresholds);
	for (size_t i = 0; i < args->set.n; i++)
		if (rarog_threshold_set(&rarog_check_history_rules, args->set.v[i], thresholds) < 0)
			return rarog_usage_error(-EINVAL);
	return rarog_check_history(&how);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .save = true,
			     .limit = -1,
			     .now = { .job = RAROG_JOB_OPTIONS_DEFAULT,
				      .parallel = 1,
				      .budget_ns = RAROG_CHECK_BUDGET } };
	rarog_cleanup(session_release) struct session s = { .args = &args,
							    .check.context = context };
	int first = rarog_options_parse(options, argc, argv, false, &args), r;
	int n = argc - first;

	if (first < 0)
		return rarog_usage_error(first);
	if (args.methods)
		return rarog_check_list_methods(context);
	if (!args.history && (args.all ? n == 0 : n > 2))
		return rarog_usage_error(rarog_fail(
			-EINVAL, args.all ? "give a range: rarog check --all v1.0..HEAD"
					  : "give at most two: rarog check BASE TARGET"));
	if (args.all && args.measure)
		return rarog_usage_error(rarog_fail(-EINVAL, "--measure compares two versions; "
							     "rarog run --commit measures a "
							     "range"));
	if (args.html && strcmp(args.html, "-") == 0)
		return rarog_usage_error(rarog_fail(-EINVAL, "--html needs a file; rarog report "
							     "BASE TARGET -o - writes the page to "
							     "standard output"));
	s.check.is_forced = args.force;
	r = rarog_option_choice_read(&args.now.job.choice);
	if (r == 0)
		r = choose_rules(&s);
	if (r == 0 && args.measure)
		r = try_outputs(&args);
	if (r == 0)
		r = rarog_project_open(context,
				       args.history ? RAROG_NEED_STORE : RAROG_NEED_STORE_IF_ANY,
				       &s.check.project);
	if (r == 0 && !args.measure)
		r = rarog_option_choice_apply(&args.now.job.choice, &s.check.project);
	s.check.project.jobs = &args.now.names;
	if (r == 0 && args.method.n == 0 && args.set.n == 0)
		r = rarog_strategies_read(s.check.project.settings, &s.check.strategies);
	if (r == 0)
		r = args.history ? check_history(&s, n, argv + first) : check(&s, n, argv + first);
	rarog_option_choice_release(&args.now.job.choice);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_check = {
	.name = "check",
	.summary = "say what got slower between two versions, by how much, and how sure that is",
	.usage = "[OPTION…] [BASE [TARGET]] | --measure [BASE [TARGET]] | --all RANGE | "
		 "--history [RANGE]",
	.description =
		"Compares all runs of a version with all runs of another, job by job: the time of "
		"the whole program if runs without probes were made, and the time of every "
		"function that has a large enough part. A change is reported if chance alone does "
		"not explain it and it is larger than what matters (2 %). If the runs do not tell, "
		"that is said, with the number of runs needed, and nothing is guessed. If versions "
		"were measured one after the other and not by turns, changes of times are at most "
		"\"maybe\", unless five or more sittings of the job say how much the machine "
		"changes in between. The same program (programs, libraries and the files that it "
		"opens) has not changed, unless numbers of calls differ in every run. New "
		"functions that make the run longer are \"maybe\" if no run without probes says "
		"more.\n"
		"\n"
		"BASE and TARGET are versions (all their profiles that were measured without "
		"uncommitted changes), profiles as in rarog show, several profiles (0@i-9@i), or a "
		"directory of profile files, written with a slash. TARGET defaults to HEAD. BASE "
		"defaults to the newest ancestor tagged stable (rarog tag stable REV), else to "
		"where the branch left the main branch, else to the nearest ancestor with a "
		"profile of the same job on the same class of machine.\n"
		"\n"
		"Profiles of blocks (rarog collect blocks) are compared exactly: if two runs of a "
		"version agree, every difference of at least 0.05 % of the program's instructions "
		"is a change, and the blocks that made it are named. If they do not agree, that is "
		"said.\n"
		"\n"
		"The growth of cost is compared, too: with the values that calls were given, if "
		"both versions have captured them (rarog collect --args), and over jobs that "
		"differ in the number of their workload, or in the value of an option, if there "
		"are three or more. A function, or the program, whose class of growth has changed "
		"is named with both formulas, for runs with the job of the largest workload.\n"
		"\n"
		"Other methods (--methods lists them) compare one sum, or one model of time by "
		"input, with one other, and know nothing of chance. check.strategies in .rarog.yml "
		"says which method checks which profiles.\n"
		"\n"
		"With --measure both versions are built apart from the work tree and run now, in "
		"rounds: in each round both versions run every job, in random order. For every run "
		"the program is linked anew with other gaps between its objects, so that the place "
		"where code happens to lie is not taken for a change. Runs without probes are made "
		"in pairs, one of each version, both at once on one processor, if the program "
		"needs only one and can run beside itself: then a slow moment of the machine slows "
		"both. The measurement ends when the verdict is sure, after --runs rounds, or "
		"after --budget. With --until functions it goes on until each function that has a "
		"large enough part is decided; functions that are still undecided at the end are "
		"named. All profiles are kept. TARGET defaults to the work tree, that is, a copy "
		"with the changes that git commit -a would commit, and BASE then to HEAD: did this "
		"change make it slower? Its profiles are marked as measured with changes, and no "
		"verdict is kept. Without changes, TARGET is HEAD.\n"
		"\n"
		"With --html the same verdict is also written as a page, with every function "
		"before and now and a flame graph of the difference; rarog report BASE TARGET "
		"writes that page alone.\n"
		"\n"
		"What cannot be compared (another job, class of machine, collector, compiler or "
		"flags) is refused; --force compares it and marks the result.\n"
		"\n"
		"With --history every function is followed over all versions of the main line "
		"(first parents). It says at which version the function's time or number of calls "
		"moved to another level and stayed there. Single outliers and noise that is "
		"correlated from version to version are no changes. Several small steps in one "
		"direction are reported as such, and a steady drift as maybe; a regression that is "
		"mended after three versions is one step up and one down. For a time, eight "
		"measured versions are needed, and three to five after the change. With another "
		"compiler, other flags, another kernel or machine a new series begins. A number of "
		"calls that hardly ever moves is compared exactly. Findings are kept, so that the "
		"next time only new versions are read. More calls alone count as maybe.\n"
		"\n"
		"Exit status: 0 nothing got slower, 1 something did, 2 wrong usage, 3 failure, "
		"also if a job could not be measured, 4 the runs do not tell, 128+N --measure was "
		"interrupted by signal N.",
	.examples = "rarog check\n"
		    "rarog check v1.2 HEAD --json\n"
		    "rarog check --all v1.0..HEAD\n"
		    "rarog check --history HEAD~20..\n"
		    "rarog check --measure\n"
		    "rarog check --measure HEAD~1 HEAD\n"
		    "rarog check old.rarog new.rarog\n"
		    "rarog check before/ after/ --fail-on maybe\n"
		    "rarog check HEAD~1 HEAD --html change.html",
	.options = options,
	.run = run,
};
