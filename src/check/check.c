/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "check/blame.h"
#include "check/growth-runs.h"
#include "check/same-program.h"
#include "check/source-lines.h"
#include "check/strategy.h"
#include "check/unknown.h"
#include "collect/collector.h"
#include "store/compatible.h"
#include "store/configuration.h"

static void check_release(struct rarog_check *check)
{
	free(check->job);
	rarog_comparison_release(&check->comparison);
	rarog_verdict_release(&check->verdict);
	rarog_vec_release(&check->inputs);
	free(check->sittings.setting);
}

void rarog_checks_release(struct rarog_checks *checks)
{
	for (size_t i = 0; i < checks->list.n; i++)
		check_release(&checks->list.v[i]);
	for (size_t i = 0; i < checks->notes.n; i++)
		free(checks->notes.v[i]);
	rarog_vec_release(&checks->list);
	rarog_vec_release(&checks->notes);
}

enum rarog_finding rarog_checks_finding(const struct rarog_checks *checks)
{
	enum rarog_finding worst = RAROG_FINDING_NONE;

	for (size_t i = 0; i < checks->list.n; i++)
		if (checks->list.v[i].verdict.finding > worst)
			worst = checks->list.v[i].verdict.finding;
	return worst;
}

/* --- which job of one is which of the other --- */

/* A pair of jobs, by a run of each, and why they may be compared or not. */
struct pair {
	size_t a, b; /* first runs */
	struct rarog_compatibility why;
	bool has_blocks; /* counts are all that is compared */
	bool is_allowed;
};

static void pair_release(struct pair *pair)
{
	rarog_compatibility_release(&pair->why);
}

/* Another build is what is to be compared; by another compiler it is another experiment. */
static bool forbids(const struct pair *pair, const struct rarog_reason *reason)
{
	return reason->comparable >
		       (pair->has_blocks ? RAROG_COMPARABLE_COUNTS : RAROG_COMPARABLE_NOTED) ||
	       reason->aspect == RAROG_ASPECT_COMPILER || reason->aspect == RAROG_ASPECT_FLAGS;
}

static const struct rarog_reason *forbidding(const struct pair *pair)
{
	for (size_t i = 0; i < pair->why.why.n; i++)
		if (forbids(pair, &pair->why.why.v[i]))
			return &pair->why.why.v[i];
	return NULL;
}

/* Is run @i the first of its job? */
static bool leads(const struct rarog_run_set *run_set, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (rarog_run_set_same_job(&run_set->runs.v[k], &run_set->runs.v[i]))
			return false;
	return true;
}

static bool counts_blocks(const struct rarog_run_set_run *run)
{
	return rarog_collector_traits(run->facts.job.collector, NULL) & RAROG_COLLECTOR_BLOCKS;
}

/* The job of @baseline that is nearest to run @b of @target. */
static int find_partner(const struct rarog_run_set *baseline, const struct rarog_run_set *target,
			size_t b, struct pair *pair)
{
	bool is_found = false;

	for (size_t a = 0; a < baseline->runs.n && !pair->is_allowed; a++) {
		struct pair next = { .a = a, .b = b };
		int r;

		if (!leads(baseline, a) || !baseline->runs.v[a].profile)
			continue;
		r = rarog_compatible(&baseline->runs.v[a].facts, &target->runs.v[b].facts,
				     &next.why);
		if (r < 0)
			return r;
		next.has_blocks =
			counts_blocks(&baseline->runs.v[a]) && counts_blocks(&target->runs.v[b]);
		next.is_allowed = !forbidding(&next);
		if (is_found && !next.is_allowed && next.why.comparable >= pair->why.comparable) {
			pair_release(&next);
			continue;
		}
		pair_release(pair);
		*pair = next;
		is_found = true;
	}
	return is_found;
}

/* --- comparing a pair --- */

