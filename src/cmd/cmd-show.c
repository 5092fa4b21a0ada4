/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cmd/commands.h"
#include "cmd/option-choice.h"
#include "cmd/project.h"
#include "events/rebuild.h"
#include "profile/off-cpu.h"
#include "store/derived.h"
#include "view/cut.h"
#include "view/destination.h"
#include "view/term/views.h"

/* In the order of enum rarog_show_sort. */
static const char *const sorts[] = { "exclusive", "total", "count",        "mean", "max",
				     "name",      "cpu",   "instructions", NULL };

/* In the order of enum rarog_markup after RAROG_MARKUP_NONE. */
static const char *const markups[] = { "markdown", "html", "latex", NULL };

struct args {
	struct rarog_views_asked views;
	bool json, csv, ascii, lines, fold, bars;
	struct rarog_strings funcs;
	const char *columns, *min_share, *output;
	int sort, tableof;
	long limit, depth, thread, width;
	uint64_t min_time_ns, from_ns, to_ns;
	struct rarog_option_choice options;
};

#define FLAG(letter, option, view, help)                                                           \
	RAROG_OPT_FLAG(letter, option, struct args, views.view, help),
#define FUNC(letter, option, view, help)                                                           \
	RAROG_OPT_STRING(letter, option, struct args, views.view, "FUNC", help),

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("What to show (functions by time if nothing is said)"),
	RAROG_VIEWS(FLAG, FUNC) /* a row each of view/term/views.h */
	RAROG_OPT_GROUP("How much of it"),
	RAROG_OPT_STRINGS('f', "func", struct args, funcs, "PATTERN",
			  "only functions that match: a name, a glob or /regex/; may be repeated; "
			  "in a replay also the calls below them"),
	RAROG_OPT_CHOICE(
		's', "sort", struct args, sort, NULL, sorts,
		"order of the functions (exclusive; cpu where the machine was busy with other "
		"things; instructions of a profile of blocks; count where no times were measured)"),
	RAROG_OPT_INT('n', "limit", struct args, limit, "N", 0, 100000000,
		      "at most N rows, 0: all (20)"),
	RAROG_OPT_INT('d', "depth", struct args, depth, "N", 0, 100000000,
		      "tree, flame, timeline, replay: at most N levels, 0: all (tree, flame: 64, "
		      "timeline: 8)"),
	RAROG_OPT_STRING(0, "min-share", struct args, min_share, "P%",
			 "tree: only functions that take at least this share (1%)"),
	RAROG_OPT_FLAG(0, "fold-recursion", struct args, fold,
		       "tree: a function that calls itself is one level"),
	RAROG_OPT_DURATION(0, "min-time", struct args, min_time_ns, "TIME",
			   "replay: only calls that last at least TIME, and their callers"),
	RAROG_OPT_DURATION(0, "from", struct args, from_ns, "TIME",
			   "replay, timeline, flow: begin TIME after the start of the run"),
	RAROG_OPT_DURATION(0, "to", struct args, to_ns, "TIME",
			   "replay, timeline, flow: end TIME after the start of the run"),
	RAROG_OPT_INT(0, "thread", struct args, thread, "TID", 1, 0x7fffffff,
		      "functions, timeline, flow, replay: only of this thread"),
	RAROG_OPTION_CHOICE(struct args, options,
			    "of the profiles of a version, the newest one whose program ran with "
			    "this option; may be repeated"),
	RAROG_OPT_GROUP("In which form"),
	RAROG_OPT_STRING(
		0, "columns", struct args, columns, "LIST",
		"functions: exclusive, share, cpu, cpu-total, waited, preempted, total, calls, "
		"samples, min, mean, p50, p99, max, sum, timed, open, unwound, histogram, bar, "
		"mangled, binary, file, line, address (default: by width); of blocks: "
		"instructions, share, calls, time, time-share, per-call, executions, blocks, bar, "
		"loads, load-bytes, stores, store-bytes, binary, machine, loop, line"),
	RAROG_OPT_FLAG(0, "bars", struct args, bars, "draw bars of what functions are sorted by"),
	RAROG_OPT_FLAG('l', "lines", struct args, lines, "show file and line of functions"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the same facts as JSON"),
	RAROG_OPT_FLAG(0, "csv", struct args, csv, "write the same facts as CSV"),
	RAROG_OPT_CHOICE(0, "tableof", struct args, tableof, "FORM", markups,
			 "the table for a document: markdown, html or latex (booktabs)"),
	RAROG_OPT_FLAG(0, "ascii", struct args, ascii, "use no characters beyond ASCII"),
	RAROG_OPT_INT(0, "width", struct args, width, "N", 0, 100000,
		      "cut lines to N columns, 0: never (the terminal's)"),
	RAROG_OPT_STRING('o', "output", struct args, output, "FILE", "write to FILE"),
	RAROG_OPT_END,
};

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

