/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rarog report: a profile, or two versions side by side, as a page for a browser. The page gets its
 * name when it is complete.
 */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/model-session.h"
#include "cmd/option-choice.h"
#include "cmd/project.h"
#include "cmd/report-history.h"
#include "cmd/report-pair.h"
#include "events/rebuild.h"
#include "profile/reader.h"
#include "store/derived.h"
#include "store/version.h"
#include "view/cut.h"
#include "view/destination.h"
#include "view/html/report.h"
#include "view/svg/svg.h"

struct arguments {
	const char *output, *title, *svg, *colour_by;
	bool open, force, without_sources;
	long frames;
	uint64_t from_ns, to_ns;
	struct rarog_option_choice options;
	struct rarog_strings jobs;
};

static const struct rarog_option options[] = {
	RAROG_OPT_STRING(
		'o', "output", struct arguments, output, "OUT",
		"write the page to OUT, whose name may have tags (%cmd%-%date%.html); -: to "
		"standard output (default: the profile's name with .html; of two profiles "
		"BASE..TARGET.html)"),
	RAROG_OPT_STRING(0, "title", struct arguments, title, "TEXT",
			 "use TEXT as the page's heading instead of the command line"),
	RAROG_OPT_STRING(
		0, "svg", struct arguments, svg, "PLOT",
		"a drawing for a document instead of the page, as SVG: flame, flame-threads, "
		"flame-callers (upside down), timeline, flow, bars, scatter:FUNC, histogram:FUNC "
		"(durations), model:FUNC, candidates:FUNC (what else fits), residuals:FUNC, of "
		"blocks control-flow:FUNC and sunburst (or sunburst:time, :instructions, "
		":executions, :calls), of experiments noise, trials:FUNC and speed-up:FUNC, of "
		"BASE TARGET difference, model:FUNC and control-flow:FUNC, of A..B versions:FUNC "
		"or versions "
		"(the whole program)"),
	RAROG_OPT_STRING(0, "color-by", struct arguments, colour_by, "VALUE",
			 "of --svg scatter:FUNC: colour the points by another captured value of "
			 "the same call"),
	RAROG_OPT_FLAG(0, "open", struct arguments, open, "show the page in the browser"),
	RAROG_OPT_FLAG('f', "force", struct arguments, force,
		       "of two versions: compare also what is not comparable (other machine, "
		       "compiler, job); the page says so"),
	RAROG_OPT_INT(0, "max-frames", struct arguments, frames, "N", 1, 10000000,
		      "keep the N heaviest call contexts in the flame graph; lighter ones are "
		      "shown together (default: 200000)"),
	RAROG_OPT_DURATION(0, "from", struct arguments, from_ns, "TIME",
			   "begin the timeline TIME after the start of the run; a shorter timeline "
			   "shows more single calls"),
	RAROG_OPT_DURATION(0, "to", struct arguments, to_ns, "TIME",
			   "end the timeline TIME after the start of the run"),
	RAROG_OPT_STRINGS('J', "job", struct arguments, jobs, "NAME",
			  "of versions, only this job; may be repeated (all)"),
	RAROG_OPTION_CHOICE(struct arguments, options,
			    "of versions, only profiles whose program ran with this option; may be "
			    "repeated"),
	RAROG_OPT_FLAG(0, "no-sources", struct arguments, without_sources,
		       "of counts of blocks: leave the source files out of the page"),
	RAROG_OPT_END,
};

