/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/finding.h"

#include <errno.h>

#include "base/error.h"
#include "base/log.h"
#include "base/units.h"

static bool printed_else(const struct rarog_blow_result *result,
			 const struct rarog_blow_outcome *run)
{
	return result->output && run->output != result->output;
}

bool rarog_blow_ends_otherwise(const struct rarog_blow_result *result,
			       const struct rarog_blow_outcome *run)
{
	return run->timed_out || run->status != result->status || printed_else(result, run);
}

/* It printed something else if it ended as it should. */
static bool is_as(const struct rarog_blow_finding *finding, const struct rarog_blow_outcome *run)
{
	return finding->timed_out == run->timed_out &&
	       (run->timed_out || finding->status == run->status);
}

static struct rarog_blow_finding *find(const struct rarog_blow_result *result,
				       const struct rarog_blow_function *f,
				       const struct rarog_blow_outcome *run)
{
	size_t function = (size_t)(f - result->corpus.v.v);

	for (size_t i = 0; i < result->findings.n; i++)
		if (result->findings.v[i].function == function &&
		    is_as(&result->findings.v[i], run))
			return &result->findings.v[i];
	return NULL;
}

static int add(struct rarog_blow_result *result, const struct rarog_blow_function *f,
	       const struct rarog_blow_outcome *run)
{
	const struct rarog_blow_finding finding = {
		.function = (size_t)(f - result->corpus.v.v),
		.delay_ns = f->delay_ns,
		.seen = 1,
		.status = run->status,
		.is_control = run->what == RAROG_BLOW_CONTROL,
		.timed_out = run->timed_out,
		.stacks = run->stacks,
		.printed_else = !run->timed_out && run->status == result->status,
	};

	return rarog_vec_push(&result->findings, finding) < 0 ? rarog_oom() : 0;
}

int rarog_blow_finding_note(struct rarog_blow_result *result, struct rarog_blow_function *f,
			    struct rarog_blow_outcome *run)
{
	struct rarog_blow_finding *finding = find(result, f, run);

	if (!finding)
		return add(result, f, run);
	finding->seen++;
	rarog_stacks_release(&run->stacks);
	return 0;
}

uint64_t rarog_blow_finding_seen(const struct rarog_blow_result *result,
				 const struct rarog_blow_function *f)
{
	size_t function = (size_t)(f - result->corpus.v.v);
	uint64_t seen = 0;

	for (size_t i = 0; i < result->findings.n; i++)
		if (result->findings.v[i].function == function)
			seen += result->findings.v[i].seen;
	return seen;
}

/* What comes without noise, too, says nothing of it. */
static void drop(struct rarog_blow_result *result, const struct rarog_blow_outcome *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->findings.n; i++) {
		struct rarog_blow_finding *one = &result->findings.v[i];
		struct rarog_blow_function *f = &result->corpus.v.v[one->function];

		if (!is_as(one, run)) {
			result->findings.v[kept++] = *one;
			continue;
		}
		rarog_stacks_release(&one->stacks);
		f->state = f->state == RAROG_BLOW_FAILED ? RAROG_BLOW_OPEN : f->state;
	}
	result->findings.n = kept;
}

int rarog_blow_finding_check(const struct rarog_blow_options *options,
			     struct rarog_blow_result *result, const struct rarog_blow_outcome *run)
{
	const char *program = options->command->argv[0];

	if (!rarog_blow_ends_otherwise(result, run))
		return 0;
	/* the first of them has all of the budget */
	if (run->timed_out && result->plain_ns <= 0 && options->timeout_ns == 0)
		return rarog_fail(
			-ETIMEDOUT,
			"%s: a run without noise takes longer than all of the --budget, %s; "
			"give more",
			program, rarog_format_ns(options->budget_ns).text);
	if (run->timed_out || run->status != result->status) {
		drop(result, run);
		return rarog_fail(-EIO, "%s: %s without any noise, too; mend it first", program,
				  run->timed_out ? "does not end in time" : "ends otherwise");
	}
	drop(result, run);
	result->output = 0;
	rarog_warn("%s: prints something else without any noise, too, so that is not compared",
		   program);
	return 0;
}
