/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "events/rebuild.h"
#include "profile/away.h"
#include "view/cut.h"
#include "view/destination.h"
#include "view/term/show.h"

/* In the order of enum rarog_show_sort. */
static const char *const sorts[] = { "exclusive", "total", "count",        "mean", "max",
				     "name",      "cpu",   "instructions", NULL };

#define TREE_DEPTH 64 /* deeper is recursion, and --fold-recursion tells more of it */

struct args {
	bool tree, replay, by_binary, by_thread, json, csv, ascii, lines, fold;
	bool loops, paths, coverage;
	const char *callers, *callees, *blocks, *func, *columns, *min_share, *output;
	int sort;
	long limit, depth, thread, width;
	uint64_t min_time_ns, from_ns, to_ns;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("What to show (functions by time if nothing is said)"),
	RAROG_OPT_FLAG('t', "tree", struct args, tree, "the call tree, heaviest first"),
	RAROG_OPT_STRING(0, "callers", struct args, callers, "FUNC", "who calls FUNC, how often"),
	RAROG_OPT_STRING(0, "callees", struct args, callees, "FUNC", "what FUNC calls"),
	RAROG_OPT_FLAG('r', "replay", struct args, replay, "every call in the order of time"),
	RAROG_OPT_FLAG(0, "by-binary", struct args, by_binary, "one row a program or library"),
	RAROG_OPT_FLAG(0, "by-thread", struct args, by_thread, "one row a thread"),
	RAROG_OPT_STRING(0, "blocks", struct args, blocks, "FUNC",
			 "the basic blocks of FUNC: how often each ran, where it leads"),
	RAROG_OPT_FLAG(0, "loops", struct args, loops,
		       "loops by the instructions in them, how often entered, how many rounds"),
	RAROG_OPT_FLAG(
		0, "paths", struct args, paths,
		"paths through functions by the instructions on them, where they were counted"),
	RAROG_OPT_FLAG(0, "coverage", struct args, coverage,
		       "source files by how much of them ran: lines, branches, functions"),
	RAROG_OPT_GROUP("How much of it"),
	RAROG_OPT_STRING('f', "func", struct args, func, "PATTERN",
			 "only functions that match: a name, a glob or /regex/; in a replay what "
			 "runs below them too"),
	RAROG_OPT_CHOICE(
		's', "sort", struct args, sort, NULL, sorts,
		"order of the functions (exclusive; instructions of a profile of blocks; count "
		"where no times were measured)"),
	RAROG_OPT_INT('n', "limit", struct args, limit, "N", 0, 100000000,
		      "at most N rows, 0: all (20)"),
	RAROG_OPT_INT('d', "depth", struct args, depth, "N", 0, 100000000,
		      "tree, replay: at most N levels, 0: all (tree: 64)"),
	RAROG_OPT_STRING(0, "min-share", struct args, min_share, "P%",
			 "tree: only what takes at least this share (1%)"),
	RAROG_OPT_FLAG(0, "fold-recursion", struct args, fold,
		       "tree: a function that calls itself is one level"),
	RAROG_OPT_DURATION(0, "min-time", struct args, min_time_ns, "TIME",
			   "replay: only calls at least that long, and what called them"),
	RAROG_OPT_DURATION(0, "from", struct args, from_ns, "TIME",
			   "replay: begin TIME after the start of the run"),
	RAROG_OPT_DURATION(0, "to", struct args, to_ns, "TIME",
			   "replay: end TIME after the start of the run"),
	RAROG_OPT_INT(0, "thread", struct args, thread, "TID", 1, 0x7fffffff,
		      "functions, replay: of this thread only"),
	RAROG_OPT_GROUP("In which form"),
	RAROG_OPT_STRING(
		0, "columns", struct args, columns, "LIST",
		"functions: exclusive, share, total, calls, min, mean, p50, p99, max, "
		"histogram, binary, line, sum, open, unwound, samples (by width); of blocks: "
		"instructions, share, calls, per-call, executions, blocks, binary, machine, line"),
	RAROG_OPT_FLAG('l', "lines", struct args, lines, "show file and line of functions"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "the same facts for programs"),
	RAROG_OPT_FLAG(0, "csv", struct args, csv, "the same facts for spreadsheets"),
	RAROG_OPT_FLAG(0, "ascii", struct args, ascii, "no characters beyond ASCII"),
	RAROG_OPT_INT(0, "width", struct args, width, "N", 0, 100000,
		      "cut lines to N columns, 0: never (the terminal's)"),
	RAROG_OPT_STRING('o', "output", struct args, output, "FILE", "write to FILE"),
	RAROG_OPT_END,
};

