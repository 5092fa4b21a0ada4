/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands above every view. The tables of the profile tell what ran, when and how long; the
 * header adds machine and commit when a collector wrote them. What makes the numbers below doubtful
 * (losses, a file cut off, an unsteady clock) is said here, in words and in red.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/error.h"
#include "base/units.h"
#include "store/configuration.h"
#include "view/feature-sums.h"
#include "view/optimised.h"
#include "view/term/counters.h"
#include "view/term/show.h"
#include "view/text.h"

struct facts {
	json_t *header;
	uint64_t n_calls, n_functions, n_open, n_unwound, n_lost;
	uint64_t n_samples; /* as the header says */
};

static json_t *parse_header(const struct rarog_show *show)
{
	const char *text = rarog_profile_header(show->run.profile);

	return text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

static int gather(struct rarog_show *show, struct facts *facts)
{
	const struct rarog_summary *summaries;
	const struct rarog_loss *losses;
	long n = rarog_profile_summaries(show->run.profile, &summaries);
	long n_losses = rarog_profile_losses(show->run.profile, &losses);

	if (n < 0 || n_losses < 0)
		return (int)(n < 0 ? n : n_losses);
	for (long i = 0; i < n; i++) {
		if (summaries[i].strand != RAROG_NONE)
			continue;
		facts->n_functions++;
		facts->n_calls += summaries[i].count;
		facts->n_open += summaries[i].open;
		facts->n_unwound += summaries[i].unwound;
	}
	for (long i = 0; i < n_losses; i++)
		facts->n_lost += losses[i].count;
	return 0;
}

static void line(struct rarog_show *show, enum rarog_style style, const char *text)
{
	bool is_coloured = show->options.colour && style != RAROG_STYLE_PLAIN;

	fprintf(show->out, "%s%s%s\n", is_coloured ? rarog_style_on(style) : "", text,
		is_coloured ? rarog_style_off(style) : "");
}

void rarog_show_note(struct rarog_show *show, const char *format, ...)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	va_list args;

	if (show->options.format != RAROG_SHEET_TABLE)
		return;
	va_start(args, format);
	rarog_str_vaddf(&text, format, args);
	va_end(args);
	line(show, RAROG_STYLE_DIM, rarog_str_text(&text));
}

/* Facts of a line stand apart by a middle dot. */
__attribute__((format(printf, 3, 4))) static void add_fact(const struct rarog_show *show,
							   struct rarog_str *text,
							   const char *format, ...)
{
	va_list args;

	if (text->length > 0)
		rarog_str_add(text, show->options.ascii ? ", " : " · ");
	va_start(args, format);
	rarog_str_vaddf(text, format, args);
	va_end(args);
}

/* The words that the program was started with, as the header has them. */
static void add_words(const struct rarog_show *show, struct rarog_str *text)
{
	json_t *header = parse_header(show), *word;
	size_t i;

	if (json_object_get(header, "every_process"))
		rarog_str_add(text, "every process of ");
	json_array_foreach (json_object_get(header, "command"), i, word)
		rarog_str_addf(text, "%s%s", i > 0 ? " " : "",
			       json_is_string(word) ? json_string_value(word) : "?");
	json_decref(header);
}

/* Did it begin with one process? */
static bool has_first(const struct rarog_show *show)
{
	json_t *header = parse_header(show);
	bool has = show->run.n_processes > 0 && !json_object_get(header, "every_process");

	json_decref(header);
	return has;
}

/* What began it all; of the others only their number is told. A program may have ended before
 * anybody could ask what its command is. */
static void print_command(struct rarog_show *show)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 }, words = { 0 };
	const char *command = has_first(show) ? show->run.processes->command : NULL;

	if (!command) {
		add_words(show, &words);
		command = words.length > 0 ? rarog_str_text(&words) : "?";
	}
	rarog_text_add_clean(&text, command, show->options.ascii);
	line(show, RAROG_STYLE_BOLD, rarog_str_text(&text));
}

static size_t count_threads(const struct rarog_run *run)
{
	size_t n = 0;

	for (uint32_t i = 0; i < run->n_strands; i++)
		n += rarog_run_first_strand(run, i) == i;
	return n;
}