static int move_runs(struct rarog_check *check, size_t side, struct rarog_run_set *run_set,
		     size_t leader)
{
	int r = rarog_side_init(&check->comparison.sides[side], run_set->name, run_set->version);

	for (size_t i = leader; r == 0 && i < run_set->runs.n; i++) {
		struct rarog_run_set_run *run = &run_set->runs.v[i];
		static const struct rarog_hash nowhere;

		if (!rarog_run_set_same_job(&run_set->runs.v[leader], run) || !run->profile)
			continue;
		if (!rarog_hash_equal(&run->object, &nowhere) &&
		    rarog_vec_push(&check->inputs, run->object) < 0)
			return rarog_oom();
		r = rarog_side_add(&check->comparison.sides[side], rarog_take(run->profile));
	}
	return r;
}

static int note_runs(struct rarog_check *check, const struct rarog_run_set *run_set, size_t leader)
{
	size_t n = 0, noisy = 0, partial = 0, lossy = 0;
	int r = 0;

	for (size_t i = leader; i < run_set->runs.n; i++) {
		const struct rarog_facts *facts = &run_set->runs.v[i].facts;

		if (!rarog_run_set_same_job(&run_set->runs.v[leader], &run_set->runs.v[i]))
			continue;
		n++;
		noisy += facts->is_noisy && !counts_blocks(&run_set->runs.v[i]);
		partial += facts->is_partial;
		lossy += facts->losses > 0;
	}
	if (noisy)
		r = rarog_verdict_note(&check->verdict,
				       "%s: the machine was not quiet in %zu of %zu runs",
				       run_set->name, noisy, n);
	if (r == 0 && partial)
		r = rarog_verdict_note(&check->verdict, "%s: %zu of %zu profiles are cut off",
				       run_set->name, partial, n);
	if (r == 0 && lossy)
		r = rarog_verdict_note(&check->verdict,
				       counts_blocks(&run_set->runs.v[leader])
					       ? "%s: %zu of %zu runs lost counts: their counts "
						 "are too low"
					       : "%s: %zu of %zu runs lost events: their times "
						 "may be too short",
				       run_set->name, lossy, n);
	if (r == 0 && run_set->left_out)
		r = rarog_verdict_note(
			&check->verdict,
			"%s: %llu profiles were left out: measured with changes that "
			"are in no commit, cut off or damaged",
			run_set->name, (unsigned long long)run_set->left_out);
	return r;
}

static int note_reasons(struct rarog_check *check, const struct pair *pair)
{
	int r = 0;

	check->verdict.is_forced = !pair->is_allowed;
	for (size_t i = 0; r == 0 && i < pair->why.why.n; i++) {
		const struct rarog_reason *reason = &pair->why.why.v[i];

		if (reason->aspect != RAROG_ASPECT_CONDITIONS) /* of all runs: note_runs() */
			r = rarog_verdict_note(&check->verdict, "%s%s",
					       forbids(pair, reason) ? "forced: " : "",
					       reason->words);
	}
	return r;
}

/* What runs would say of times, exact says of counts of blocks, and sensitivity of experiments. */
static const struct rarog_check_method *instead_of_runs(const struct rarog_comparison *c)
{
	return c->has_blocks        ? &rarog_check_exact
	       : c->has_experiments ? &rarog_check_sensitivity
				    : &rarog_check_runs;
}

/* A method that finds nothing to work on is a note; if none finds anything, the check cannot tell.
 */
static int run_rules(struct rarog_check *check, size_t n, const struct rarog_check_rule rules[])
{
	struct rarog_check_rule instead = { .method = instead_of_runs(&check->comparison) };
	size_t without_data = 0;
	int r = 0;

	rarog_threshold_standards(instead.method, instead.thresholds);
	for (size_t i = 0; r == 0 && i < n; i++) {
		bool is_other =
			rules[i].method == &rarog_check_runs && instead.method != &rarog_check_runs;
		const struct rarog_check_rule *rule = is_other ? &instead : &rules[i];

		r = rule->method->run(&check->comparison, rule->thresholds, &check->verdict);
		if (r != -ENODATA)
			continue;
		without_data++;
		r = rarog_verdict_note(&check->verdict, "%s: %s", rule->method->name,
				       rarog_error_message());
	}
	check->verdict.is_open |= without_data == n;
	return r < 0 ? r : 0;
}

