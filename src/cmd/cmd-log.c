/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A commit at a time, as git's walk delivers it: the first line is there before the history has
 * been read. What a commit carries is asked when it is printed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/table.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/log-chart.h"
#include "cmd/project.h"
#include "store/template.h"
#include "store/version.h"
#include "view/history/graph.h"
#include "view/history/records.h"
#include "view/names.h"

struct args {
	bool oneline, json, first_parent, reverse, measured, profiles, graph;
	const char *format, *metric;
	long limit;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("Which commits"),
	RAROG_OPT_INT('n', "limit", struct args, limit, "N", 0, 100000000,
		      "at most N commits; 0: all"),
	RAROG_OPT_FLAG('m', "measured", struct args, measured, "only those that have profiles"),
	RAROG_OPT_FLAG(0, "first-parent", struct args, first_parent,
		       "follow only the first parent of merges"),
	RAROG_OPT_FLAG(0, "reverse", struct args, reverse, "from old to new"),
	RAROG_OPT_GROUP("In which form"),
	RAROG_OPT_FLAG('1', "oneline", struct args, oneline, "a line each"),
	RAROG_OPT_FLAG('p', "profiles", struct args, profiles, "list the profiles, too"),
	RAROG_OPT_FLAG(0, "graph", struct args, graph,
		       "draw the branches (default where they can be drawn; --no-graph)"),
	RAROG_OPT_STRING(
		0, "metric", struct args, metric, "METRIC",
		"draw METRIC over the measured versions, with its changes: wall, cpu, FUNCTION, "
		"FUNCTION:inclusive, FUNCTION:cpu, FUNCTION:waited, FUNCTION:calls; of blocks "
		"instructions, FUNCTION:instructions; also --graph "
		"METRIC"),
	RAROG_OPT_STRING(
		0, "format", struct args, format, "TEMPLATE",
		"a line each of %checksum%, %desc%, %stats%, %changes%, %date%, %author%, "
		"%email%, %parents%, %profiles%, %jobs%, %bytes%; %checksum:8% has 8 columns"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "the same facts for programs"),
	RAROG_OPT_END,
};

struct log {
	const struct rarog_context *context;
	const struct args *args;
	struct rarog_project project;
	struct rarog_graph graph;
	bool draws;
	uint64_t left; /* commits still to print, UINT64_MAX: no limit */
	struct rarog_json json;
};

static void log_release(struct log *log)
{
	rarog_graph_release(&log->graph);
	rarog_project_release(&log->project);
}

/* --- words --- */

static const char *style_on(const struct log *log, enum rarog_style style)
{
	return log->context->colour ? rarog_style_on(style) : "";
}

static const char *style_off(const struct log *log, enum rarog_style style)
{
	return log->context->colour ? rarog_style_off(style) : "";
}

static enum rarog_style style_of(const char *verdict)
{
	static const struct {
		const char *verdict;
		enum rarog_style style;
	} styles[] = { { "degradation", RAROG_STYLE_RED },
		       { "maybe", RAROG_STYLE_YELLOW },
		       { "improvement", RAROG_STYLE_GREEN } };

	for (size_t i = 0; i < RAROG_COUNT(styles); i++)
		if (strcmp(styles[i].verdict, verdict) == 0)
			return styles[i].style;
	return RAROG_STYLE_DIM;
}

/* "3 profiles (trace 2, time 1), 2 jobs, 9.4 KiB" */
static int add_stats(const struct rarog_load *load, bool brief, struct rarog_str *text)
{
	int r = rarog_str_addf(text, "%llu profile%s", (unsigned long long)load->profiles,
			       rarog_plural(load->profiles));

	for (size_t i = 0; r == 0 && !brief && i < load->n_collectors; i++)
		r = rarog_str_addf(text, "%s%s %llu%s", i == 0 ? " (" : ", ",
				   load->collectors[i].name,
				   (unsigned long long)load->collectors[i].profiles,
				   i + 1 == load->n_collectors ? ")" : "");
	if (r == 0 && !brief)
		r = rarog_str_addf(text, ", %llu job%s", (unsigned long long)load->jobs,
				   rarog_plural(load->jobs));
	if (r == 0)
		r = rarog_str_addf(text, ", %s", rarog_format_bytes(load->bytes).text);
	if (r == 0 && load->machines > 1)
		r = rarog_str_addf(text, ", %llu machines", (unsigned long long)load->machines);
	if (r == 0 && load->dirty > 0)
		r = rarog_str_addf(text, ", %llu changed", (unsigned long long)load->dirty);
	return r < 0 ? rarog_oom() : 0;
}

