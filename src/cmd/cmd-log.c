/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A commit at a time, as git's walk delivers it: the first line is there before the history has
 * been read. What a commit carries is asked when it is printed.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/commands.h"
#include "cmd/log-chart.h"
#include "cmd/option-choice.h"
#include "cmd/project.h"
#include "view/history/commits.h"

struct args {
	bool oneline, json, first_parent, reverse, measured, profiles, graph;
	const char *format, *metric, *job;
	const char *after_graph; /* a version, or what is to be drawn */
	struct rarog_option_choice options;
	long limit;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("Which commits"),
	RAROG_OPT_INT('n', "limit", struct args, limit, "N", 0, 100000000,
		      "at most N commits; 0: all"),
	RAROG_OPT_FLAG('m', "measured", struct args, measured, "only commits that have profiles"),
	RAROG_OPT_FLAG(0, "first-parent", struct args, first_parent,
		       "follow only the first parent of merges"),
	RAROG_OPT_FLAG(0, "reverse", struct args, reverse, "list from old to new"),
	RAROG_OPTION_CHOICE(struct args, options,
			    "only profiles whose program ran with this option; may be repeated"),
	RAROG_OPT_GROUP("In which form"),
	RAROG_OPT_FLAG('1', "oneline", struct args, oneline, "print a line for each commit"),
	RAROG_OPT_FLAG('p', "profiles", struct args, profiles, "list the profiles, too"),
	RAROG_OPT_FLAG(0, "graph", struct args, graph,
		       "draw the branches (default where they can be drawn; --no-graph)"),
	RAROG_OPT_STRING(
		0, "metric", struct args, metric, "METRIC",
		"draw METRIC over the measured versions, with its changes: wall, cpu, FUNCTION, "
		"FUNCTION:inclusive, FUNCTION:cpu, FUNCTION:waited, FUNCTION:calls; of blocks "
		"instructions, FUNCTION:instructions; also --graph=METRIC"),
	RAROG_OPT_STRING(0, "job", struct args, job, "TEXT",
			 "only the profiles of the job that is called TEXT, or whose command line "
			 "contains TEXT; with METRIC, the job that is drawn (default: the one that "
			 "most versions have)"),
	RAROG_OPT_STRING(
		0, "format", struct args, format, "TEMPLATE",
		"print each commit as a line of %checksum%, %desc%, %stats%, %changes%, %date%, "
		"%author%, %email%, %parents%, %profiles%, %jobs%, %bytes%; %checksum:8% has 8 "
		"columns"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the same facts as JSON"),
	RAROG_OPT_END,
};

struct log {
	const struct args *args;
	struct rarog_project project;
	uint64_t left; /* commits still to print, UINT64_MAX: no limit */
	struct rarog_log_view view;
};

static void log_release(struct log *log)
{
	rarog_graph_release(&log->view.graph);
	rarog_jobs_apart_release(&log->view.jobs);
	rarog_project_release(&log->project);
}

#define ENOUGH 1 /* ends the walk */

static int visit(const struct rarog_commit *commit, void *user)
{
	struct log *log = user;
	struct rarog_load load;
	const struct rarog_record_filter of = { .options = log->project.options,
						.job = log->args->job };
	int r = rarog_version_load(log->project.store, commit->name, &of, &load);

	if (r < 0)
		return r;
	if (log->args->measured && load.profiles == 0)
		return 0;
	if (log->left == 0)
		return ENOUGH;
	log->left--;
	r = rarog_log_commit(&log->view, commit, &load);
	if (r == -EINVAL && log->args->format)
		return rarog_usage_error(r);
	if (r == 0 && ferror(stdout))
		return ENOUGH; /* the reader is gone; main() says so if it is an error */
	return r;
}

static int check_job(const struct log *log)
{
	const struct rarog_record_filter of = { .job = log->args->job };

	if (!log->args->job || rarog_record_count(log->project.store, &of) != 0)
		return 0;
	return rarog_fail(-ENODATA,
			  "--job: no profile is of a job that is called '%s', or whose "
			  "command line has that; rarog log --profiles lists them",
			  log->args->job);
}

static int walk(struct log *log, const struct rarog_walk *walk)
{
	int r;

	rarog_log_begin(&log->view);
	r = rarog_vcs_walk(log->project.vcs, walk, visit, log);
	return r < 0 ? r : rarog_log_end(&log->view);
}

static int draw_metric(const struct rarog_context *context, const struct args *args,
		       const struct rarog_walk *what)
{
	const struct rarog_log_chart how = { context,    args->metric,
					     what,       (uint64_t)args->limit,
					     args->json, &args->options,
					     args->job };

	if (args->format || args->oneline || args->profiles)
		return rarog_usage_error(rarog_fail(-EINVAL, "a metric is drawn; it has no lines "
							     "to be given a format"));
	return rarog_log_chart(&how);
}

/* "--graph NAME": is it a version's? */
static bool is_version(const struct log *log, const char *name)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };

	if (strstr(name, "..") || rarog_vcs_resolve(log->project.vcs, name, &commit) == 0)
		return true;
	rarog_error_clear();
	return false;
}

