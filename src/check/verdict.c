/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/verdict.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

const struct rarog_metric rarog_metric_wall = { "wall-time", "ns" };
const struct rarog_metric rarog_metric_cpu = { "cpu-time", "ns" };
const struct rarog_metric rarog_metric_exclusive = { "exclusive-time", "ns" };
const struct rarog_metric rarog_metric_inclusive = { "inclusive-time", "ns" };
const struct rarog_metric rarog_metric_calls = { "calls", "calls" };
const struct rarog_metric rarog_metric_waiting = { "waiting-time", "ns" };
const struct rarog_metric rarog_metric_growth = { "growth", "ns" };

const char *rarog_finding_name(enum rarog_finding finding)
{
	static const char *const names[] = {
		[RAROG_FINDING_NONE] = "none",
		[RAROG_FINDING_IMPROVEMENT] = "improvement",
		[RAROG_FINDING_MAYBE] = "maybe",
		[RAROG_FINDING_INCONCLUSIVE] = "inconclusive",
		[RAROG_FINDING_DEGRADATION] = "degradation",
	};

	return names[finding];
}

/* --- owning --- */

/* The texts of a change were copied by rarog_verdict_add(). */
static void free_text(const char *text)
{
	free((void *)(uintptr_t)text);
}

static void change_release(struct rarog_change *change)
{
	free_text(change->location);
	free_text(change->binary);
	free_text(change->file);
	free_text(change->method);
	free_text(change->reason);
	free_text(change->path);
	free_text(change->lines);
	free((void *)(uintptr_t)change->parts);
}

void rarog_verdict_release(struct rarog_verdict *verdict)
{
	for (size_t i = 0; i < verdict->changes.n; i++)
		change_release(&verdict->changes.v[i]);
	for (size_t i = 0; i < verdict->notes.n; i++)
		free(verdict->notes.v[i]);
	rarog_vec_release(&verdict->changes);
	rarog_vec_release(&verdict->notes);
	*verdict = (struct rarog_verdict){ 0 };
}

static bool copy_text(const char **text)
{
	const char *from = *text;

	*text = from ? strdup(from) : NULL;
	return !from || *text;
}

static bool copy_parts(struct rarog_change *change)
{
	size_t size = change->n_parts * sizeof(*change->parts);
	struct rarog_change_part *parts = size > 0 ? malloc(size) : NULL;

	if (parts)
		memcpy(parts, change->parts, size);
	change->parts = parts;
	return size == 0 || parts;
}

int rarog_verdict_add(struct rarog_verdict *verdict, const struct rarog_change *change)
{
	struct rarog_change copy = *change;
	const char **texts[] = { &copy.location, &copy.binary, &copy.file, &copy.method,
				 &copy.reason,   &copy.path,   &copy.lines };
	bool is_whole = copy_parts(&copy);

	for (size_t i = 0; i < RAROG_COUNT(texts); i++)
		is_whole = copy_text(texts[i]) && is_whole; /* all, for the release */
	if (is_whole && rarog_vec_push(&verdict->changes, copy) == 0)
		return 0;
	change_release(&copy);
	return rarog_oom();
}

int rarog_verdict_note(struct rarog_verdict *verdict, const char *format, ...)
{
	struct rarog_str text = { 0 };
	va_list args;

	va_start(args, format);
	int r = rarog_str_vaddf(&text, format, args);
	va_end(args);
	for (size_t i = 0; r == 0 && i < verdict->notes.n; i++)
		if (strcmp(verdict->notes.v[i], text.text) == 0)
			r = 1;
	if (r == 0 && rarog_vec_push(&verdict->notes, text.text) == 0)
		return 0;
	rarog_str_release(&text);
	return r < 0 || r == 0 ? rarog_oom() : 0;
}

void rarog_change_say(const char **text, char *take_text)
{
	free_text(*text);
	*text = take_text;
}

/* --- the whole --- */

/* Instructions that came or went are counted as those of other functions are. */
static bool is_counted(const struct rarog_change *change, enum rarog_class class)
{
	return change->metric == &rarog_metric_instructions && change->class == class &&
	       !isnan(change->impact) && change->impact != 0;
}

static int rank_of(const struct rarog_change *change)
{
	if (is_counted(change, RAROG_CLASS_NOT_IN_BASELINE))
		return 1;
	if (is_counted(change, RAROG_CLASS_NOT_IN_TARGET))
		return 3;
	if (rarog_class_is_degradation(change->class))
		return 1;
	if (change->class == RAROG_CLASS_MAYBE_DEGRADATION)
		return 2;
	if (rarog_class_is_optimization(change->class))
		return 3;
	if (change->class == RAROG_CLASS_MAYBE_OPTIMIZATION)
		return 4;
	if (change->class == RAROG_CLASS_NOT_IN_BASELINE ||
	    change->class == RAROG_CLASS_NOT_IN_TARGET)
		return 5;
	return change->class == RAROG_CLASS_UNKNOWN ? 6 : 7;
}

static double weight_of(const struct rarog_change *change)
{
	return isnan(change->impact) ? -1 : fabs(change->impact);
}

