/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/blow/account.h"

#include <math.h>
#include <sys/wait.h>

#include "base/units.h"
#include "blow/turns.h"
#include "engine/delay.h"

/* Innermost first; the thread that it waits for, if that is known. */
static void print_stack(const struct rarog_thread_stack *stack, FILE *out)
{
	fprintf(out, "  thread %d ", (int)stack->tid);
	if (stack->runs)
		fprintf(out, "runs");
	else if (stack->waits_for)
		fprintf(out, "waits for thread %d", (int)stack->waits_for);
	else
		fprintf(out, "waits");
	for (size_t i = 0; i < stack->n; i++)
		fprintf(out, "%s %s", i == 0 ? ":" : " <", stack->frames[i]);
	fprintf(out, "\n");
}

/* Where not each run with noise has ended so. */
static void print_seen(const struct rarog_blow_view *view, const struct rarog_blow_finding *finding,
		       FILE *out)
{
	uint64_t of = rarog_blow_runs_with_finding(view->result, finding);

	if (view->options->attachment || (finding->seen > 1 && finding->seen >= of))
		fprintf(out, "\n");
	else if (finding->seen == 1)
		fprintf(out, "; seen once in %llu run%s\n", (unsigned long long)of,
			of == 1 ? "" : "s");
	else
		fprintf(out, "; in %llu of %llu runs\n", (unsigned long long)finding->seen,
			(unsigned long long)of);
}

static const char *how_of(const struct rarog_blow_mode *mode, bool is_control)
{
	if (!mode->is_gain)
		return "late";
	if (!mode->is_virtual)
		return "faster than the rest";
	return is_control ? "late, like all threads" : "virtually faster";
}

static void print_finding(const struct rarog_blow_view *view,
			  const struct rarog_blow_finding *finding, FILE *out)
{
	const struct rarog_blow_function *f = &view->result->corpus.v.v[finding->function];
	const char *how = how_of(view->options->mode, finding->is_control);

	fprintf(out, "%s %s %s: ", f->name, rarog_format_ns(finding->delay_ns).text, how);
	if (finding->timed_out && view->options->attachment)
		fprintf(out, "the program does nothing since: it hangs, or has no work");
	else if (finding->timed_out)
		fprintf(out, "the program did not end in time: it hangs");
	else if (finding->printed_else)
		fprintf(out, "the program printed something else");
	else if (WIFSIGNALED(finding->status))
		fprintf(out, "the program ended by signal %d", WTERMSIG(finding->status));
	else
		fprintf(out, "the program's exit status was %d", WEXITSTATUS(finding->status));
	print_seen(view, finding, out);
	for (size_t i = 0; i < finding->stacks.v.n; i++)
		print_stack(&finding->stacks.v.v[i], out);
}

static void print_left_out(const struct rarog_blow_result *result, FILE *out)
{
	unsigned long long n = result->left_out, all = result->left_out + result->shared;

	if (n > 0)
		fprintf(out,
			"%llu of %llu runs with noise in all functions ended otherwise than "
			"without, and do not count; see rarog blow slow, which says by whose "
			"noise\n",
			n, all);
}

static void print_account(const struct rarog_blow_result *result, FILE *out)
{
	size_t n[RAROG_BLOW_STATES] = { 0 };

	for (size_t i = 0; i < result->corpus.v.n; i++)
		n[result->corpus.v.v[i].state]++;
	fprintf(out,
		"%llu runs in %s, %llu of them to compare with (%s); of %zu functions called %zu "
		"were "
		"chosen:\n%zu known, %zu of no influence, %zu open, %zu broken%s",
		(unsigned long long)result->runs, rarog_format_ns(result->taken_ns).text,
		(unsigned long long)rarog_blow_controls(result),
		rarog_format_ns((uint64_t)result->base_ns).text, result->corpus.n_called,
		result->corpus.v.n, n[RAROG_BLOW_NARROW], n[RAROG_BLOW_SMALL], n[RAROG_BLOW_OPEN],
		n[RAROG_BLOW_FAILED],
		n[RAROG_BLOW_SHORT] > 0 ? "; calls of the others are too short" : "");
	if (n[RAROG_BLOW_LEFT] > 0)
		fprintf(out, ", %zu left since others matter more", n[RAROG_BLOW_LEFT]);
	fprintf(out, "\n");
}