static int run_log(const struct rarog_context *context, struct args *args, struct rarog_walk *what)
{
	rarog_cleanup(log_release) struct log log = {
		.args = args,
		.left = args->limit > 0 ? (uint64_t)args->limit : UINT64_MAX,
	};
	int r = rarog_project_open(context, RAROG_NEED_STORE, &log.project);

	if (r == 0)
		r = rarog_option_choice_apply(&args->options, &log.project);
	if (r == 0)
		r = check_job(&log);
	if (r < 0)
		return r;
	if (args->after_graph && !is_version(&log, args->after_graph)) {
		args->metric = args->after_graph;
		what->from++;
		what->n_from--;
		return draw_metric(context, args, what);
	}
	what->first_parent = args->first_parent;
	what->reverse = args->reverse;
	if (!args->measured && args->limit > 0)
		what->limit = (uint64_t)args->limit;
	log.view = (struct rarog_log_view){
		.vcs = log.project.vcs,
		.store = log.project.store,
		.out = stdout,
		.is_json = args->json,
		.is_short = args->oneline,
		.format = args->format,
		.with_profiles = args->profiles,
		.options = log.project.options,
		.job = args->job,
		.order = rarog_project_scope(&log.project).order,
		/* parents that are left out would leave call buffers without an end */
		.draws = args->graph && !args->measured && !args->reverse && what->n_paths == 0,
		.width = isatty(STDOUT_FILENO) ? context->width : 0,
		.colour = context->colour,
		.graph.first_parent = args->first_parent,
	};
	return walk(&log, what);
}

/* What stands after "--" are paths; the option parser would drop the dashes. */
static int split_paths(int argc, char **argv, struct rarog_walk *what)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		what->paths = (const char *const *)argv + i + 1;
		what->n_paths = (size_t)(argc - i - 1);
		return i;
	}
	return argc;
}

/* @word, if it is one of @words; else it is none, but an option. */
static void put_first(int n, char *words[], const char **word)
{
	int i = 0;

	while (i < n && words[i] != *word)
		i++;
	if (i == n) {
		*word = NULL;
		return;
	}
	words[i] = words[0];
	words[0] = (char *)(uintptr_t)*word;
}

static int log_args(const struct rarog_context *context, int argc, char **argv, struct args *args,
		    struct rarog_walk *what)
{
	int first = rarog_options_parse(options, argc, argv, false, args), r;

	if (first < 0)
		return rarog_usage_error(first);
	if (args->json && args->format)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "--json and --format do not go together"));
	r = rarog_option_choice_read(&args->options);
	if (r < 0)
		return r;
	what->from = (const char *const *)argv + first;
	what->n_from = (size_t)(argc - first);
	put_first(argc - first, argv + first, &args->after_graph);
	return args->metric ? draw_metric(context, args, what) : run_log(context, args, what);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .graph = true };
	struct rarog_walk what = { 0 };
	int r;

	argc = split_paths(argc, argv, &what);
	if (rarog_log_take_metric(argc, argv, &args.after_graph) < 0)
		return -ENOMEM;
	r = log_args(context, argc, argv, &args, &what);
	rarog_option_choice_release(&args.options);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_log = {
	.name = "log",
	.summary = "the history of commits with the profiles they carry",
	.usage = "[OPTION…] [REV | A..B]… [-- PATH…]",
	.description =
		"Lists commits from new to old, beginning at HEAD or at the revisions and ranges "
		"given (as git names them), each with the number of its profiles by collector, "
		"its jobs, the size of the profiles, runs that failed, and the worst verdict of "
		"rarog check with the number of changes it found. With paths, only commits that "
		"touch them.\n"
		"\n"
		"With --metric (or --graph) and the name of an amount, the amount is drawn "
		"instead, over the measured versions of the main line: the time of the program "
		"(wall), or of a function, or its calls. Levels are drawn as lines and changes as "
		"marks; the changes are listed below.\n"
		"\n"
		"Without git, labels take the place of commits.",
	.examples = "rarog log -n 20\n"
		    "rarog log --oneline v1.0..main\n"
		    "rarog log --measured --profiles\n"
		    "rarog log --job parse --measured\n"
		    "rarog log --graph parse:exclusive -n 200\n"
		    "rarog log --format '%checksum:8% %profiles:4% %desc%' -- src/parse.c",
	.options = options,
	.run = run,
};