/* How the first process ended, when that was not well. */
static void add_end(const struct rarog_show *show, struct rarog_str *text)
{
	int status = show->run.n_processes > 0 ? show->run.processes[0].wait_status : 0;

	if (status == -1)
		return;
	if (WIFSIGNALED(status))
		add_fact(show, text, "killed by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		add_fact(show, text, "exit status %d", WEXITSTATUS(status));
}

/* "2,000 samples at 997 Hz" */
static void add_samples(const struct rarog_show *show, const struct facts *facts,
			struct rarog_str *text)
{
	const json_t *rate = json_object_get(json_object_get(facts->header, "parameters"), "rate");

	add_fact(show, text, "%s sample%s", rarog_format_count(facts->n_samples).text,
		 rarog_plural(facts->n_samples));
	if (json_is_integer(rate))
		rarog_str_addf(text, " at %lld Hz", (long long)json_integer_value(rate));
	rarog_str_addf(text, " in %s function%s", rarog_format_count(facts->n_functions).text,
		       rarog_plural(facts->n_functions));
}

static void print_run(struct rarog_show *show, const struct facts *facts)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const struct rarog_run *run = &show->run;
	time_t when = (time_t)(rarog_run_wall_ns(run) / 1000000000);
	uint64_t duration = rarog_run_ns(run, run->end_ticks);
	size_t n_threads = count_threads(run);
	char date[64] = "";
	struct tm parts;

	if (run->clock->origin_ns > 0 && localtime_r(&when, &parts))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &parts);
	if (*date)
		add_fact(show, &text, "%s", date);
	add_fact(show, &text, "%s", rarog_format_ns(duration).text);
	if (run->n_processes > 1)
		add_fact(show, &text, "%zu processes", run->n_processes);
	if (n_threads > 1)
		add_fact(show, &text, "%zu threads", n_threads);
	add_end(show, &text);
	if (show->tally.n > 0)
		add_fact(show, &text, "%s instructions",
			 rarog_format_count(show->tally.instructions).text);
	if (show->has_samples)
		add_samples(show, facts, &text);
	else if (!show->is_of_program)
		add_fact(show, &text, "%s call%s of %s function%s",
			 rarog_format_count(facts->n_calls).text, rarog_plural(facts->n_calls),
			 rarog_format_count(facts->n_functions).text,
			 rarog_plural(facts->n_functions));
	if (show->only_executed)
		add_fact(show, &text, "%zu blocks that ran", show->tally.n_executed);
	else if (show->tally.n > 0)
		add_fact(show, &text, "%zu of %zu blocks ran", show->tally.n_executed,
			 show->tally.n_blocks);
	line(show, RAROG_STYLE_PLAIN, rarog_str_text(&text));
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Of the program as a whole, beside what was measured of its functions. */
static void print_counters(struct rarog_show *show, const struct facts *facts)
{
	const json_t *end = json_object_get(facts->header, "end");
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 }, clean = { 0 };
	size_t i;
	json_t *counter;

	if (show->is_of_program)
		return;
	json_array_foreach (json_object_get(end, "counters"), i, counter) {
		rarog_cleanup(rarog_str_release) struct rarog_str shown = { 0 };
		const char *name = text_of(counter, "name");

		rarog_counter_shown(counter, &shown);
		if (name)
			add_fact(show, &text, "%s %s", name, rarog_str_text(&shown));
	}
	rarog_text_add_clean(&clean, rarog_str_text(&text), show->options.ascii);
	if (clean.length > 0)
		line(show, RAROG_STYLE_PLAIN, clean.text);
}

/* Not every call was recorded. */
static void add_sampling(struct rarog_show *show, struct rarog_str *text, const json_t *parameters)
{
	const json_t *sampled = json_object_get(parameters, "sample_calls");
	const json_t *period = json_object_get(parameters, "windows_period_ns");
	const json_t *on = json_object_get(parameters, "windows_on_ns");
	json_int_t every = json_integer_value(json_object_get(sampled, "every"));

	if (every > 1)
		add_fact(show, text, "calls sampled 1:%lld", (long long)every);
	else if (sampled)
		add_fact(show, text, "calls of some functions sampled");
	if (period)
		add_fact(show, text, "calls of %s in each %s",
			 rarog_format_ns((uint64_t)json_integer_value(on)).text,
			 rarog_format_ns((uint64_t)json_integer_value(period)).text);
}

