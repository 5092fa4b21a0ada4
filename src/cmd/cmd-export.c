/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "blocks/tally.h"
#include "cmd/commands.h"
#include "cmd/option-choice.h"
#include "cmd/project.h"
#include "events/rebuild.h"
#include "profile/measured.h"
#include "view/cut.h"
#include "view/destination.h"
#include "view/export/export.h"
#include "view/run.h"

struct args {
	const char *format, *output;
	bool list, counts;
	int metric;
	struct rarog_strings funcs;
	long thread;
	uint64_t from_ns, to_ns, min_ns;
	struct rarog_option_choice options;
};

/* In the order of enum rarog_view_metric. */
static const char *const metrics[] = { "time", "cpu", "waited", "preempted", "calls", NULL };

static const struct rarog_option options[] = {
	RAROG_OPT_STRING('f', "format", struct args, format, "FORMAT",
			 "the format; --list shows all formats"),
	RAROG_OPT_STRING('o', "output", struct args, output, "FILE",
			 "write to FILE, whose name may have tags: %cmd%-%date%.json (standard "
			 "output)"),
	RAROG_OPT_CHOICE(0, "metric", struct args, metric, NULL, metrics,
			 "collapsed: the amount that is summed up: time that passed, or the parts "
			 "of it in which threads were on a processor (cpu), waited, or were "
			 "preempted; or calls"),
	RAROG_OPT_FLAG(0, "counts", struct args, counts, "the same as --metric=calls"),
	RAROG_OPT_GROUP("A part of the calls (chrome, csv, perfetto, speedscope)"),
	RAROG_OPT_STRINGS(0, "func", struct args, funcs, "PATTERN",
			  "only calls of functions that match, and all calls below them: a name, a "
			  "glob or /regex/; may be repeated"),
	RAROG_OPT_INT(0, "thread", struct args, thread, "TID", 1, 0x7fffffff,
		      "only calls of this thread"),
	RAROG_OPT_DURATION(0, "from", struct args, from_ns, "TIME",
			   "only calls that were open TIME after the start of the run, or later"),
	RAROG_OPT_DURATION(0, "to", struct args, to_ns, "TIME",
			   "only calls that began before TIME after the start of the run"),
	RAROG_OPT_DURATION(0, "min-duration", struct args, min_ns, "TIME",
			   "only calls that last at least TIME"),
	RAROG_OPT_GROUP("Others"),
	RAROG_OPTION_CHOICE(struct args, options,
			    "of the profiles of a version, the newest one whose program ran with "
			    "this option; may be repeated"),
	RAROG_OPT_FLAG(0, "list", struct args, list, "list the formats"),
	RAROG_OPT_END,
};

static int list_formats(void)
{
	for (size_t i = 0; rarog_export_formats[i]; i++)
		printf("%-11s %s%s\n", rarog_export_formats[i]->name,
		       rarog_export_formats[i]->summary,
		       rarog_export_formats[i]->needs_calls ? " (needs calls)" : "");
	return RAROG_EXIT_OK;
}

/* Coverage is of what did not run, too; what has contexts may be of them. */
static int check_executed(const struct rarog_export_format *format,
			  const struct rarog_profile *profile)
{
	if (format->use == RAROG_EXPORT_OF_BLOCKS)
		return rarog_fail(
			-ENODATA,
			"%s is of the engine vex, which counts what runs: it knows nothing of what "
			"did not run, and %s needs that; rarog collect blocks does, of what rarog "
			"cc compiled",
			rarog_profile_path(profile), format->name);
	if (format->use < RAROG_EXPORT_OF_CONTEXTS)
		return rarog_fail(
			-ENODATA,
			"%s has sums of calls and instructions, %s is for single calls and "
			"times; callgrind, collapsed and json are for both",
			rarog_profile_path(profile), format->name);
	return 0;
}