static bool captures_values(const struct rarog_side *side)
{
	const struct rarog_argument *arguments;

	return side->runs.n > 0 && rarog_profile_arguments(side->runs.v[0].profile, &arguments) > 0;
}

/* Where calls were measured with what they were given, whatever they were given: growth says what
 * sums of times do not. */
static int run_growth(struct rarog_check *check, size_t n, const struct rarog_check_rule rules[])
{
	struct rarog_check_rule growth = { .method = &rarog_check_growth };
	const struct rarog_side *sides = check->comparison.sides;
	int r;

	for (size_t i = 0; i < n; i++)
		if (rules[i].method != &rarog_check_runs)
			return 0;
	check->is_by_runs = true;
	if (!captures_values(&sides[0]) || !captures_values(&sides[1]))
		return 0;
	rarog_threshold_standards(growth.method, growth.thresholds);
	r = growth.method->run(&check->comparison, growth.thresholds, &check->verdict);
	if (r != -ENODATA)
		return r;
	rarog_error_clear();
	return 0;
}

/* Of one program nothing changed, whatever was measured. */
static int clear(struct rarog_verdict *verdict)
{
	for (size_t i = 0; i < verdict->changes.n; i++) {
		verdict->changes.v[i].class = RAROG_CLASS_NO_CHANGE;
		rarog_change_say(&verdict->changes.v[i].reason, NULL); /* runs need not tell */
	}
	verdict->is_open = verdict->is_unexplained = verdict->has_added = false;
	verdict->is_same_program = true;
	verdict->runs_needed = 0;
	return rarog_verdict_note(verdict,
				  "both versions are the same program: programs, libraries "
				  "and the files that it opens, of the work tree or named by "
				  "it, are the same, so what differs is the machine, or a file "
				  "elsewhere");
}

static int judge_same_program(struct rarog_check *check)
{
	const struct rarog_row *row = rarog_same_program_otherwise(&check->comparison);

	return row ? rarog_verdict_note(&check->verdict,
					"both versions are the same program, but %s is called a "
					"different number of times: it is given something else",
					rarog_row_name(row))
		   : clear(&check->verdict);
}

/* By the project's strategies for such a profile, unless methods were named or none fits. */
static int run_chosen(struct rarog_check *check, const struct rarog_check_options *options,
		      const struct rarog_facts *facts, bool is_same_program)
{
	struct rarog_check_rule rules[RAROG_STRATEGY_RULES];
	size_t n = options->strategies ? rarog_strategies_choose(options->strategies, facts, rules)
				       : 0;

	const struct rarog_check_rule *chosen = n > 0 ? rules : options->rules;
	int r;

	n = n > 0 ? n : options->n;
	r = run_rules(check, n, chosen);
	if (r == 0)
		r = run_growth(check, n, chosen);
	if (r == 0 && is_same_program)
		r = judge_same_program(check);
	if (r < 0)
		return r;
	rarog_verdict_finish(&check->verdict);
	r = rarog_blame(&check->comparison, &check->verdict);
	return r < 0 ? r : rarog_source_lines(&check->comparison, options->vcs, &check->verdict);
}

static char *job_text(const struct rarog_job *job)
{
	rarog_cleanup(rarog_str_release) struct rarog_str options = { 0 };

	if (rarog_configuration_words(job->configuration, " · ", &options) < 0)
		return NULL;
	return rarog_asprintf("%s%s%s%s%s%s%s%s", job->name, *job->name ? ": " : "", job->command,
			      *job->arguments ? " " : "", job->arguments,
			      *job->workload ? " · " : "", job->workload, rarog_str_text(&options));
}

/* Runs of a comparison were made in rounds, one of each version. */
static bool are_rounds(const struct rarog_comparison *c)
{
	const struct rarog_side *a = &c->sides[RAROG_BASELINE], *b = &c->sides[RAROG_TARGET];

	for (size_t i = 0; i < a->runs.n; i++)
		if (a->runs.n != b->runs.n || a->runs.v[i].round == 0 ||
		    a->runs.v[i].round != b->runs.v[i].round)
			return false;
	return true;
}