/* How the program was set. */
static void add_options(const struct rarog_show *show, struct rarog_str *text,
			const json_t *configuration)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration options = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };

	rarog_configuration_read(&options, configuration);
	rarog_configuration_add(&options, "", &words);
	if (words.length > 0)
		add_fact(show, text, "options: %s", words.text);
}

static void print_machine(struct rarog_show *show, const struct facts *facts)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 }, clean = { 0 };
	const json_t *machine = json_object_get(facts->header, "machine");
	const char *cpu = text_of(machine, "cpu"), *commit = text_of(facts->header, "commit");
	const char *host = text_of(machine, "host"), *detail = text_of(facts->header, "detail");

	if (host)
		add_fact(show, &text, "%s", host);
	if (cpu)
		add_fact(show, &text, "%s", cpu);
	if (json_is_integer(json_object_get(machine, "cpus")))
		add_fact(show, &text, "%lld CPUs",
			 (long long)json_integer_value(json_object_get(machine, "cpus")));
	if (commit)
		add_fact(show, &text, "commit %.12s%s", commit,
			 json_is_true(json_object_get(facts->header, "dirty")) ? " (changed)" : "");
	if (detail && strcmp(detail, "calls") != 0)
		add_fact(show, &text, "detail: %s", detail);
	add_options(show, &text, json_object_get(facts->header, "configuration"));
	add_sampling(show, &text, json_object_get(facts->header, "parameters"));
	rarog_text_add_clean(&clean, rarog_str_text(&text), show->options.ascii);
	if (clean.length > 0)
		line(show, RAROG_STYLE_DIM, clean.text);
}

#define COMPILERS_SHOWN 2

static void print_software(struct rarog_show *show, const struct facts *facts)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 }, clean = { 0 };
	json_t *software = json_object_get(facts->header, "software"), *flags;
	json_t *compilers = json_object_get(software, "compilers");
	size_t shown = 0, n = 0;
	const char *compiler;

	json_object_foreach (compilers, compiler, flags) {
		const char *level = rarog_optimisation_of(flags, &n);

		if (++shown <= COMPILERS_SHOWN)
			add_fact(show, &text, "%s%s%.*s", compiler, level ? " " : "",
				 level ? (int)n : 0, level ? level : "");
	}
	if (shown > COMPILERS_SHOWN)
		add_fact(show, &text, "%zu more compilers", shown - COMPILERS_SHOWN);
	if (text_of(software, "libc"))
		add_fact(show, &text, "%s", text_of(software, "libc"));
	rarog_text_add_clean(&clean, rarog_str_text(&text), show->options.ascii);
	if (clean.length > 0)
		line(show, RAROG_STYLE_DIM, clean.text);
}

static const char *noise_remedy(const struct rarog_show *show)
{
	if (!show->has_cpu)
		return "";
	return show->options.sort == RAROG_SORT_CPU
		       ? "; sorted by processor time (--sort exclusive: by wall time)"
		       : "; --sort cpu goes by processor time";
}

static void print_noise(struct rarog_show *show, const struct facts *facts)
{
	const json_t *conditions = json_object_get(facts->header, "conditions");
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	size_t i;
	json_t *value;

	json_array_foreach (json_object_get(conditions, "noisy"), i, value)
		if (json_is_string(value)) {
			rarog_str_add(&text, text.length > 0 ? ", " : "");
			rarog_text_add_clean(&text, json_string_value(value), show->options.ascii);
		}
	if (text.length > 0 && show->tally.n == 0)
		rarog_show_note(show, "the machine was not quiet (%s): times may be too long%s",
				text.text, noise_remedy(show));
}

/* What helps; "" where nothing is known to. */
static const char *remedy_of(const char *what)
{
	static const struct {
		const char *what, *remedy;
	} remedies[] = {
		{ "calls below a full shadow stack", "; --detail=count counts them all" },
		{ "events", "; leave out what is called most (--exclude)" },
		{ "calls (SystemTap's tables were full)", "; --func chooses fewer functions" },
	};

	for (size_t i = 0; i < RAROG_COUNT(remedies); i++)
		if (strcmp(what, remedies[i].what) == 0)
			return remedies[i].remedy;
	return "";
}