/* @func: what the view is about, if it takes a name. */
static int check_args(const struct args *args, const struct rarog_view *view, const char *func)
{
	if (args->json + args->csv + (args->tableof >= 0) > 1)
		return rarog_fail(-EINVAL,
				  "--json, --csv and --tableof do not go together; choose one");
	if (args->tableof >= 0 && view->is_drawing)
		return rarog_fail(-EINVAL,
				  "%s is a drawing, not a table; rarog report --svg draws for "
				  "documents",
				  view->name);
	if (args->thread && !rarog_view_is_functions(view) && !args->views.replay &&
	    !args->views.timeline && !args->views.flow)
		return rarog_fail(
			-EINVAL,
			"--thread goes with the function table, --timeline, --flow and --replay; "
			"the call tree is kept over all threads");
	if (args->funcs.n > 0 && func)
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
	return args->csv || args->tableof >= 0 ? RAROG_SHEET_CSV : RAROG_SHEET_TABLE;
}

/* A terminal's lines are cut to its width; what goes into a file or a pipe keeps all its text. */
static int set_options(const struct rarog_context *context, const struct args *args,
		       const struct rarog_view *view, struct rarog_show_options *to)
{
	bool is_terminal = isatty(STDOUT_FILENO) && !args->output;

	*to = (struct rarog_show_options){
		.format = format_of(args),
		.markup = (enum rarog_markup)(args->tableof + 1),
		.ascii = args->ascii || !rarog_utf8_is_spoken(),
		.colour = context->colour && !args->output,
		.width = args->width >= 0 ? (int)args->width
			 : is_terminal    ? context->width
					  : 0,
		.columns_width = args->width > 0 ? (int)args->width : context->width,
		.lines = args->lines,
		.bars = args->bars,
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
	};
	/* programs want everything unless they say otherwise */
	if (args->limit < 0)
		to->limit = to->format == RAROG_SHEET_TABLE ? 20 : 0;
	if (args->depth < 0)
		to->depth = to->format == RAROG_SHEET_TABLE ? view->depth : 0;
	if (to->format != RAROG_SHEET_TABLE)
		to->min_share = 0;
	return args->min_share ? parse_share(args->min_share, &to->min_share) : 0;
}

static int show_profile(const struct rarog_view *view, struct rarog_show *show)
{
	int r = view->check ? view->check(show) : 0;

	if (r == -EINVAL)
		return rarog_usage_error(r);
	return r < 0 ? r : rarog_view_print(view, show);
}

static int show_opened(struct rarog_profile *profile, const struct args *args,
		       struct rarog_view *view, struct rarog_show *show)
{
	struct rarog_destination to;
	int r = rarog_run_load(profile, &show->run);

	if (r == 0)
		r = rarog_show_settle(show);
	if (r == 0)
		r = rarog_off_cpu_is_known(profile);
	show->has_cpu = r > 0;
	if (r >= 0)
		r = rarog_view_adapt(view, show);
	if (r == 0)
		r = rarog_destination_open(&to, args->output);
	if (r < 0)
		return r;
	show->out = to.stream;
	r = rarog_destination_close(&to, show_profile(view, show));
	return r == -EPIPE ? RAROG_EXIT_OK : r;
}