struct view {
	int (*run)(struct rarog_show *show);
	const char *name;                            /* the option that asks for it */
	int (*check)(const struct rarog_show *show); /* before anything is written; may be NULL */
	int (*run_blocks)(struct rarog_show *show);  /* of a profile of blocks; NULL: it has none */
	const char *lack; /* why not where only what ran is known; NULL: it can nevertheless */
};

static const struct view functions = { rarog_show_functions, "", rarog_show_check_functions,
				       rarog_show_counts, NULL };

/* Which view was asked for; two at once are a mistake. */
static int choose_view(const struct args *args, struct view *ret_view)
{
	const struct {
		bool is_wanted;
		struct view view;
	} views[] = {
		{ args->tree, { rarog_show_tree, "--tree", rarog_show_check_tree, NULL, NULL } },
		{ args->replay,
		  { rarog_show_replay, "--replay", rarog_show_check_replay, NULL, NULL } },
		{ args->callers != NULL,
		  { rarog_show_callers, "--callers", rarog_show_check_tree, NULL, NULL } },
		{ args->callees != NULL,
		  { rarog_show_callees, "--callees", rarog_show_check_tree, NULL, NULL } },
		{ args->by_binary,
		  { rarog_show_binaries, "--by-binary", NULL, rarog_show_counts_by_binary, NULL } },
		{ args->by_thread, { rarog_show_threads, "--by-thread", NULL, NULL, NULL } },
		{ args->blocks != NULL, { NULL, "--blocks", NULL, rarog_show_blocks, NULL } },
		{ args->loops,
		  { NULL, "--loops", NULL, rarog_show_loops,
		    "no ways between blocks, so no loops" } },
		{ args->paths,
		  { NULL, "--paths", NULL, rarog_show_paths,
		    "no ways between blocks, so no paths" } },
		{ args->coverage,
		  { NULL, "--coverage", NULL, rarog_show_coverage,
		    "nothing of what did not run" } },
	};

	*ret_view = functions;
	for (size_t i = 0; i < RAROG_COUNT(views); i++) {
		if (!views[i].is_wanted)
			continue;
		if (ret_view->run != rarog_show_functions)
			return rarog_fail(-EINVAL, "%s and %s do not go together", ret_view->name,
					  views[i].view.name);
		*ret_view = views[i].view;
	}
	return 0;
}

static int parse_share(const char *text, double *ret_share)
{
	char *end;
	double percent = strtod(text, &end);

	end += strspn(end, " ");
	if (end == text || (*end && strcmp(end, "%") != 0) || !(percent >= 0 && percent <= 100))
		return rarog_fail(-EINVAL, "--min-share: '%s' is no percentage (0%% to 100%%)",
				  text);
	*ret_share = percent / 100;
	return 0;
}

static int check_args(const struct args *args)
{
	bool is_table = !args->tree && !args->callers && !args->callees && !args->by_binary &&
			!args->by_thread && !args->replay && !args->blocks && !args->loops &&
			!args->paths && !args->coverage;

	if (args->json && args->csv)
		return rarog_fail(-EINVAL, "--json and --csv do not go together");
	if (args->thread && !is_table && !args->replay)
		return rarog_fail(-EINVAL, "--thread goes with the function table and --replay; "
					   "the call tree is kept over all threads");
	if (args->func && (args->callers || args->callees || args->blocks))
		return rarog_fail(-EINVAL, "--callers, --callees and --blocks name their function "
					   "themselves; leave out --func");
	if (args->to_ns && args->to_ns <= args->from_ns)
		return rarog_fail(-EINVAL, "--to must be later than --from");
	return 0;
}

static enum rarog_sheet_format format_of(const struct args *args)
{
	if (args->json)
		return RAROG_SHEET_JSON;
	return args->csv ? RAROG_SHEET_CSV : RAROG_SHEET_TABLE;
}

/* A terminal's lines are cut to its width; what goes into a file or a pipe keeps all its text. */
static int set_options(const struct rarog_context *context, const struct args *args,
		       struct rarog_show_options *to)
{
	bool is_terminal = isatty(STDOUT_FILENO) && !args->output;