static const char advice[] = "give it a larger --budget, while processors are free";

/* Whose answer could not be believed. */
static void print_unknown(const struct rarog_blow_view *view, FILE *out)
{
	for (size_t i = 0; i < view->result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &view->result->corpus.v.v[i];

		if (f->is_impossible)
			fprintf(out,
				"%s: unknown: %.0f %% of the run would be gained, which cannot be; "
				"%s\n",
				f->name, 100 * f->answer.value, advice);
	}
}

/* Whose answer says nothing. */
static void print_wide(const struct rarog_blow_view *view, FILE *out)
{
	for (size_t i = 0; i < view->result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &view->result->corpus.v.v[i];

		if (f->has_estimate && f->answer.low <= 0 && f->answer.high >= 1)
			fprintf(out,
				"%s: as good as unknown: runs differ so much that its interval "
				"reaches from nothing to the whole run; %s\n",
				f->name, advice);
	}
}

/* Of some nanoseconds a processor hides a part, as it would if the code were slower by them: it
 * computes them while it waits for memory or for what came before. */
static void print_hidden(const struct rarog_blow_view *view, FILE *out)
{
	size_t n = 0;

	if (view->options->mode->is_gain || view->options->kind != RAROG_NOISE_BUSY)
		return;
	for (size_t i = 0; i < view->result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &view->result->corpus.v.v[i];

		n += f->has_estimate && f->delay_ns > 0 && f->delay_ns < RAROG_DELAY_TURNS_NS &&
		     f->answer.high < 1;
	}
	if (n > 0)
		fprintf(out,
			"calls of %zu function%s were late by less than %d ns, which a processor "
			"hides in part; --noise-minimum=%dns says what longer delays cost\n",
			n, n == 1 ? "" : "s", RAROG_DELAY_TURNS_NS, 2 * RAROG_DELAY_TURNS_NS);
}

/* What an answer for @n functions takes at least. */
static struct rarog_amount budget_for(const struct rarog_blow_view *view, size_t n)
{
	const struct rarog_blow_result *result = view->result;
	double runs = RAROG_BLOW_LEAST_RUNS * rarog_blow_round(view->options->mode, n) + 2;

	return rarog_format_ns(
		(uint64_t)(runs * (double)result->taken_ns / (double)(result->runs + 1)));
}

/* For all: of a budget that is too small those that may matter more get all of it. */
static void print_too_few(const struct rarog_blow_view *view, FILE *out)
{
	const struct rarog_blow_result *result = view->result;
	size_t open = 0, all = 0;
	bool is_known = false;

	for (size_t i = 0; i < result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &result->corpus.v.v[i];

		is_known |= f->has_estimate || f->is_impossible;
		open += f->state == RAROG_BLOW_OPEN;
		all += f->state == RAROG_BLOW_OPEN || f->awaits_turn;
	}
	if (open > 0 && !is_known)
		fprintf(out,
			"too few runs for an answer: give a --budget of %s or more, choose some by "
			"--func, or give the program less to do\n",
			budget_for(view, open).text);
	if (all > open)
		fprintf(out,
			"for those that are left, too, give a --budget of %s or more, or choose "
			"them by --func\n",
			budget_for(view, result->corpus.v.n).text);
}

static void print_progress(const struct rarog_blow_result *result, FILE *out)
{
	if (result->points.v.n == 0)
		return;
	fprintf(out, "progress is a passage of %s: %s in the traced run",
		result->points.v.v[0].name, rarog_format_count(result->points.v.v[0].passes).text);
	if (result->unpassed > 0)
		fprintf(out, "; %llu runs have none and do not count",
			(unsigned long long)result->unpassed);
	fprintf(out, "\n");
}

void rarog_blow_print_account(const struct rarog_blow_view *view, FILE *out)
{
	for (size_t i = 0; i < view->result->findings.n; i++)
		print_finding(view, &view->result->findings.v[i], out);
	print_left_out(view->result, out);
	print_progress(view->result, out);
	print_account(view->result, out);
	print_unknown(view, out);
	print_wide(view, out);
	print_hidden(view, out);
	print_too_few(view, out);
}