static int check_profile(const struct rarog_export_format *format, struct rarog_profile *profile)
{
	bool has_blocks = rarog_tally_has(profile);

	if (rarog_run_is_of_program(profile) && strcmp(format->name, "json") != 0)
		return rarog_fail(-ENODATA,
				  "%s measures the whole program, %s is for functions; json has it",
				  rarog_profile_path(profile), format->name);
	if (format->needs_calls && rarog_run_counts_samples(profile))
		return rarog_fail(
			-ENODATA,
			"%s has samples, and %s needs calls; collapsed, callgrind and json "
			"are for both",
			rarog_profile_path(profile), format->name);
	if (has_blocks && format->use == RAROG_EXPORT_OF_CONTEXTS &&
	    rarog_run_has_contexts(profile))
		return 0;
	if (has_blocks && rarog_run_knows_only_executed(profile))
		return check_executed(format, profile);
	if (has_blocks && format->use <= RAROG_EXPORT_OF_CONTEXTS)
		return rarog_fail(-ENODATA,
				  "%s counts blocks, %s is for calls and times; callgrind, lcov, "
				  "gcov and json are for both or for blocks",
				  rarog_profile_path(profile), format->name);
	if (!has_blocks && format->use == RAROG_EXPORT_OF_BLOCKS)
		return rarog_fail(-ENODATA,
				  "%s has no counts of blocks, and %s needs them; rarog collect "
				  "blocks makes them",
				  rarog_profile_path(profile), format->name);
	if (!format->needs_calls || rarog_run_has_calls(profile))
		return 0;
	return rarog_fail(-ENODATA,
			  "%s has no calls, only their sums, and %s needs them; collect with "
			  "--detail=calls, or export to collapsed or callgrind",
			  rarog_profile_path(profile), format->name);
}

/* No format has a word for an amount that is not known. */
static int warn_unknown(const struct rarog_export_format *format, struct rarog_profile *profile)
{
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	int r = format->is_as_is ? 0 : rarog_exclusive_unknown(profile, &unknown);

	if (r > 0)
		rarog_warn("%s: calls are sampled: the time of calls that were not recorded is "
			   "added to their callers, whose exclusive times are too long; rarog show "
			   "says which are known",
			   rarog_profile_path(profile));
	return r < 0 ? r : 0;
}

static void say_large(const struct rarog_export_format *format, FILE *out)
{
	off_t bytes = format->when_large ? ftello(out) : 0;

	if (bytes >= RAROG_EXPORT_LARGE)
		rarog_warn("%s of %s: %s", format->name, rarog_format_bytes((uint64_t)bytes).text,
			   format->when_large);
}

/* @match: room for what --func says. */
static int choose_calls(const struct args *args, struct rarog_match *match,
			struct rarog_sieve_options *sieve)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->funcs.n; i++)
		r = rarog_match_include(match, args->funcs.v[i]);
	*sieve = (struct rarog_sieve_options){
		.only_tid = args->thread > 0,
		.tid = (uint32_t)args->thread,
		.from_ns = args->from_ns,
		.to_ns = args->to_ns,
		.min_ns = args->min_ns,
		.funcs = args->funcs.n > 0 ? match : NULL,
	};
	return r == -EINVAL ? rarog_usage_error(r) : r;
}

static int export_file(const struct rarog_operand *operand, const struct args *args,
		       const struct rarog_export_format *format)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_freep) char *output = NULL;
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	struct rarog_export_options how = {
		.metric = args->counts ? RAROG_METRIC_CALLS : (enum rarog_view_metric)args->metric,
	};
	struct rarog_destination to = { 0 };
	int r = choose_calls(args, &match, &how.sieve);

	if (r == 0 && args->output)
		r = rarog_operand_output(operand, args->output, &output);
	if (r == 0)
		r = rarog_profile_open(operand->path, &profile);
	if (r == 0)
		r = rarog_profile_rebuild(profile);
	if (r == 0)
		r = check_profile(format, profile);
	if (r == 0)
		r = warn_unknown(format, profile);
	if (r == 0)
		r = rarog_destination_open(&to, output);
	if (r < 0)
		return r;
	rarog_cut_warn(profile, "written is", "");
	if (format->needs_calls && rarog_run_is_compensated(profile))
		rarog_warn("%s: single calls are as they were measured, with the cost of the "
			   "probes in them; --compensate takes it off sums (collapsed, callgrind)",
			   rarog_profile_path(profile));
	r = format->write(profile, &how, to.stream);
	if (r == 0)
		say_large(format, to.stream);
	r = rarog_destination_close(&to, r);
	return r == -EPIPE ? RAROG_EXIT_OK : r;
}