	*to = (struct rarog_show_options){
		.format = format_of(args),
		.ascii = args->ascii || !rarog_utf8_is_spoken(),
		.colour = context->colour && !args->output,
		.width = args->width >= 0 ? (int)args->width
			 : is_terminal    ? context->width
					  : 0,
		.columns_width = args->width > 0 ? (int)args->width : context->width,
		.lines = args->lines,
		.fold_recursion = args->fold,
		.sort = (enum rarog_show_sort)args->sort,
		.limit = (size_t)args->limit,
		.columns = args->columns,
		.has_tid = args->thread > 0,
		.tid = (uint32_t)args->thread,
		.depth = (size_t)args->depth,
		.min_share = 0.01,
		.min_time_ns = args->min_time_ns,
		.from_ns = args->from_ns,
		.to_ns = args->to_ns,
		.func_text = args->callers   ? args->callers
			     : args->callees ? args->callees
			     : args->blocks  ? args->blocks
					     : args->func,
	};
	/* programs want everything unless they say otherwise */
	if (args->limit < 0)
		to->limit = to->format == RAROG_SHEET_TABLE ? 20 : 0;
	if (args->depth < 0)
		to->depth = to->format == RAROG_SHEET_TABLE && args->tree ? TREE_DEPTH : 0;
	if (to->format != RAROG_SHEET_TABLE)
		to->min_share = 0;
	return args->min_share ? parse_share(args->min_share, &to->min_share) : 0;
}

/* The time collector knows nothing of functions. */
static int whole_program(struct view *view, const struct rarog_show *show)
{
	if (view->run != rarog_show_functions || show->options.func)
		return rarog_fail(-ENODATA,
				  "%s: %s measures the whole program; rarog collect trace does so "
				  "with its functions",
				  show->options.func ? "--func" : view->name,
				  rarog_profile_path(show->run.profile));
	view->run = rarog_show_amounts;
	view->check = NULL;
	return 0;
}

static int refuse_counts(const struct view *view, const struct rarog_show *show)
{
	const char *path = rarog_profile_path(show->run.profile);

	return show->only_executed
		       ? rarog_fail(-ENODATA,
				    "%s: %s has sums of the whole run: nobody knows when, or in "
				    "which thread; "
				    "rarog collect trace --engine inline does",
				    view->name, path)
		       : rarog_fail(-ENODATA,
				    "%s: %s counts blocks: nobody knows who called what, or when; "
				    "rarog collect trace does",
				    view->name, path);
}

/* What the view can do depends on what was measured. */
static int adapt_view(struct view *view, struct rarog_show *show)
{
	int r = rarog_tally_read(show->run.profile, &show->tally);
	bool has_blocks = show->tally.n > 0;

	if (r < 0)
		return r;
	show->has_samples = rarog_run_counts_samples(show->run.profile);
	show->is_of_program = rarog_run_is_of_program(show->run.profile);
	show->only_executed = has_blocks && rarog_run_knows_only_executed(show->run.profile);
	if (show->is_of_program)
		return whole_program(view, show);
	if (has_blocks && !view->run_blocks && view->check == rarog_show_check_tree &&
	    rarog_run_has_contexts(show->run.profile))
		view->run_blocks = view->run;
	else if (has_blocks && !view->run_blocks)
		return refuse_counts(view, show);
	if (show->only_executed && view->lack)
		return rarog_fail(
			-ENODATA,
			"%s: %s is of the engine vex, which counts what runs: it knows %s; "
			"rarog collect blocks does, of what rarog cc compiled",
			view->name, rarog_profile_path(show->run.profile), view->lack);
	if (!has_blocks && !view->run)
		return rarog_fail(-ENODATA,
				  "%s: %s has no counts of blocks; rarog collect blocks "
				  "makes them",
				  view->name, rarog_profile_path(show->run.profile));
	if (has_blocks) {
		if (view->run != view->run_blocks)
			view->check = rarog_show_check_counts;
		view->run = view->run_blocks;
	}
	if (show->options.sort == RAROG_SORT_DEFAULT)
		show->options.sort = has_blocks        ? RAROG_SORT_INSTRUCTIONS
				     : show->has_times ? RAROG_SORT_EXCLUSIVE
						       : RAROG_SORT_COUNT;
	return 0;
}

static int show_profile(const struct view *view, struct rarog_show *show)
{
	int r = view->check ? view->check(show) : 0;

	if (r == -EINVAL)
		return rarog_usage_error(r);
	if (r == 0)
		r = rarog_show_has_func(show);
	if (r == 0)
		return rarog_show_missing(show);
	if (r > 0)
		r = rarog_show_begin(show);
	if (r == 0)
		r = view->run(show);
	return r < 0 ? r : rarog_show_end(show);
}

static int show_opened(struct rarog_profile *profile, const struct args *args, struct view *view,
		       struct rarog_show *show)
{
	struct rarog_destination to;
	int r = rarog_run_load(profile, &show->run);

