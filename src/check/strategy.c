/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/strategy.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/match.h"

/* What of a profile can be asked for. */
enum { JOB, COLLECTOR, COMMAND, ARGUMENTS, WORKLOAD, LABEL, ASPECTS };

static const char *const aspects[ASPECTS] = { [JOB] = "job",           [COLLECTOR] = "collector",
					      [COMMAND] = "command",   [ARGUMENTS] = "arguments",
					      [WORKLOAD] = "workload", [LABEL] = "label" };

struct strategy {
	struct rarog_match wanted[ASPECTS]; /* empty: whatever it is */
	struct rarog_check_rule rule;
};

struct rarog_strategies {
	bool only_first;
	RAROG_VEC(struct strategy) list;
};

static void strategy_release(struct strategy *strategy)
{
	for (size_t i = 0; i < ASPECTS; i++)
		rarog_match_release(&strategy->wanted[i]);
}

void rarog_strategies_free(struct rarog_strategies *strategies)
{
	if (!strategies)
		return;
	for (size_t i = 0; i < strategies->list.n; i++)
		strategy_release(&strategies->list.v[i]);
	rarog_vec_release(&strategies->list);
	free(strategies);
}

/* --- reading --- */

/* What a function without a place said, at the place of @node. */
static int blame(const struct rarog_yaml *node)
{
	return rarog_fail_prefix(-EINVAL, "%s:%u:%u", node->name, node->line, node->column);
}

static int read_method(const struct rarog_yaml *node, struct strategy *strategy)
{
	const struct rarog_yaml *method = rarog_yaml_get(node, "method");
	const char *name;
	int r;

	if (!method)
		return rarog_yaml_fail(node, "a strategy needs a method; rarog check --methods "
					     "lists them");
	r = rarog_yaml_text(method, &name);
	if (r < 0)
		return r;
	strategy->rule.method = rarog_check_method_find(name);
	if (!strategy->rule.method)
		return blame(method);
	rarog_threshold_standards(strategy->rule.method, strategy->rule.thresholds);
	return 0;
}

static int read_threshold(const struct rarog_yaml_member *member, struct strategy *strategy)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	const char *value;
	int r = rarog_yaml_text(member->value, &value);

	if (r < 0)
		return r;
	text = rarog_asprintf("%s=%s", member->key->text, value);
	if (!text)
		return rarog_oom();
	r = rarog_threshold_set(strategy->rule.method, text, strategy->rule.thresholds);
	return r == -EINVAL ? blame(member->key) : r;
}

static int read_thresholds(const struct rarog_yaml *node, struct strategy *strategy)
{
	const struct rarog_yaml *set = rarog_yaml_get(node, "set");
	int r = 0;

	if (rarog_yaml_is_null(set))
		return 0;
	r = rarog_yaml_expect(set, RAROG_YAML_MAP, "a map of thresholds");
	for (size_t i = 0; r == 0 && i < set->n; i++)
		r = read_threshold(&set->members[i], strategy);
	return r;
}

static int read_aspects(const struct rarog_yaml *node, struct strategy *strategy)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ASPECTS; i++) {
		const struct rarog_yaml *pattern = rarog_yaml_get(node, aspects[i]);
		const char *text;

		if (rarog_yaml_is_null(pattern))
			continue;
		r = rarog_yaml_text(pattern, &text);
		if (r == 0)
			r = rarog_match_include(&strategy->wanted[i], text);
		if (r == -EINVAL)
			r = blame(pattern);
	}
	return r;
}

static int read_strategy(const struct rarog_yaml *node, struct rarog_strategies *strategies)
{
	static const char *const known[] = { "method",  "job",       "collector",
					     "command", "arguments", "workload",
					     "label",   "set",       NULL };
	struct strategy strategy = { .rule = { 0 } };
	int r = rarog_yaml_check_keys(node, "a strategy", known);

	if (r == 0)
		r = read_method(node, &strategy);
	if (r == 0)
		r = read_thresholds(node, &strategy);
	if (r == 0)
		r = read_aspects(node, &strategy);
	if (r == 0 && rarog_vec_push(&strategies->list, strategy) < 0)
		r = rarog_oom();
	if (r < 0)
		strategy_release(&strategy);
	return r;
}

static int read_list(const struct rarog_yaml *list, struct rarog_strategies *strategies)
{
	int r = rarog_yaml_expect(list, RAROG_YAML_LIST, "a list of strategies");

	for (size_t i = 0; r == 0 && i < list->n; i++)
		r = read_strategy(list->members[i].value, strategies);
	return r;
}

static int read_apply(const struct rarog_settings *settings, bool *ret_only_first)
{
	static const char *const choices[] = { "all", "first", NULL };
	const struct rarog_yaml *apply = rarog_settings_get(settings, "check.apply", NULL);
	int choice = 0, r = apply ? rarog_yaml_choice(apply, choices, &choice) : 0;

	*ret_only_first = choice == 1;
	return r;
}

int rarog_strategies_read(const struct rarog_settings *settings,
			  struct rarog_strategies **ret_strategies)
{
	rarog_cleanup(rarog_strategies_freep) struct rarog_strategies *strategies =
		calloc(1, sizeof(*strategies));
	const struct rarog_yaml *lists[RAROG_SCOPES];
	size_t n = rarog_settings_gather(settings, "check.strategies", lists);
	int r = strategies ? read_apply(settings, &strategies->only_first) : rarog_oom();

	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_list(lists[i], strategies);
	if (r == 0)
		*ret_strategies = strategies->list.n > 0 ? rarog_take(strategies) : NULL;
	return r;
}

/* --- choosing --- */

static bool fits(struct strategy *strategy, const struct rarog_facts *facts)
{
	const char *const names[ASPECTS] = {
		[JOB] = facts->job.name,          [COLLECTOR] = facts->job.collector,
		[COMMAND] = facts->job.command,   [ARGUMENTS] = facts->job.arguments,
		[WORKLOAD] = facts->job.workload, [LABEL] = facts->label
	};

	for (size_t i = 0; i < ASPECTS; i++) {
		const char *name = names[i] ? names[i] : "";

		if (!rarog_match_test(&strategy->wanted[i], 1, &name))
			return false;
	}
	return true;
}

static bool is_chosen(size_t n, const struct rarog_check_rule rules[],
		      const struct rarog_check_method *method)
{
	for (size_t i = 0; i < n; i++)
		if (rules[i].method == method)
			return true;
	return false;
}

size_t rarog_strategies_choose(struct rarog_strategies *strategies, const struct rarog_facts *facts,
			       struct rarog_check_rule ret_rules[])
{
	size_t n = 0;

	for (size_t i = 0; i < strategies->list.n && n < RAROG_STRATEGY_RULES; i++) {
		struct strategy *strategy = &strategies->list.v[i];

		if (!fits(strategy, facts) || is_chosen(n, ret_rules, strategy->rule.method))
			continue;
		ret_rules[n++] = strategy->rule;
		if (strategies->only_first)
			break;
	}
	return n;
}