static int show_file(const char *path, const struct args *args, struct rarog_view *view,
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

/* What the view names, or all that --func does; @ret_text: as given, NULL: nothing. */
static int want(const struct rarog_strings *funcs, const char *named, struct rarog_match *match,
		char **ret_text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = 0;

	if (!named && funcs->n == 0)
		return 0;
	if (named) {
		r = rarog_match_include(match, named);
		r = r < 0 ? r : rarog_str_add(&text, named);
	}
	for (size_t i = 0; r == 0 && i < funcs->n; i++) {
		r = rarog_match_include(match, funcs->v[i]);
		r = r < 0 ? r : rarog_str_addf(&text, "%s%s", i ? ", " : "", funcs->v[i]);
	}
	if (r == 0)
		*ret_text = rarog_str_take(&text);
	return r;
}

static int add_model(const char *bytes, size_t n, void *user)
{
	struct rarog_show *show = user;
	char *copy = strndup(bytes, n);

	if (copy && rarog_vec_push(&show->models, copy) == 0)
		return 0;
	free(copy);
	return rarog_oom();
}

/* What rarog model kept with it. */
static int read_models(const struct rarog_operand *operand, struct rarog_show *show)
{
	if (!operand->is_stored)
		return 0;
	return rarog_derived_of(operand->project.store, "model", &operand->object, add_model, show);
}

static void release(struct rarog_show *show)
{
	for (size_t i = 0; i < show->models.n; i++)
		free(show->models.v[i]);
	rarog_vec_release(&show->models);
	rarog_tally_release(&show->tally);
}

/* @text: what the user calls the profile, NULL: the newest. */
static int run_args(const struct rarog_context *context, const char *text, const struct args *args)
{
	rarog_cleanup(rarog_operand_release) struct rarog_operand operand = { 0 };
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_freep) char *wanted = NULL;
	struct rarog_show show = { 0 };
	struct rarog_view view;
	const char *func;
	int r = rarog_view_choose(&args->views, &view, &func);

	if (r == 0)
		r = check_args(args, &view, func);
	if (r == 0)
		r = set_options(context, args, &view, &show.options);
	if (r == 0)
		r = want(&args->funcs, func, &match, &wanted);
	show.options.func_text = wanted;
	show.options.func = wanted ? &match : NULL;
	if (r < 0)
		return rarog_usage_error(r);
	r = rarog_operand_find(context, text, &args->options, &operand);
	if (r == 0)
		r = read_models(&operand, &show);
	if (r == 0)
		r = show_file(operand.path, args, &view, &show);
	release(&show);
	return r;
}

static int show_run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = {
		.sort = RAROG_SORT_DEFAULT, .limit = -1, .depth = -1, .width = -1, .tableof = -1
	};
	int first = rarog_options_parse(options, argc, argv, false, &args);
	int r = first < 0 ? first : 0;

	if (r == 0 && argc - first > 1)
		r = rarog_fail(-EINVAL, "one profile at a time");
	r = r < 0 ? rarog_usage_error(r) : rarog_option_choice_read(&args.options);
	if (r == 0)
		r = run_args(context, first < argc ? argv[first] : NULL, &args);
	rarog_option_choice_release(&args.options);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_show = {
	.name = "show",
	.summary = "look at a profile: functions, call tree, callers, every call",
	.usage = "[OPTION…] [PROFILE]",
	.description =
		"Shows what a profile holds. It is a file, or a profile of the project's store "
		"that is named by number (0@i: the first of HEAD, 0@main, 0@p: a pending one), by "
		"the beginning of its hash, by a tag, or by a commit (HEAD~3: its newest profile). "
		"If none is named, it is the newest one of all.\n"
		"\n"
		"Without options it lists the functions by the time that they took themselves "
		"(exclusive of what they called), with their share of the whole, the time during "
		"which they were on the stack (total), the number of calls, and a histogram of "
		"durations on a logarithmic axis that all lines share. Times are times that "
		"passed; where the terminal is wide enough, cpu says how much of the exclusive "
		"time the thread was on a processor, and --columns has waited, preempted and "
		"cpu-total, too.\n"
		"\n"
		"Of a profile of samples (rarog collect sample) times are estimates: the share of "
		"the samples in which the function was running itself (exclusive) or on the stack "
		"(total). samples is the number of the latter; there are no calls to count and no "
		"durations.\n"
		"\n"
		"Of a profile of blocks (rarog collect blocks) it shows functions by the "
		"instructions that they executed themselves, --blocks, --loops, --paths and "
		"--coverage; such a profile has no callers, and times only if --engine rewrite "
		"made it. Of a profile of --engine vex it shows functions, --blocks (only those "
		"that ran), --tree, --callers and --callees. If accesses were counted "
		"(--accesses), loads and stores are columns, with their bytes if the terminal is "
		"wide or --columns has load-bytes and store-bytes.\n"
		"\n"
		"If you ask for a function that has no calls because the compiler inlined it, "
		"rarog show says into which functions it went.",
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