/* "degradation: 3 changes" */
static int add_verdict(const struct log *log, const struct rarog_load *load, struct rarog_str *text)
{
	enum rarog_style style = style_of(load->verdict);
	int r = rarog_str_addf(text, "%s%s%s", style_on(log, style), load->verdict,
			       style_off(log, style));

	if (r == 0 && load->changes > 0)
		r = rarog_str_addf(text, ": %llu change%s", (unsigned long long)load->changes,
				   rarog_plural(load->changes));
	return r < 0 ? rarog_oom() : 0;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* --- lines for people --- */

/* The subject gives way when the terminal is narrow. What authors wrote is not trusted with escape
 * sequences. */
static void print_line(const struct log *log, const char *graph, const char *head,
		       const char *subject, const char *tail)
{
	int used =
		rarog_utf8_columns(graph) + rarog_utf8_columns(head) + 2 + rarog_utf8_columns(tail);
	int room = log->context->width - used;

	if (!isatty(STDOUT_FILENO))
		room = INT_MAX;
	printf("%s%s%s%s ", graph, style_on(log, RAROG_STYLE_YELLOW), head,
	       style_off(log, RAROG_STYLE_YELLOW));
	rarog_utf8_print(stdout, subject, room > 20 ? room : 20);
	printf("%s%s", *tail ? " " : "", tail);
}

static int print_oneline(struct log *log, const struct rarog_commit *commit,
			 const struct rarog_load *load, const char *graph)
{
	rarog_cleanup(rarog_str_release) struct rarog_str tail = { 0 }, verdict = { 0 };
	int r = 0;

	if (load->profiles > 0) {
		rarog_str_add_char(&tail, '[');
		r = add_stats(load, true, &tail);
		rarog_str_add_char(&tail, ']');
	}
	print_line(log, graph, rarog_short_name(log->project.vcs, commit->name).text,
		   or_empty(commit->subject), rarog_str_text(&tail));
	if (r == 0 && *load->verdict) {
		r = add_verdict(log, load, &verdict);
		printf(" %s", rarog_str_text(&verdict));
	}
	putchar('\n');
	return r;
}

/* The profiles of a commit, a line each. */
struct list {
	struct log *log;
	const char *graph;
};

static int print_profile(const struct rarog_record *record, void *user)
{
	const struct list *list = user;
	rarog_cleanup(rarog_str_release) struct rarog_str notes = { 0 };
	int r = rarog_record_notes(record, NULL, &notes);

	printf("%s  %s %s %s %s%s%s %s%s%s\n", list->graph,
	       rarog_short_object(&record->object).text, rarog_date_of(record->started_ns).text,
	       or_empty(record->collector), or_empty(record->command),
	       record->arguments && *record->arguments ? " " : "", or_empty(record->arguments),
	       rarog_format_bytes(record->bytes).text, notes.length > 0 ? " " : "",
	       rarog_str_text(&notes));
	return r;
}

static int print_profiles(struct log *log, const char *version, const char *graph)
{
	const struct rarog_record_filter filter = {
		.version = version, .order = rarog_project_scope(&log->project).order
	};
	struct list list = { log, graph };

	if (!log->args->profiles)
		return 0;
	return rarog_record_each(log->project.store, &filter, print_profile, &list);
}

static int print_full(struct log *log, const struct rarog_commit *commit,
		      const struct rarog_load *load, const char *graph, const char *rest)
{
	rarog_cleanup(rarog_str_release) struct rarog_str stats = { 0 }, verdict = { 0 };
	rarog_cleanup(rarog_freep) char *head =
		rarog_asprintf("%s %s", rarog_short_name(log->project.vcs, commit->name).text,
			       rarog_day_of(commit->commit_time).text);
	int r = head ? 0 : rarog_oom();

	if (r < 0)
		return r;
	print_line(log, graph, head, or_empty(commit->subject), "");
	putchar('\n');
	if (load->profiles > 0) {
		r = add_stats(load, false, &stats);
		printf("%s  %s\n", rest, rarog_str_text(&stats));
	}
	if (load->attempts_failed > 0)
		printf("%s  %llu failed run%s\n", rest, (unsigned long long)load->attempts_failed,
		       rarog_plural(load->attempts_failed));
	if (r == 0 && *load->verdict) {
		r = add_verdict(log, load, &verdict);
		printf("%s  %s\n", rest, rarog_str_text(&verdict));
	}
	return r;
}

/* --- a template --- */

static int add_parents(const struct rarog_commit *commit, struct rarog_str *text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < commit->n_parents; i++)
		r = rarog_str_addf(text, "%s%.10s", i > 0 ? " " : "", commit->parents[i]);
	return r;
}

