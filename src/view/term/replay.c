/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every call, as an indented program text with durations, in the order of time:
 *
 *      0.000120             │ main() {
 *      0.000130    1.200 us │   load();
 *      0.000140             │   work() {
 *      …
 *      0.100120  100.000 ms │ } (main)
 *
 * How long a call takes is known when it ends, so an opening line waits until something inside it
 * must be printed, or another thread has its say; a call of which nothing was printed before it
 * ends is one line. The filters rest on this: they only decide whether a call deserves a line; its
 * callers' opening lines come by themselves. Memory is one frame for each open call.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "base/vec.h"
#include "view/call-values.h"
#include "view/term/views.h"
#include "view/text.h"
#include "view/timeline.h"

#define MAX_INDENT 40 /* levels; deeper ones say their number */
#define NAME_MIN   20 /* columns that a name keeps */

struct frame {
	uint32_t location;
	bool is_open;   /* its opening line was printed */
	bool is_wanted; /* deserves a line by name and depth */
	uint64_t entry_ns, number;
	size_t level; /* indentation */
};

struct thread {
	RAROG_VEC(struct frame) frames;
	size_t n_open;  /* the outermost n_open frames have their opening lines, or need none */
	size_t n_below; /* open calls of what --func wants */
};

struct replay {
	struct rarog_show *show;
	struct thread *threads;       /* by strand */
	char **names;                 /* by location, cleaned; made when first needed */
	bool *is_match;               /* by location: --func wants it */
	bool *has_parens;             /* by location: a demangled name brings its parameter list */
	const char *dim_on, *dim_off; /* around times and comments */
	bool with_thread, is_past_end;
	uint32_t last; /* strand of the last moment */
	uint64_t n_shown;
	struct rarog_sheet sheet; /* JSON, CSV */
	struct rarog_call_values values;
};

static const struct rarog_sheet_fact facts[] = {
	{ RAROG_FACT_ID, NULL, "process", false },
	{ RAROG_FACT_ID, NULL, "thread", false },
	{ RAROG_FACT_NS, NULL, "start_ns", false },
	{ RAROG_FACT_NS, NULL, "duration_ns", false },
	{ RAROG_FACT_NS, NULL, "exclusive_ns", false },
	{ RAROG_FACT_ID, NULL, "depth", false },
	{ RAROG_FACT_TEXT, NULL, "end", false },
	{ RAROG_FACT_TEXT, NULL, "name", false },
	{ RAROG_FACT_TEXT, NULL, "mangled", false },
	{ RAROG_FACT_TEXT, NULL, "binary", false },
	{ RAROG_FACT_TEXT, NULL, "file", false },
	{ RAROG_FACT_ID, NULL, "line", false },
	/* only where values were captured */
	{ RAROG_FACT_TEXT, NULL, "arguments", false },
	{ RAROG_FACT_TEXT, NULL, "returned", false },
};
#define N_VALUES 2

static const char *name_of(struct replay *rp, uint32_t location)
{
	const struct rarog_location *of = &rp->show->run.locations[location];
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(of);
	bool ascii = rp->show->options.ascii;

	if (rp->names[location])
		return rp->names[location];
	rarog_text_add_clean(&name, rarog_location_title(of), ascii);
	if (rp->show->options.lines && place.length > 0) {
		rarog_str_add(&name, " @ ");
		rarog_text_add_clean(&name, place.text, ascii);
	}
	rp->names[location] = rarog_str_take(&name);
	return rp->names[location] ? rp->names[location] : "?";
}

static void print_name(struct replay *rp, const char *name, int columns)
{
	rarog_cleanup(rarog_str_release) struct rarog_str cut = { 0 };
	const struct rarog_show_options *options = &rp->show->options;

	if (options->width == 0) {
		fputs(name, rp->show->out);
		return;
	}
	rarog_str_add(&cut, name);
	rarog_text_elide(&cut, columns < NAME_MIN ? NAME_MIN : columns, options->ascii);
	fputs(rarog_str_text(&cut), rp->show->out);
}

/* Text is cut to the terminal; what stands before and after the name is kept. */
static void print_line(struct replay *rp, const struct rarog_moment *m, uint64_t ns,
		       const char *duration, size_t level, const char *before, const char *name,
		       const char *after)
{
	const struct rarog_show_options *options = &rp->show->options;
	FILE *out = rp->show->out;
	int used = fprintf(out, "%s%4" PRIu64 ".%09" PRIu64 "%s  ", rp->dim_on, ns / 1000000000,
			   ns % 1000000000, rp->dim_off);

	used -= (int)(strlen(rp->dim_on) + strlen(rp->dim_off));

	if (rp->with_thread)
		used += fprintf(out, "%7" PRIu32 "  ", rp->show->run.strands[m->strand].tid);
	used += fprintf(out, "%10s %s ", duration, options->ascii ? "|" : "│");
	if (level > MAX_INDENT)
		used += fprintf(out, "%*s+%zu ", 2 * MAX_INDENT, "", level - MAX_INDENT);
	else
		used += fprintf(out, "%*s", (int)(2 * level), "");
	fputs(before, out);
	used += (int)(strlen(before) + strlen(after)) - (options->ascii ? 0 : 2);
	print_name(rp, name, options->width - used);
	fprintf(out, "%s\n", after);
}

static struct rarog_amount duration_of(const struct replay *rp, const struct rarog_moment *m)
{
	const struct rarog_run *run = &rp->show->run;

	return rarog_format_ns(rarog_run_ns(run, m->ticks) - rarog_run_ns(run, m->begin_ticks));
}

/* What stands after a name: a demangled one brings its parameters, "f(int)", and values in
 * brackets; else they are the parameters. */
static int add_values(const struct replay *rp, const struct rarog_moment *call,
		      struct rarog_str *after)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	bool has_parens = rp->has_parens[call->location];
	int r = rarog_call_values_add(&rp->values, call, false, &text);

	if (r < 0)
		return r;
	if (!has_parens)
		return rarog_str_addf(after, "(%s)", rarog_str_text(&text));
	return text.length > 0 ? rarog_str_addf(after, " [%s]", rarog_str_text(&text)) : 0;
}