static void print_losses(struct rarog_show *show)
{
	const struct rarog_loss *losses;
	long n = rarog_profile_losses(show->run.profile, &losses);

	for (long i = 0; i < n; i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

		if (losses[i].count == 0)
			continue;
		rarog_str_addf(&text, "LOST: %s ", rarog_format_count(losses[i].count).text);
		rarog_text_add_clean(&text, losses[i].what, show->options.ascii);
		/* "calls, perhaps": whether they were any is not known */
		rarog_str_addf(&text, "; counts and times below %s too low%s",
			       strstr(losses[i].what, ", perhaps") ? "may be" : "are",
			       remedy_of(losses[i].what));
		line(show, RAROG_STYLE_RED, text.text);
	}
}

static void print_cut(struct rarog_show *show)
{
	int64_t rebuilt = rarog_profile_rebuilt_from(show->run.profile);
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	if (!rarog_profile_is_partial(show->run.profile))
		return;
	rarog_str_add(&text, "CUT OFF: the end of the file is missing; ");
	if (rebuilt >= 0)
		rarog_str_addf(&text, "recovered: sums rebuilt from %s call%s",
			       rarog_format_count((uint64_t)rebuilt).text,
			       rarog_plural((uint64_t)rebuilt));
	else
		rarog_str_add(&text, "shown is what was recovered");
	line(show, RAROG_STYLE_RED, rarog_str_text(&text));
}

static uint64_t total_of(const struct facts *facts, const char *key)
{
	const json_t *totals = json_object_get(facts->header, "totals");

	return (uint64_t)json_integer_value(json_object_get(totals, key));
}

/* What estimates leave open. */
static void print_estimates(struct rarog_show *show, const struct facts *facts)
{
	uint64_t cut = total_of(facts, "stacks_cut");

	rarog_show_note(show, "times are estimates from samples; calls are not counted");
	if (json_is_true(json_object_get(facts->header, "kernel_is_missing")))
		rarog_show_note(show, "time in the kernel is missing: it was not shown");
	if (cut > 0)
		rarog_show_note(show,
				"%s stacks were copied in part: their callers are missing "
				"(--stack-size)",
				rarog_format_count(cut).text);
}

#define NAMES_MOST 8

static void print_dropped(struct rarog_show *show, const struct facts *facts, const char *member,
			  const char *why)
{
	const json_t *all = json_object_get(facts->header, member), *one;
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	size_t i, n = 0;

	json_array_foreach (all, i, one) {
		const json_t *mark = json_object_get(one, "mark");
		const char *name =
			json_string_value(mark ? mark : json_object_get(one, "function"));

		if (json_is_true(json_object_get(one, "is_special")) || ++n > NAMES_MOST)
			continue;
		rarog_str_add(&text, n > 1 ? ", " : "");
		if (name)
			rarog_text_add_clean(&text, name, show->options.ascii);
		if (json_is_true(json_object_get(one, "ends_binary")))
			rarog_str_add(&text, " (and all else of its file)");
	}
	if (n > NAMES_MOST)
		rarog_str_addf(&text, " and %zu more", n - NAMES_MOST);
	if (n > 0)
		rarog_show_note(show, "not measured%s: %s", why, rarog_str_text(&text));
}

/* Where nothing was open: a loop's head is passed once more than its body. */
static void print_unbegun(struct rarog_show *show, const struct facts *facts)
{
	uint64_t n = total_of(facts, "unbegun");

	if (n > 0)
		rarog_show_note(show,
				"%s end%s of regions that had not begun: control comes there "
				"by other ways, too",
				rarog_format_count(n).text, rarog_plural(n));
}

/* It is not known on which stack a call is: below which one it is shown is chance. */
static void print_astray(struct rarog_show *show, const struct facts *facts)
{
	if (total_of(facts, "astray") > 0)
		rarog_show_note(show,
				"the program switches stacks in a way that cannot be followed: "
				"calls may be shown below others than their callers, with wrong "
				"times");
}