static size_t count_as_built(const struct rarog_side *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->runs.n; i++)
		n += side->runs.v[i].is_as_built;
	return n;
}

static int note_layout(struct rarog_check *check)
{
	const struct rarog_side *sides = check->comparison.sides;

	if (count_as_built(&sides[0]) + count_as_built(&sides[1]) == 0)
		return 0;
	return rarog_verdict_note(&check->verdict,
				  "the program could not be linked anew: a small change may come "
				  "from where its code happens to lie");
}

/* Runs at once are why few rounds suffice: people should know where there were none. */
static int note_way(struct rarog_check *check)
{
	const struct rarog_side *target = &check->comparison.sides[RAROG_TARGET];
	size_t failed = 0, several = 0;
	int r = 0;

	for (size_t i = 0; i < target->runs.n; i++) {
		failed += target->runs.v[i].failed_beside;
		several += target->runs.v[i].uses_several;
	}
	if (failed > 0)
		r = rarog_verdict_note(&check->verdict,
				       "in %zu of %zu rounds a run failed beside the other "
				       "version's: they were run in turn, which tells less",
				       failed, target->runs.n);
	if (r == 0 && several > 0)
		r = rarog_verdict_note(&check->verdict,
				       "the program uses several processors: the versions were run "
				       "in turn, not at once, which tells less");
	return r;
}

static int prepare_pair(struct rarog_check *check, struct rarog_run_set *baseline,
			struct rarog_run_set *target, const struct pair *pair)
{
	int r;

	check->job = job_text(&target->runs.v[pair->b].facts.job);
	check->job_key = target->runs.v[pair->b].facts.job.key;
	r = check->job ? note_reasons(check, pair) : rarog_oom();
	if (r == 0)
		r = note_runs(check, baseline, pair->a);
	if (r == 0)
		r = note_runs(check, target, pair->b);
	if (r == 0)
		r = move_runs(check, RAROG_BASELINE, baseline, pair->a);
	if (r == 0)
		r = move_runs(check, RAROG_TARGET, target, pair->b);
	check->comparison.is_paired = r == 0 && are_rounds(&check->comparison);
	if (check->comparison.is_paired)
		rarog_sides_pair(check->comparison.sides);
	if (r == 0)
		r = rarog_comparison_fill(&check->comparison);
	if (r == 0)
		r = rarog_unknown_note(&check->comparison, &check->verdict);
	if (r == 0 && !check->comparison.has_blocks) /* these change times, no counts */
		r = note_layout(check);
	if (r == 0 && !check->comparison.has_blocks)
		r = note_way(check);
	return r;
}

/* What sittings say is of one job, one class of machine and one setting. */
static int set_sittings(const struct rarog_facts *a, const struct rarog_facts *b,
			struct rarog_sittings *sittings)
{
	rarog_cleanup(rarog_freep) char *other = rarog_history_setting(a->header);

	sittings->setting = rarog_history_setting(b->header);
	if (!other || !sittings->setting)
		return -ENOMEM;
	sittings->job_key = b->job.key;
	if (strcmp(other, sittings->setting) != 0 || !rarog_hash_equal(&a->job.key, &b->job.key)) {
		free(sittings->setting);
		sittings->setting = NULL;
	}
	return rarog_machine_class(&b->machine, &sittings->machine_class);
}

static int compare_pair(struct rarog_check *check, const struct rarog_check_options *options,
			struct rarog_run_set *baseline, struct rarog_run_set *target,
			const struct pair *pair)
{
	const struct rarog_facts *facts = &target->runs.v[pair->b].facts;
	bool is_same = pair->is_allowed &&
		       rarog_same_program(options->vcs, baseline, pair->a, target, pair->b);
	int r = prepare_pair(check, baseline, target, pair);

	check->sittings = options->sittings;
	if (r == 0)
		r = set_sittings(&baseline->runs.v[pair->a].facts, facts, &check->sittings);
	check->comparison.sittings = &check->sittings;
	if (r == 0)
		r = run_chosen(check, options, facts, is_same);
	check->comparison.sittings = NULL; /* checks are moved */
	return r;
}