static int add_result(const struct replay *rp, const struct rarog_moment *m,
		      struct rarog_str *after)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = rarog_call_values_add(&rp->values, m, true, &text);

	return r < 0 || text.length == 0 ? r : rarog_str_addf(after, " = %s", text.text);
}

/* Prints the opening lines that are still owed, of the outermost @n frames of a strand. */
static void open_frames(struct replay *rp, const struct rarog_moment *m, size_t n)
{
	struct thread *thread = &rp->threads[m->strand];

	for (; thread->n_open < n; thread->n_open++) {
		struct frame *frame = &thread->frames.v[thread->n_open];

		if (!frame->is_wanted)
			continue;
		rarog_cleanup(rarog_str_release) struct rarog_str after = { 0 };
		const struct rarog_moment call = { .strand = m->strand,
						   .location = frame->location,
						   .number = frame->number };

		frame->is_open = true;
		add_values(rp, &call, &after);
		rarog_str_add(&after, " {");
		print_line(rp, m, frame->entry_ns, "", frame->level, "",
			   name_of(rp, frame->location), rarog_str_text(&after));
	}
}

static bool is_in_time(const struct replay *rp, uint64_t clock)
{
	return rarog_run_ns(&rp->show->run, clock) >= rp->show->options.from_ns;
}

/* By name and depth; by duration only its end can tell. */
static bool deserves_line(struct replay *rp, const struct thread *thread, uint32_t location,
			  size_t *ret_level)
{
	const struct rarog_show_options *options = &rp->show->options;
	size_t level = thread->frames.n;

	if (options->func)
		level = thread->n_below;
	*ret_level = level;
	if (options->func && thread->n_below == 0 && !rp->is_match[location])
		return false;
	return options->depth == 0 || level < options->depth;
}

static int enter(struct replay *rp, const struct rarog_moment *m)
{
	struct thread *thread = &rp->threads[m->strand];
	struct frame frame = { .location = m->location,
			       .number = m->number,
			       .entry_ns = rarog_run_ns(&rp->show->run, m->clock_ticks) };

	frame.is_wanted = deserves_line(rp, thread, m->location, &frame.level);
	if (thread->n_below > 0 || (rp->show->options.func && rp->is_match[m->location]))
		thread->n_below++;
	/* without a minimum, what is entered will be printed: so may what it is in */
	if (frame.is_wanted && rp->show->options.min_time_ns == 0 &&
	    is_in_time(rp, m->clock_ticks) && rp->show->options.format == RAROG_SHEET_TABLE)
		open_frames(rp, m, thread->frames.n);
	return rarog_vec_push(&thread->frames, frame) < 0 ? rarog_oom() : 0;
}

static int add_to_sheet(struct replay *rp, const struct rarog_moment *m)
{
	const struct rarog_run *run = &rp->show->run;
	const struct rarog_location *location = &run->locations[m->location];
	uint64_t start = rarog_run_ns(run, m->begin_ticks);
	rarog_cleanup(rarog_str_release) struct rarog_str arguments = { 0 }, returned = { 0 };
	int r = rarog_call_values_add(&rp->values, m, false, &arguments);

	if (r == 0)
		r = rarog_call_values_add(&rp->values, m, true, &returned);
	const struct rarog_value values[] = {
		{ .number = rarog_run_pid(run, m->strand) },
		{ .number = run->strands[m->strand].tid },
		{ .number = start },
		{ .number = rarog_run_ns(run, m->ticks) - start },
		{ .number = rarog_clock_ns(run->clock, m->exclusive) },
		{ .number = m->depth },
		{ .text = rarog_end_name(m->end) },
		{ .text = rarog_location_title(location) },
		{ .text = location->name },
		{ .text = rarog_run_binary(run, location) },
		{ .text = location->file },
		{ .number = location->line, .is_null = location->line == 0 },
		{ .text = rarog_str_text(&arguments) },
		{ .text = rarog_str_text(&returned) },
	};

	return r < 0 ? r : rarog_sheet_add(&rp->sheet, values);
}