static int check_args(const struct args *args, int n_operands,
		      const struct rarog_export_format **ret_format)
{
	const struct rarog_export_format *format = NULL;

	if (n_operands > 1)
		return rarog_fail(-EINVAL, "one profile at a time");
	if (!args->format)
		return rarog_fail(-EINVAL, "which format? --format FORMAT, see --list");
	format = rarog_export_format_find(args->format);
	if (!format)
		return -EINVAL;
	if (!format->needs_calls && (args->funcs.n > 0 || args->thread > 0 || args->from_ns > 0 ||
				     args->to_ns > 0 || args->min_ns > 0))
		return rarog_fail(-EINVAL,
				  "%s is of the whole run: a part of the calls is for chrome, csv, "
				  "perfetto and speedscope",
				  format->name);
	if (args->to_ns && args->to_ns <= args->from_ns)
		return rarog_fail(-EINVAL, "--to must be later than --from");
	if (format->is_binary && !args->output && isatty(STDOUT_FILENO))
		return rarog_fail(-EINVAL, "%s is not for a terminal; give a file with -o",
				  format->name);
	*ret_format = format;
	return 0;
}

static int export_run(const struct rarog_context *context, int argc, char **argv)
{
	const struct rarog_export_format *format = NULL;
	rarog_cleanup(rarog_operand_release) struct rarog_operand operand = { 0 };
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args);

	if (first < 0)
		return rarog_usage_error(first);
	if (args.list)
		return list_formats();
	int r = check_args(&args, argc - first, &format);

	r = r < 0 ? rarog_usage_error(r) : rarog_option_choice_read(&args.options);
	if (r == 0)
		r = rarog_operand_find(context, first < argc ? argv[first] : NULL, &args.options,
				       &operand);
	if (r == 0)
		r = export_file(&operand, &args, format);
	rarog_option_choice_release(&args.options);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_export = {
	.name = "export",
	.summary = "write a profile in the format of another program",
	.usage = "[PROFILE] --format FORMAT [-o FILE]",
	.description =
		"Writes a profile (a file, or one of the store as in rarog show; the newest if "
		"none is named) as flame graph input (collapsed), for trace viewers (chrome, "
		"perfetto, speedscope), for KCachegrind (callgrind), as coverage (lcov, gcov) or "
		"as plain data (json, csv). Times add up to the same totals as in the profile.\n"
		"\n"
		"If a thread had to wait for rarog, that time is cut out, so that durations are "
		"the program's. Threads may be shifted against each other by that time.\n"
		"\n"
		"Formats of single calls can hold a part of the calls, so that viewers can open "
		"the file: those of one thread, of some functions, of a part of the run, or only "
		"long ones. Calls are written whole, also if they began before --from.",
	.examples = "rarog export prof.rarog --format collapsed | flamegraph.pl > flame.svg\n"
		    "rarog export prof.rarog --format perfetto -o trace.perfetto\n"
		    "rarog export prof.rarog --format chrome --from 2s --to 3s --min-duration 10us "
		    "-o part.json\n"
		    "rarog export prof.rarog --format lcov -o prof.info && genhtml prof.info\n"
		    "rarog export prof.rarog --format callgrind -o callgrind.out.prof",
	.options = options,
	.run = export_run,
};