/* app.rarog becomes app.html, anything else gets .html after it. */
static char *default_output(const char *path, const char *extension)
{
	int n = (int)strlen(path);

	if (rarog_ends_with(path, ".rarog") && n > 6 && path[n - 7] != '/')
		n -= 6;
	return rarog_asprintf("%.*s.%s", n, path, extension);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void warn_about(struct rarog_profile *profile)
{
	const struct rarog_loss *losses;
	long n = rarog_profile_losses(profile, &losses);
	uint64_t lost = 0;

	for (long i = 0; i < n; i++)
		lost += losses[i].count;
	if (rarog_profile_rebuilt_from(profile) >= 0)
		rarog_cut_warn(profile, "", "; the page says so");
	else
		rarog_cut_warn(profile, "the page shows", " and says so");
	if (lost > 0)
		rarog_warn("%s events of this run were lost; the page says so",
			   rarog_format_count(lost).text);
}

/* What rarog model kept. */
struct models {
	RAROG_VEC(char *) texts;
};

static void models_release(struct models *models)
{
	for (size_t i = 0; i < models->texts.n; i++)
		free(models->texts.v[i]);
	rarog_vec_release(&models->texts);
}

static int add_model(const char *bytes, size_t n, void *user)
{
	struct models *models = user;
	char *copy = strndup(bytes, n);

	if (copy && rarog_vec_push(&models->texts, copy) == 0)
		return 0;
	free(copy);
	return rarog_oom();
}

static int read_models(const struct rarog_operand *operand, struct models *models)
{
	if (!operand->is_stored)
		return 0;
	return rarog_derived_of(operand->project.store, RAROG_MODEL_PLOT, &operand->object,
				add_model, models);
}

static int load_version(const struct rarog_record *record, void *user)
{
	struct rarog_store *store = ((void **)user)[0];
	struct rarog_load *load = ((void **)user)[1];

	return record->version ? rarog_version_load(store, record->version, NULL, load) : 0;
}

/* What rarog check kept of the version that the profile belongs to. */
static int read_verdict(const struct rarog_operand *operand, struct rarog_load *ret_load)
{
	struct rarog_store *store = operand->project.store;
	const struct rarog_record_filter filter = { .object = &operand->object, .limit = 1 };
	void *user[] = { store, ret_load };

	*ret_load = (struct rarog_load){ 0 };
	return operand->is_stored ? rarog_record_each(store, &filter, load_version, user) : 0;
}

static int write_page(struct rarog_profile *profile, const struct arguments *arguments,
		      const struct models *models, const struct rarog_load *version,
		      const char *output)
{
	rarog_cleanup(rarog_vcs_freep) struct rarog_vcs *vcs = NULL;
	struct rarog_report_options report = {
		.title = arguments->title,
		.version = RAROG_VERSION,
		.max_frames = (size_t)arguments->frames,
		.from_ns = arguments->from_ns,
		.to_ns = arguments->to_ns,
		.without_sources = arguments->without_sources,
		.verdict = *version->verdict ? version->verdict : NULL,
		.changes = version->changes,
		.n_models = models->texts.n,
		.models = models->texts.v,
	};
	struct rarog_destination to;

	if (rarog_vcs_open(NULL, -1, &vcs) < 0)
		rarog_error_clear(); /* sources are those of today then */
	report.vcs = vcs;
	int r = rarog_destination_open(&to, output);

	if (r < 0)
		return r;
	return rarog_destination_close(&to, rarog_report_write(profile, &report, to.stream));
}

static int draw(struct rarog_profile *profile, const struct arguments *arguments, FILE *out)
{
	struct rarog_svg_options svg = { .colour_by = arguments->colour_by,
					 .from_ns = arguments->from_ns,
					 .to_ns = arguments->to_ns };
	rarog_cleanup(rarog_freep) char *title = NULL;
	const struct rarog_svg_plot *plot;
	struct rarog_run run;
	int r = rarog_svg_find(arguments->svg, RAROG_SVG_OF_PROFILE, &plot, &svg.func);

	if (r == 0)
		r = rarog_run_load(profile, &run);
	if (r == 0 &&
	    !(title = arguments->title ? strdup(arguments->title) : rarog_run_title(&run)))
		r = rarog_oom();
	svg.title = title;
	return r < 0 ? r : plot->draw(&run, &svg, out);
}

static int write_svg(struct rarog_profile *profile, const struct arguments *arguments,
		     const char *output)
{
	struct rarog_destination to;
	int r = rarog_destination_open(&to, output);

	return r < 0 ? r : rarog_destination_close(&to, draw(profile, arguments, to.stream));
}

/* The browser outlives rarog; only whether xdg-open could start it is waited for. */
static int open_in_browser(const char *path)
{
	char command[] = "xdg-open";
	rarog_cleanup(rarog_freep) char *absolute = realpath(path, NULL);
	char *argv[] = { command, absolute, NULL };
	int status;
	pid_t pid;

	if (!absolute)
		return rarog_fail_errno("cannot open %s", path);
	int code = posix_spawnp(&pid, command, NULL, NULL, argv, environ);

	if (code == ENOENT)
		return rarog_fail(-ENOENT, "xdg-open is not installed; open %s yourself", absolute);
	if (code != 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		return rarog_fail(-EIO, "no browser could be started; open %s yourself", absolute);
	return 0;
}

/* What all pages end with; @output: "-" was standard output. */
static int finish(const struct rarog_context *context, const struct arguments *arguments,
		  const char *output)
{
	struct stat status = { 0 };

	if (strcmp(output, "-") == 0)
		return 0;
	if (!context->quiet && stat(output, &status) == 0)
		printf("%s (%s)\n", output, rarog_format_bytes((uint64_t)status.st_size).text);
	return arguments->open ? open_in_browser(output) : 0;
}

static int report(const struct rarog_context *context, const struct arguments *arguments,
		  const struct rarog_operand *operand)
{
	const char *path = operand->path;
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	rarog_cleanup(rarog_freep) char *output = NULL;
	rarog_cleanup(models_release) struct models models = { 0 };
	struct rarog_load version;
	int r = 0;

	if (arguments->output)
		r = rarog_operand_output(operand, arguments->output, &output);
	else if (!(output = default_output(operand->name, arguments->svg ? "svg" : "html")))
		r = rarog_oom();
	if (r < 0)
		return r;
	if (is_same_file(path, output))
		return rarog_usage_error(rarog_fail(
			-EINVAL, "%s is the profile itself; choose another OUT", output));
	r = rarog_profile_open(path, &profile);
	if (r == 0)
		r = rarog_profile_rebuild(profile);
	if (r < 0)
		return r;
	warn_about(profile);
	if (!arguments->svg)
		r = read_models(operand, &models);
	if (r == 0)
		r = read_verdict(operand, &version);
	if (r == 0)
		r = arguments->svg ? write_svg(profile, arguments, output)
				   : write_page(profile, arguments, &models, &version, output);
	return r < 0 ? r : finish(context, arguments, output);
}

static int report_pair(const struct rarog_context *context, const struct arguments *arguments,
		       char **operands)
{
	const struct rarog_report_pair how = { .baseline = operands[0],
					       .target = operands[1],
					       .output = arguments->output,
					       .title = arguments->title,
					       .svg = arguments->svg,
					       .max_frames = (size_t)arguments->frames,
					       .without_sources = arguments->without_sources,
					       .is_forced = arguments->force,
					       .options = &arguments->options,
					       .jobs = &arguments->jobs };
	rarog_cleanup(rarog_freep) char *output = NULL;
	int r = rarog_report_pair(context, &how, &output);

	return r < 0 ? r : finish(context, arguments, output);
}

/* "A..B", no path like ../app.rarog, and no file of that name. */
static bool is_range(const char *operand)
{
	const char *dots = strstr(operand, "..");

	return dots && dots[2] != '/' && access(operand, F_OK) < 0;
}

static int report_history(const struct rarog_context *context, const struct arguments *arguments,
			  const char *range)
{
	const struct rarog_report_history how = { .range = range,
						  .output = arguments->output,
						  .title = arguments->title,
						  .svg = arguments->svg,
						  .options = &arguments->options,
						  .jobs = &arguments->jobs };
	rarog_cleanup(rarog_freep) char *output = NULL;
	int r = rarog_report_history(context, &how, &output);

	return r < 0 ? r : finish(context, arguments, output);
}

static enum rarog_svg_of what_is_drawn(int n, char **operands)
{
	return n > 1                             ? RAROG_SVG_OF_PAIR
	       : n == 1 && is_range(operands[0]) ? RAROG_SVG_OF_VERSIONS
						 : RAROG_SVG_OF_PROFILE;
}

static int check_arguments(const struct arguments *arguments, int n, char **operands)
{
	const struct rarog_svg_plot *plot;
	const char *func;
	int r = 0;

	if (n > 2)
		return rarog_fail(-EINVAL, "unexpected argument '%s'; give one profile, or two",
				  operands[2]);
	if (arguments->force && n < 2)
		return rarog_fail(-EINVAL, "--force is for two versions side by side; give both");
	if (arguments->to_ns && arguments->to_ns <= arguments->from_ns)
		return rarog_fail(-EINVAL, "--to is before --from: nothing is between them");
	if ((arguments->from_ns || arguments->to_ns) && n > 1)
		return rarog_fail(-EINVAL, "--from and --to are for one profile; give one");
	if (arguments->svg)
		r = rarog_svg_find(arguments->svg, what_is_drawn(n, operands), &plot, &func);
	if (r < 0)
		return r;
	if (arguments->colour_by && !(arguments->svg && plot->draw == rarog_svg_scatter))
		return rarog_fail(-EINVAL, "--color-by is for --svg scatter:FUNC; say both");
	if (arguments->open && arguments->output && strcmp(arguments->output, "-") == 0)
		return rarog_fail(-EINVAL, "--open needs a file; drop it or -o -");
	return 0;
}

static int report_one(const struct rarog_context *context, const struct arguments *arguments,
		      const char *operand)
{
	rarog_cleanup(rarog_operand_release) struct rarog_operand found = { 0 };
	int r = rarog_operand_find(context, operand, &arguments->options, &found);

	return r < 0 ? r : report(context, arguments, &found);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct arguments arguments = { .frames = RAROG_REPORT_FRAMES };
	int first = rarog_options_parse(options, argc, argv, false, &arguments);
	int n = argc - first, r = first;

	if (r >= 0)
		r = check_arguments(&arguments, n, argv + first);
	r = r < 0 ? rarog_usage_error(r) : rarog_option_choice_read(&arguments.options);
	if (r == 0)
		r = n == 2 ? report_pair(context, &arguments, argv + first)
		    : n == 1 && is_range(argv[first])
			    ? report_history(context, &arguments, argv[first])
			    : report_one(context, &arguments, n > 0 ? argv[first] : NULL);
	rarog_option_choice_release(&arguments.options);
	rarog_options_release(options, &arguments);
	return r < 0 ? r : RAROG_EXIT_OK;
}

const struct rarog_command rarog_cmd_report = {
	.name = "report",
	.summary = "write a profile, two side by side, or a history, as a page for the browser",
	.usage = "[OPTION…] [PROFILE] | [OPTION…] BASE TARGET | [OPTION…] A..B",
	.description =
		"Writes a profile (a file, or one of the store as in rarog show; the newest if "
		"none is named) as one HTML file. It has a tab for each thing that the profile "
		"holds: an overview with what is worth looking at, a flame graph, a table of all "
		"functions, the call tree, the calls in time, and the facts about the run. The "
		"page's address tells what is shown, so a link leads back to it. The page needs no "
		"network and no other file; it can be mailed or kept with the results of a "
		"build.\n\n"
		"The timeline shows the longest calls one by one, and all others summed up in "
		"slices of time. --from and --to choose a part of the run; more of its calls are "
		"then shown one by one.\n\n"
		"Of blocks (rarog collect blocks) the page has source files and functions by "
		"executed instructions, the control flow of each function with counts on blocks "
		"and ways, the source with the counts of its lines, loops, the functions that code "
		"was inlined from, and paths if they were counted. It contains the source files of "
		"the commit that was measured, or, if that is not known, as they are now; "
		"--no-sources leaves them out.\n\n"
		"Of two operands the page compares the versions: it has the verdict of rarog check "
		"in its words, every function before and now with difference, interval and reason, "
		"and a flame graph in which functions that became slower are red and those that "
		"became faster are blue. Of counts of blocks it has the control flow of both "
		"versions as one graph, and both sources as one text with the counts of their "
		"lines, each from its commit if that is known. BASE and TARGET are what rarog "
		"check takes: versions, profiles, several, or directories of profiles, written "
		"with a slash. The exit status does not depend on the verdict; rarog check --html "
		"FILE writes the same page, and its exit status does.\n\n"
		"Of a range of versions (A..B, A..) the page has all amounts of all functions over "
		"the measured versions of the main line, with the changes of rarog check --history "
		"and the verdicts that are kept. --job chooses jobs, and --option chooses "
		"configurations.\n\n"
		"With --svg one drawing is written instead, for papers and pages. The same profile "
		"gives the same bytes.\n\n"
		"In the page ? lists the keys.",
	.examples = "  rarog report app.rarog\n"
		    "  rarog report app.rarog -o flame.html --title 'Before the change' --open\n"
		    "  rarog report app.rarog --svg timeline --from 1s --to 1.2s -o calls.svg\n"
		    "  rarog report HEAD~1 HEAD --open\n"
		    "  rarog report before/ after/ -o change.html\n"
		    "  rarog report HEAD~1 HEAD --svg difference\n"
		    "  rarog report v1.0..HEAD --open\n",
	.options = options,
	.run = run,
};