static const char *end_mark(const struct rarog_moment *m)
{
	if (m->end == RAROG_OP_UNWOUND)
		return "  /* left by an exception or longjmp */";
	return m->end == RAROG_OP_CLOSED ? "  /* still open at the end */" : "";
}

static void print_end(struct replay *rp, const struct rarog_moment *m, const struct frame *frame)
{
	struct rarog_amount duration = duration_of(rp, m);
	rarog_cleanup(rarog_str_release) struct rarog_str after = { 0 };

	if (frame->is_open) {
		rarog_str_add(&after, " */");
		add_result(rp, m, &after);
		rarog_str_add(&after, end_mark(m));
		print_line(rp, m, rarog_run_ns(&rp->show->run, m->clock_ticks), duration.text,
			   frame->level, "} /* ", name_of(rp, frame->location),
			   rarog_str_text(&after));
		return;
	}
	open_frames(rp, m, rp->threads[m->strand].frames.n);
	add_values(rp, m, &after);
	add_result(rp, m, &after);
	rarog_str_addf(&after, ";%s", end_mark(m));
	print_line(rp, m, frame->entry_ns, duration.text, frame->level, "",
		   name_of(rp, frame->location), rarog_str_text(&after));
}

static bool is_long(const struct replay *rp, const struct rarog_moment *m)
{
	const struct rarog_run *run = &rp->show->run;

	return rarog_run_ns(run, m->ticks) - rarog_run_ns(run, m->begin_ticks) >=
	       rp->show->options.min_time_ns;
}

static int leave(struct replay *rp, const struct rarog_moment *m)
{
	struct thread *thread = &rp->threads[m->strand];
	struct frame frame = thread->frames.v[--thread->frames.n];
	int r = 0;

	if (thread->n_open > thread->frames.n)
		thread->n_open = thread->frames.n;
	if (thread->n_below > 0)
		thread->n_below--;
	if (!frame.is_wanted || !is_in_time(rp, m->clock_ticks))
		return 0;
	if (!frame.is_open && !is_long(rp, m))
		return 0;
	rp->n_shown++;
	if (rp->show->options.format != RAROG_SHEET_TABLE)
		r = add_to_sheet(rp, m);
	else
		print_end(rp, m, &frame);
	return r;
}

static void print_lost(struct replay *rp, const struct rarog_moment *m)
{
	char text[64];

	if (rp->show->options.format != RAROG_SHEET_TABLE || !is_in_time(rp, m->clock_ticks))
		return;
	snprintf(text, sizeof(text), "LOST: %s events are missing here",
		 rarog_format_count(m->count).text);
	print_line(rp, m, rarog_run_ns(&rp->show->run, m->clock_ticks), "",
		   rp->threads[m->strand].frames.n, "", text, "");
}

/* Another thread's line follows: what this one is in is told first. Not with --min-time, where it
 * is not known yet whether it will be told at all. */
static void change_strand(struct replay *rp, const struct rarog_moment *m)
{
	struct rarog_moment old = { .strand = rp->last };

	if (rp->last != RAROG_NONE && rp->last != m->strand && rp->show->options.min_time_ns == 0 &&
	    rp->show->options.format == RAROG_SHEET_TABLE && is_in_time(rp, m->clock_ticks))
		open_frames(rp, &old, rp->threads[rp->last].frames.n);
	rp->last = m->strand;
}

static int take(struct replay *rp, const struct rarog_moment *m)
{
	const struct rarog_show_options *options = &rp->show->options;

	if (options->to_ns > 0 && rarog_run_ns(&rp->show->run, m->clock_ticks) >= options->to_ns) {
		rp->is_past_end = true;
		return 0;
	}
	change_strand(rp, m);
	if (m->kind == RAROG_MOMENT_ENTER)
		return enter(rp, m);
	if (m->kind == RAROG_MOMENT_LEAVE)
		return leave(rp, m);
	print_lost(rp, m);
	return 0;
}

/* What is open where --to cuts: its braces are closed, without a duration. */
static void close_strand(struct replay *rp, uint32_t strand)
{
	struct thread *thread = &rp->threads[strand];
	struct rarog_moment m = { .strand = strand };

	while (thread->frames.n > 0) {
		struct frame frame = thread->frames.v[--thread->frames.n];

		if (frame.is_open)
			print_line(rp, &m, rp->show->options.to_ns, "", frame.level, "} /* ",
				   name_of(rp, frame.location), " */  /* goes on */");
	}
}