static int leave_out(struct rarog_checks *checks, const struct rarog_run_set *target,
		     const struct pair *pair)
{
	const struct rarog_reason *why = forbidding(pair);
	rarog_cleanup(rarog_freep) char *job = job_text(&target->runs.v[pair->b].facts.job);
	char *note = !job ? NULL
			  : rarog_asprintf("'%s' was not compared: %s", job,
					   why ? why->words : "the baseline does not have it");

	if (note && rarog_vec_push(&checks->notes, note) == 0)
		return 0;
	free(note);
	return rarog_oom();
}

static int add_pair(struct rarog_checks *checks, const struct rarog_check_options *options,
		    struct rarog_run_set *baseline, struct rarog_run_set *target,
		    const struct pair *pair)
{
	struct rarog_check check = { 0 };
	int r = compare_pair(&check, options, baseline, target, pair);

	if (r == 0 && rarog_vec_push(&checks->list, check) < 0)
		r = rarog_oom();
	if (r < 0)
		check_release(&check);
	return r;
}

static int refuse(const struct rarog_checks *checks, const struct rarog_run_set *baseline,
		  const struct rarog_run_set *target)
{
	if (baseline->runs.n == 0 || target->runs.n == 0)
		return rarog_fail(-EINVAL, "%s has no profile to compare",
				  baseline->runs.n == 0 ? baseline->name : target->name);
	return rarog_fail(-EINVAL, "%s and %s cannot be compared: %s; --force does it all the same",
			  baseline->name, target->name, checks->notes.v[checks->notes.n - 1]);
}

/* Is there any of @others that @run may be compared with? 1, 0, -ENOMEM. */
static int has_partner(const struct rarog_run_set_run *run, const struct rarog_run_set *others)
{
	for (size_t i = 0; i < others->runs.n; i++) {
		rarog_cleanup(pair_release) struct pair pair = { 0 };

		if (!leads(others, i))
			continue;
		if (rarog_compatible(&run->facts, &others->runs.v[i].facts, &pair.why) < 0)
			return -ENOMEM;
		pair.has_blocks = counts_blocks(run) && counts_blocks(&others->runs.v[i]);
		if (!forbidding(&pair))
			return 1;
	}
	return 0;
}

/* What was not taken although it could have been: another job was nearer, or there first. */
static int note_rest(struct rarog_checks *checks, const struct rarog_run_set *run_set,
		     const struct rarog_run_set *others)
{
	size_t n = 0;
	char *note;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < run_set->runs.n; i++) {
		if (!run_set->runs.v[i].profile)
			continue;
		r = has_partner(&run_set->runs.v[i], others);
		n += r > 0;
	}
	if (r < 0 || n == 0)
		return r < 0 ? r : 0;
	note = rarog_asprintf("%zu profile%s of %s %s not compared: %s measured otherwise than "
			      "those that were",
			      n, n == 1 ? "" : "s", run_set->name, n == 1 ? "was" : "were",
			      n == 1 ? "it was" : "they were");
	if (note && rarog_vec_push(&checks->notes, note) == 0)
		return 0;
	free(note);
	return rarog_oom();
}

int rarog_checks_add(struct rarog_checks *checks, const struct rarog_check_options *options,
		     struct rarog_run_set *baseline, struct rarog_run_set *target)
{
	size_t before = checks->list.n;
	int r = 0;

	for (size_t b = 0; r == 0 && b < target->runs.n; b++) {
		rarog_cleanup(pair_release) struct pair pair = { 0 };

		if (!leads(target, b))
			continue;
		pair.b = b;
		r = find_partner(baseline, target, b, &pair);
		if (r <= 0)
			continue;
		r = pair.is_allowed || options->is_forced
			    ? add_pair(checks, options, baseline, target, &pair)
			    : leave_out(checks, target, &pair);
	}
	if (r == 0 && checks->list.n == before)
		return refuse(checks, baseline, target);
	if (r == 0)
		r = rarog_growth_over_runs(checks, before);
	if (r == 0)
		r = note_rest(checks, baseline, target);
	return r < 0 ? r : note_rest(checks, target, baseline);
}