	if (r == 0)
		r = rarog_show_settle(show);
	if (r == 0) {
		show->has_times = rarog_run_has_times(profile);
		r = adapt_view(view, show);
	}
	if (r == 0)
		r = rarog_away_is_known(profile);
	show->has_cpu = r > 0;
	if (r >= 0)
		r = rarog_destination_open(&to, args->output);
	if (r < 0)
		return r;
	show->out = to.stream;
	r = rarog_destination_close(&to, show_profile(view, show));
	return r == -EPIPE ? RAROG_EXIT_OK : r;
}

static int show_file(const char *path, const struct args *args, struct view *view,
		     struct rarog_show *show)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	int r = rarog_profile_open(path, &profile);

	if (r == 0)
		r = rarog_profile_rebuild(profile);
	if (r < 0)
		return r;
	r = show_opened(profile, args, view, show);
	if (!show->has_heading) /* which would say it */
		rarog_cut_warn(profile, "shown is", "");
	return r;
}

/* @text: what the user calls the profile, NULL: the newest. */
static int run_args(const struct rarog_context *context, const char *text, const struct args *args)
{
	rarog_cleanup(rarog_operand_release) struct rarog_operand operand = { 0 };
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	struct rarog_show show = { 0 };
	struct view view = functions;
	int r = check_args(args);

	if (r == 0)
		r = choose_view(args, &view);
	if (r == 0)
		r = set_options(context, args, &show.options);
	if (r == 0 && show.options.func_text) {
		r = rarog_match_include(&match, show.options.func_text);
		show.options.func = &match;
	}
	if (r < 0)
		return rarog_usage_error(r);
	r = rarog_operand_find(context, text, &operand);
	if (r == 0)
		r = show_file(operand.path, args, &view, &show);
	rarog_tally_release(&show.tally);
	return r;
}

static int show_run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .sort = RAROG_SORT_DEFAULT, .limit = -1, .depth = -1, .width = -1 };
	int first = rarog_options_parse(options, argc, argv, false, &args);

	if (first < 0)
		return rarog_usage_error(first);
	if (argc - first > 1)
		return rarog_usage_error(rarog_fail(-EINVAL, "one profile at a time"));
	return run_args(context, first < argc ? argv[first] : NULL, &args);
}

const struct rarog_command rarog_cmd_show = {
	.name = "show",
	.summary = "look at a profile: functions, call tree, callers, every call",
	.usage = "[OPTION…] [PROFILE]",
	.description =
		"Shows what a profile holds: a file, a profile of the project's store by number "
		"(0@i: the first of HEAD, 0@main, 0@p: a pending one), by the beginning of its "
		"hash or by a tag, the newest one of a commit (HEAD~3), or, if nothing is named, "
		"the newest one of all.\n"
		"\n"
		"Without options: the functions by the time they took "
		"themselves (exclusive of what they called), with their share of the whole, the "
		"time during which they were on the stack (total), the number of calls, and a "
		"histogram of durations on a logarithmic axis that all lines share. Times are "
		"times that passed; where the terminal is wide enough, cpu says how much of the "
		"exclusive time the thread was on a processor, and --columns has waited, "
		"preempted and cpu-total, too.\n"
		"\n"
		"Of a profile of samples (rarog collect sample) times are estimates: the share of "
		"the samples in which the function was running itself (exclusive) or on the stack "
		"(total). samples is the number of the latter; there are no calls to count and no "
		"durations.\n"
		"\n"
		"Of a profile of blocks (rarog collect blocks) it shows functions by the "
		"instructions that they executed themselves, --blocks, --loops, --paths and "
		"--coverage; it "
		"has no times and does not know who called. Of what --engine vex counted it shows "
		"functions and --blocks, of what ran only, and who called: --tree, --callers, "
		"--callees. Where it counted accesses, loads and stores are columns, with their "
		"bytes if the terminal is wide or --columns has load-bytes and store-bytes.\n"
		"\n"
		"Asked for a function that has no calls because the compiler inlined it, it says "
		"into which functions.",
	.examples =
		"rarog show                                     the newest profile of the store\n"
		"rarog show HEAD~3                              the newest of three commits ago\n"
		"rarog show prof.rarog                          functions by exclusive time\n"
		"rarog show --sort count -n 50 prof.rarog       the fifty called most often\n"
		"rarog show --sort cpu --columns exclusive,cpu,waited,preempted prof.rarog\n"
		"rarog show --tree --min-share 5% prof.rarog    the heavy part of the call tree\n"
		"rarog show --replay --min-time 1ms prof.rarog  calls of a millisecond and more\n"
		"rarog show --blocks parse prof.rarog           how often each block of parse ran\n"
		"rarog show --loops -f 'sort*' prof.rarog       loops and their rounds\n"
		"rarog show --json prof.rarog                   for programs",
	.options = options,
	.run = show_run,
};