static void print_doubts(struct rarog_show *show, const struct facts *facts)
{
	print_losses(show);
	print_cut(show);
	if (show->run.clock->suspect)
		line(show, RAROG_STYLE_RED,
		     "CLOCK: it was not steady during the run; times are doubtful");
	print_noise(show, facts);
	print_dropped(show, facts, "breakpoints",
		      ", or not to the end, because of breakpoints of somebody else's");
	print_dropped(show, facts, "unplaced", ", because there is no room for probes near enough");
	print_dropped(show, facts, "left",
		      ", because copies of them could not be proven to be the same");
	if (show->has_samples)
		print_estimates(show, facts);
	if (facts->n_open > 0)
		rarog_show_note(show, "%s call%s still open at the end, counted until then",
				rarog_format_count(facts->n_open).text,
				rarog_plural(facts->n_open));
	if (facts->n_unwound > 0)
		rarog_show_note(show, "%s call%s left by an exception or longjmp%s",
				rarog_format_count(facts->n_unwound).text,
				rarog_plural(facts->n_unwound),
				rarog_feature_sums_are_in(show->run.profile)
					? ", or by a return at which no probe ends the region"
					: "");
	print_unbegun(show, facts);
	print_astray(show, facts);
	if (total_of(facts, "outliving") > 0)
		rarog_show_note(show, "processes ran on when the program had ended, unmeasured");
}

static int begin_json(struct rarog_show *show, const struct facts *facts)
{
	rarog_cleanup(rarog_freep) char *header = NULL;
	const struct rarog_loss *losses;
	long n = rarog_profile_losses(show->run.profile, &losses);
	struct rarog_json *json = &show->json;

	if (facts->header)
		header = json_dumps(facts->header, JSON_COMPACT);
	rarog_json_start_object(json, show->out);
	rarog_json_string(json, "profile", rarog_profile_path(show->run.profile));
	rarog_json_raw(json, "header", header ? header : "null");
	rarog_json_bool(json, "is_partial", rarog_profile_is_partial(show->run.profile));
	if (rarog_profile_rebuilt_from(show->run.profile) < 0)
		rarog_json_null(json, "rebuilt_from_calls");
	else
		rarog_json_int(json, "rebuilt_from_calls",
			       rarog_profile_rebuilt_from(show->run.profile));
	rarog_json_bool(json, "is_clock_suspect", show->run.clock->suspect);
	rarog_json_uint(json, "start_ns", rarog_run_wall_ns(&show->run));
	rarog_json_uint(json, "duration_ns", rarog_run_ns(&show->run, show->run.end_ticks));
	if (show->has_samples) {
		rarog_json_null(json, "calls");
		rarog_json_uint(json, "samples", facts->n_samples);
	} else {
		rarog_json_uint(json, "calls", facts->n_calls);
	}
	rarog_json_uint(json, "losses", facts->n_lost);
	rarog_json_array(json, "loss_list");
	for (long i = 0; i < n; i++) {
		rarog_json_object(json, NULL);
		rarog_json_string(json, "what", losses[i].what);
		rarog_json_uint(json, "count", losses[i].count);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	return 0;
}

int rarog_show_begin(struct rarog_show *show)
{
	struct facts facts = { 0 };
	int r = gather(show, &facts);

	if (r < 0 || show->options.format == RAROG_SHEET_CSV)
		return r;
	facts.header = parse_header(show);
	facts.n_samples = total_of(&facts, "samples");
	if (show->options.format == RAROG_SHEET_JSON) {
		r = begin_json(show, &facts);
	} else {
		print_command(show);
		print_run(show, &facts);
		print_counters(show, &facts);
		print_machine(show, &facts);
		print_software(show, &facts);
		print_doubts(show, &facts);
		fputc('\n', show->out);
	}
	json_decref(facts.header);
	show->has_heading = true;
	return r;
}

int rarog_show_sheet(struct rarog_show *show, struct rarog_sheet *sheet, size_t n,
		     const struct rarog_sheet_fact facts[n], const char *key)
{
	*sheet = (struct rarog_sheet){ .ascii = show->options.ascii,
				       .markup = show->options.markup };
	return rarog_sheet_begin(sheet, show->options.format, n, facts, show->out, &show->json,
				 key);
}

int rarog_show_sheet_end(const struct rarog_show *show, struct rarog_sheet *sheet, int r)
{
	if (r == 0)
		r = rarog_sheet_end(sheet, show->options.width, show->options.colour);
	rarog_sheet_release(sheet);
	return r;
}

int rarog_show_end(struct rarog_show *show)
{
	if (show->options.format != RAROG_SHEET_JSON)
		return 0;
	return rarog_json_finish(&show->json);
}