static int print_format(struct log *log, const struct rarog_commit *commit,
			const struct rarog_load *load, const char *graph)
{
	rarog_cleanup(rarog_str_release) struct rarog_str stats = { 0 }, parents = { 0 },
							  line = { 0 };
	char profiles[24], jobs[24], bytes[24], changes[64];
	const struct rarog_day day = rarog_day_of(commit->commit_time);
	const struct rarog_template_tag tags[] = {
		{ "checksum", commit->name },
		{ "desc", or_empty(commit->subject) },
		{ "stats", (add_stats(load, false, &stats), rarog_str_text(&stats)) },
		{ "changes", changes },
		{ "date", day.text },
		{ "author", or_empty(commit->author) },
		{ "email", or_empty(commit->email) },
		{ "parents", (add_parents(commit, &parents), rarog_str_text(&parents)) },
		{ "profiles", profiles },
		{ "jobs", jobs },
		{ "bytes", bytes },
		{ "tree", or_empty(commit->tree) },
	};
	int r;

	snprintf(profiles, sizeof(profiles), "%llu", (unsigned long long)load->profiles);
	snprintf(jobs, sizeof(jobs), "%llu", (unsigned long long)load->jobs);
	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)load->bytes);
	snprintf(changes, sizeof(changes), "%s%s%llu", load->verdict, *load->verdict ? " " : "",
		 (unsigned long long)load->changes);
	r = rarog_template_line(log->args->format, RAROG_COUNT(tags), tags, &line);
	if (r < 0)
		return rarog_usage_error(r);
	printf("%s", graph);
	rarog_utf8_print(stdout, rarog_str_text(&line), INT_MAX);
	putchar('\n');
	return 0;
}

/* --- for programs --- */

static int write_profile(const struct rarog_record *record, void *user)
{
	rarog_record_json(user, NULL, record);
	return 0;
}

static int write_commit(struct log *log, const struct rarog_commit *commit,
			const struct rarog_load *load)
{
	const struct rarog_record_filter filter = { .version = commit->name };
	struct rarog_json *json = &log->json;
	int r = 0;

	rarog_json_object(json, NULL);
	rarog_json_string(json, "version", commit->name);
	rarog_json_string(json, "tree", commit->tree);
	rarog_json_array(json, "parents");
	for (size_t i = 0; i < commit->n_parents; i++)
		rarog_json_string(json, NULL, commit->parents[i]);
	rarog_json_end_array(json);
	rarog_json_string(json, "author", commit->author);
	rarog_json_string(json, "email", commit->email);
	rarog_json_int(json, "author_time_s", commit->author_time);
	rarog_json_int(json, "commit_time_s", commit->commit_time);
	rarog_json_string(json, "subject", commit->subject);
	rarog_json_uint(json, "n_profiles", load->profiles);
	rarog_json_uint(json, "n_jobs", load->jobs);
	rarog_json_uint(json, "n_machines", load->machines);
	rarog_json_uint(json, "n_dirty", load->dirty);
	rarog_json_uint(json, "n_failed", load->attempts_failed);
	rarog_json_uint(json, "bytes", load->bytes);
	rarog_json_object(json, "collectors");
	for (size_t i = 0; i < load->n_collectors; i++)
		rarog_json_uint(json, load->collectors[i].name, load->collectors[i].profiles);
	rarog_json_end_object(json);
	rarog_json_string(json, "verdict", *load->verdict ? load->verdict : NULL);
	rarog_json_uint(json, "changes", load->changes);
	if (log->args->profiles) {
		rarog_json_array(json, "profiles");
		r = rarog_record_each(log->project.store, &filter, write_profile, json);
		rarog_json_end_array(json);
	}
	rarog_json_end_object(json);
	return r;
}

/* --- the walk --- */