static int walk(struct replay *rp, struct rarog_timeline *timeline)
{
	struct rarog_moment moment;
	int r = 1;

	while (!rp->is_past_end && !ferror(rp->show->out) &&
	       (r = rarog_timeline_next(timeline, &moment)) > 0) {
		r = take(rp, &moment);
		if (r < 0)
			return r;
	}
	for (uint32_t i = 0; rp->is_past_end && i < rp->show->run.n_strands; i++)
		close_strand(rp, i);
	return r < 0 ? r : 0;
}

static int prepare(struct replay *rp)
{
	const struct rarog_run *run = &rp->show->run;

	rp->threads = calloc(run->n_strands + 1, sizeof(*rp->threads));
	rp->names = calloc(run->n_locations + 1, sizeof(*rp->names));
	rp->is_match = calloc(run->n_locations + 1, sizeof(*rp->is_match));
	rp->has_parens = calloc(run->n_locations + 1, sizeof(*rp->has_parens));
	if (!rp->threads || !rp->names || !rp->is_match || !rp->has_parens)
		return rarog_oom();
	for (size_t i = 0; i < run->n_locations; i++)
		rp->has_parens[i] = strchr(rarog_location_title(&run->locations[i]), '(');
	for (size_t i = 0; rp->show->options.func && i < run->n_locations; i++)
		rp->is_match[i] = rarog_show_matches(rp->show, &run->locations[i]);
	for (size_t i = 1; i < run->n_strands; i++)
		rp->with_thread = rp->with_thread || run->strands[i].tid != run->strands[0].tid;
	return rarog_call_values_load(run->profile, &rp->values);
}

static int print_head(struct replay *rp)
{
	const struct rarog_show_options *options = &rp->show->options;

	if (options->format != RAROG_SHEET_TABLE)
		return rarog_show_sheet(rp->show, &rp->sheet,
					RAROG_COUNT(facts) - (rp->values.has_any ? 0 : N_VALUES),
					facts, "replay");
	fprintf(rp->show->out, "%s%14s  %s%10s %s call%s\n",
		options->colour ? rarog_style_on(RAROG_STYLE_BOLD) : "", "seconds",
		rp->with_thread ? " thread  " : "", "duration", options->ascii ? "|" : "│",
		options->colour ? rarog_style_off(RAROG_STYLE_BOLD) : "");
	return 0;
}

static void release(struct replay *rp)
{
	for (size_t i = 0; rp->threads && i < rp->show->run.n_strands; i++)
		rarog_vec_release(&rp->threads[i].frames);
	for (size_t i = 0; rp->names && i < rp->show->run.n_locations; i++)
		free(rp->names[i]);
	free(rp->threads);
	free(rp->names);
	free(rp->is_match);
	free(rp->has_parens);
	rarog_sheet_release(&rp->sheet);
	rarog_call_values_release(&rp->values);
}

static int check_replay(const struct rarog_show *show)
{
	if (show->has_samples)
		return rarog_fail(-ENODATA,
				  "%s has samples, and no calls to replay; rarog collect trace "
				  "measures them",
				  rarog_profile_path(show->run.profile));
	if (rarog_run_has_calls(show->run.profile))
		return rarog_show_check_tid(show);
	return rarog_fail(-ENODATA,
			  "%s has no calls to replay, only their sums; collect with "
			  "--detail=calls",
			  rarog_profile_path(show->run.profile));
}

static int show_replay(struct rarog_show *show)
{
	rarog_cleanup(rarog_timeline_freep) struct rarog_timeline *timeline = NULL;
	struct rarog_timeline_options order = { .only_tid = show->options.has_tid,
						.tid = show->options.tid };
	enum rarog_style dim = show->options.colour ? RAROG_STYLE_DIM : RAROG_STYLE_PLAIN;
	struct replay rp = { .show = show,
			     .last = RAROG_NONE,
			     .dim_on = rarog_style_on(dim),
			     .dim_off = rarog_style_off(dim) };
	int r = rarog_timeline_new(show->run.profile, &order, &timeline);

	if (r == 0)
		r = prepare(&rp);
	if (r == 0)
		r = print_head(&rp);
	if (r == 0)
		r = walk(&rp, timeline);
	if (r == 0 && show->options.format != RAROG_SHEET_TABLE)
		r = rarog_sheet_end(&rp.sheet, 0, false);
	if (r == 0 && rp.n_shown == 0)
		rarog_show_note(show, "no calls");
	release(&rp);
	return r;
}

const struct rarog_view rarog_view_replay = {
	.run = show_replay,
	.check = check_replay,
	.is_drawing = true,
};