/* Of what is not decided, the least likely chance is suspected first. */
static double chance_of(const struct rarog_change *change)
{
	return isnan(change->p) ? 1 : change->p;
}

static int by_importance(const void *a, const void *b)
{
	const struct rarog_change *x = a, *y = b;
	bool x_whole = *x->location == '\0', y_whole = *y->location == '\0';

	if (x_whole != y_whole)
		return x_whole ? -1 : 1;
	if (x_whole)
		return strcmp(y->metric->name, x->metric->name); /* wall before CPU */
	if (rank_of(x) != rank_of(y))
		return rank_of(x) - rank_of(y);
	if (x->class == RAROG_CLASS_UNKNOWN && chance_of(x) != chance_of(y))
		return chance_of(x) < chance_of(y) ? -1 : 1;
	if (weight_of(x) != weight_of(y))
		return weight_of(x) > weight_of(y) ? -1 : 1;
	return strcmp(x->location, y->location);
}

static bool is_better(enum rarog_class class)
{
	return rarog_class_is_optimization(class) || class == RAROG_CLASS_MAYBE_OPTIMIZATION;
}

static bool is_worse(enum rarog_class class)
{
	return rarog_class_is_degradation(class) || class == RAROG_CLASS_MAYBE_DEGRADATION;
}

static bool is_of_run(const struct rarog_change *change)
{
	return change->row == RAROG_CHANGE_PROGRAM &&
	       (change->metric == &rarog_metric_wall || change->metric == &rarog_metric_cpu);
}

static bool is_as_fast(const struct rarog_verdict *verdict, const struct rarog_change *change)
{
	return !is_worse(change->class) &&
	       (rarog_class_is_certain(change->class) || change->high <= verdict->smallest_effect);
}

/* Is it known of the whole program by one of its times that it is not slower by what matters, and
 * may it be so by the other? @ret_all: by each of them. */
static bool is_run_as_fast(const struct rarog_verdict *verdict, bool *ret_all)
{
	size_t n = 0, known = 0;

	for (size_t i = 0; i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (!is_of_run(change))
			continue;
		if (is_worse(change->class))
			return false;
		n++;
		known += is_as_fast(verdict, change);
	}
	*ret_all = known == n;
	return known > 0;
}

/* Of what functions surely took more, so much at least others must take less. */
#define MOVED_PART 0.5

/* Times: what one function does more another one does less, and the run takes as long. */
static bool has_work_moved(const struct rarog_verdict *verdict)
{
	double more = 0, less = 0;
	bool by_each;

	for (size_t i = 0; i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (change->metric != &rarog_metric_exclusive || isnan(change->impact))
			continue;
		if (is_worse(change->class))
			more += change->impact;
		else if (is_better(change->class) || change->class == RAROG_CLASS_NOT_IN_TARGET)
			less -= change->impact;
	}
	return more > 0 && less >= MOVED_PART * more && is_run_as_fast(verdict, &by_each) &&
	       (by_each || more - less <= verdict->smallest_effect);
}

/* How many instructions the program executes is known: code that only moved between its functions
 * made it neither better nor worse. */
static bool has_only_moved(const struct rarog_verdict *verdict, const struct rarog_change *change)
{
	if (change->metric == &rarog_metric_exclusive)
		return is_worse(change->class) && has_work_moved(verdict);
	if (change->metric != &rarog_metric_instructions || change->row == RAROG_CHANGE_PROGRAM)
		return false;
	for (size_t i = 0; i < verdict->changes.n; i++) {
		const struct rarog_change *program = &verdict->changes.v[i];

		if (program->metric == change->metric && program->row == RAROG_CHANGE_PROGRAM)
			return (is_worse(change->class) && !is_worse(program->class)) ||
			       (is_better(change->class) && !is_better(program->class));
	}
	return false;
}

void rarog_verdict_finish(struct rarog_verdict *verdict)
{
	bool has_degraded = false, has_maybe = verdict->has_added, has_improved = false;

	if (has_work_moved(verdict))
		rarog_verdict_note(verdict, "work moved between functions: what some take more "
					    "others take less");
	if (verdict->changes.n > 1)
		qsort(verdict->changes.v, verdict->changes.n, sizeof(*verdict->changes.v),
		      by_importance);
	for (size_t i = 0; i < verdict->changes.n; i++) {
		enum rarog_class class = verdict->changes.v[i].class;

		if (has_only_moved(verdict, &verdict->changes.v[i]))
			continue;
		has_degraded |= rarog_class_is_degradation(class);
		has_maybe |= class == RAROG_CLASS_MAYBE_DEGRADATION;
		has_improved |= rarog_class_is_optimization(class);
	}
	verdict->finding = has_degraded       ? RAROG_FINDING_DEGRADATION
			   : verdict->is_open ? RAROG_FINDING_INCONCLUSIVE
			   : has_maybe        ? RAROG_FINDING_MAYBE
			   : has_improved     ? RAROG_FINDING_IMPROVEMENT
					      : RAROG_FINDING_NONE;
}