static int print_commit(struct log *log, const struct rarog_commit *commit,
			const struct rarog_load *load)
{
	rarog_cleanup(rarog_str_release) struct rarog_str above = { 0 }, line = { 0 }, rest = { 0 },
							  below = { 0 };
	int r = 0;

	if (log->draws)
		r = rarog_graph_commit(&log->graph, commit, &above, &line);
	if (log->draws && r == 0)
		r = rarog_graph_rest(&log->graph, &rest);
	if (r < 0)
		return r;
	fputs(rarog_str_text(&above), stdout);
	if (log->args->format)
		r = print_format(log, commit, load, rarog_str_text(&line));
	else if (log->args->oneline)
		r = print_oneline(log, commit, load, rarog_str_text(&line));
	else
		r = print_full(log, commit, load, rarog_str_text(&line), rarog_str_text(&rest));
	if (r == 0)
		r = print_profiles(log, commit->name, rarog_str_text(&rest));
	if (log->draws && r == 0)
		r = rarog_graph_next(&log->graph, commit, &below);
	fputs(rarog_str_text(&below), stdout);
	return r;
}

#define ENOUGH 1 /* ends the walk */

static int visit(const struct rarog_commit *commit, void *user)
{
	struct log *log = user;
	struct rarog_load load;
	int r = rarog_version_load(log->project.store, commit->name, NULL, &load);

	if (r < 0)
		return r;
	if (log->args->measured && load.profiles == 0)
		return 0;
	if (log->left == 0)
		return ENOUGH;
	log->left--;
	r = log->args->json ? write_commit(log, commit, &load) : print_commit(log, commit, &load);
	if (r == 0 && ferror(stdout))
		return ENOUGH; /* nobody reads on; main() says so if it is an error */
	return r;
}

static int walk(struct log *log, const struct rarog_walk *walk)
{
	int r;

	if (log->args->json) {
		rarog_json_start(&log->json, stdout, true);
		rarog_json_object(&log->json, NULL);
		rarog_json_array(&log->json, "commits");
	}
	r = rarog_vcs_walk(log->project.vcs, walk, visit, log);
	if (r < 0 || !log->args->json)
		return r < 0 ? r : 0;
	rarog_json_end_array(&log->json);
	rarog_json_end_object(&log->json);
	return rarog_json_finish(&log->json);
}

static int run_log(const struct rarog_context *context, const struct args *args,
		   struct rarog_walk *what)
{
	rarog_cleanup(log_release) struct log log = {
		.context = context,
		.args = args,
		.left = args->limit > 0 ? (uint64_t)args->limit : UINT64_MAX,
		.graph.first_parent = args->first_parent,
		/* parents that are left out would leave lanes without an end */
		.draws = args->graph && !args->measured && !args->reverse && what->n_paths == 0,
	};
	int r = rarog_project_open(context, RAROG_NEED_STORE, &log.project);

	what->first_parent = args->first_parent;
	what->reverse = args->reverse;
	if (!args->measured && args->limit > 0)
		what->limit = (uint64_t)args->limit;
	return r < 0 ? r : walk(&log, what);
}

/* What stands behind "--" are paths; the option parser would drop the dashes. */
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

static int draw_metric(const struct rarog_context *context, const struct args *args,
		       const struct rarog_walk *what)
{
	const struct rarog_log_chart how = { context, args->metric, what, (uint64_t)args->limit,
					     args->json };

	if (args->format || args->oneline || args->profiles)
		return rarog_usage_error(rarog_fail(-EINVAL, "a metric is drawn; it has no lines "
							     "to be given a format"));
	return rarog_log_chart(&how);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .graph = true };
	struct rarog_walk what = { 0 };
	int first;

	argc = split_paths(argc, argv, &what);
	if (rarog_log_take_metric(argc, argv) < 0)
		return -ENOMEM;
	first = rarog_options_parse(options, argc, argv, false, &args);
	if (first < 0)
		return rarog_usage_error(first);
	if (args.json && args.format)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "--json and --format do not go together"));
	what.from = (const char *const *)argv + first;
	what.n_from = (size_t)(argc - first);
	return args.metric ? draw_metric(context, &args, &what) : run_log(context, &args, &what);
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
		"With --metric (or --graph) and the name of an amount, that is drawn instead, over "
		"the measured versions of the main line: the time of the program (wall), or of a "
		"function, or its calls. Its levels are lines, its changes marks, listed below.\n"
		"\n"
		"Without git, the labels stand for commits.",
	.examples = "rarog log -n 20\n"
		    "rarog log --oneline v1.0..main\n"
		    "rarog log --measured --profiles\n"
		    "rarog log --graph parse:exclusive -n 200\n"
		    "rarog log --format '%checksum:8% %profiles:4% %desc%' -- src/parse.c",
	.options = options,
	.run = run,
};
