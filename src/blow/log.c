/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/units.h"
#include "binary/binary.h"

static const char *const whats[RAROG_BLOW_WHATS] = {
	[RAROG_BLOW_PLAIN] = "no noise",
	[RAROG_BLOW_SHARED] = "to compare with",
	[RAROG_BLOW_OWN] = "noise",
	[RAROG_BLOW_CONTROL] = "control",
};

const char *const rarog_blow_state_names[RAROG_BLOW_STATES] = {
	[RAROG_BLOW_OPEN] = "open",     [RAROG_BLOW_NARROW] = "known", [RAROG_BLOW_SMALL] = "small",
	[RAROG_BLOW_FAILED] = "broken", [RAROG_BLOW_SHORT] = "short",  [RAROG_BLOW_LEFT] = "left",
};

static void print_time(FILE *log, uint64_t elapsed_ns)
{
	fprintf(log, "%8.1f s  ", (double)elapsed_ns / 1e9);
}

static void print_name(FILE *log, const struct rarog_blow_function *f)
{
	char *name = rarog_demangle(f->name);

	fprintf(log, "%s", name ? name : f->name);
	free(name);
}

static void print_end(FILE *log, const struct rarog_blow_outcome *outcome)
{
	if (outcome->timed_out)
		fprintf(log, ": hangs");
	else if (WIFSIGNALED(outcome->status))
		fprintf(log, ": signal %d", WTERMSIG(outcome->status));
	else if (WEXITSTATUS(outcome->status) != 0)
		fprintf(log, ": exit status %d", WEXITSTATUS(outcome->status));
}

void rarog_blow_log_run(const struct rarog_blow_task *task,
			const struct rarog_blow_outcome *outcome,
			const struct rarog_blow_result *result, uint64_t elapsed_ns)
{
	FILE *log = task->options->log;

	if (!log)
		return;
	print_time(log, elapsed_ns);
	fprintf(log, "run %llu  %s", (unsigned long long)result->runs, whats[task->what]);
	if (task->own) {
		fprintf(log, " of %s in ", rarog_format_ns(task->own->delay_ns).text);
		print_name(log, task->own);
		fprintf(log, ", all together %s",
			rarog_format_ns((uint64_t)task->own->spent_ns).text);
	}
	fprintf(log, ": %s", rarog_format_ns((uint64_t)outcome->time_ns).text);
	print_end(log, outcome);
	fprintf(log, "\n");
	fflush(log);
}

void rarog_blow_log_round(const struct rarog_blow_options *options,
			  const struct rarog_blow_result *result, uint64_t elapsed_ns)
{
	FILE *log = options->log;

	if (!log)
		return;
	print_time(log, elapsed_ns);
	fprintf(log, "round %llu is over\n", (unsigned long long)result->rounds);
	for (size_t i = 0; i < result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &result->corpus.v.v[i];

		if (!f->has_estimate)
			continue;
		fprintf(log, "            %-6s  %6.3f  (%.3f … %.3f)  ",
			rarog_blow_state_names[f->state], f->answer.value, f->answer.low,
			f->answer.high);
		print_name(log, f);
		fprintf(log, "\n");
	}
	fflush(log);
}
