/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program may have 100,000 functions and a plan 10,000 patterns, so patterns are not tried one by
 * one. Nearly all of them are names: these stand sorted in one list, and each spelling of a
 * function is looked up there. Globs and regular expressions are tried, each once.
 */
#include "plan/place-set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/lower-bound.h"
#include "binary/hooks.h"
#include "plan/function-match.h"
#include "plan/marks.h"
#include "plan/name-filter.h"
#include "plan/region-places.h"

const char *const rarog_action_names[] = { "off",   "pruned", "count",  "sample", "record",
					   "delay", "gain",   "settle", NULL };

#define NOT_CHOSEN "not chosen"
#define EXCLUDED   "excluded"
#define ELSEWHERE  "chosen in other files"
#define NO_HOOK    "no hook"
#define COUNTED    "counted"
#define SAMPLED    "sampled"
#define PRUNED     "is not worth its cost"

/* --- many patterns at once --- */

enum meaning { INCLUDED, LEFT_OUT, ROOT, RULE, MEANINGS };

/* What it means that a function is meant by a pattern. */
struct meant {
	struct rarog_pattern *pattern;
	uint32_t meaning; /* enum meaning; from RULE on: the rule's number more */
};

struct patterns {
	RAROG_VEC(struct meant) names;  /* by text */
	RAROG_VEC(struct meant) others; /* globs, regular expressions */
	struct rarog_name_filter filter;
};

/* What all patterns say of one function. */
struct said {
	bool is[MEANINGS];
	uint32_t rule; /* the first that fits, UINT32_MAX: none */
};

static void patterns_release(struct patterns *patterns)
{
	rarog_vec_release(&patterns->names);
	rarog_vec_release(&patterns->others);
	rarog_name_filter_release(&patterns->filter);
}

static int add_pattern(struct patterns *patterns, struct rarog_pattern *pattern, uint32_t meaning)
{
	const struct meant meant = { pattern, meaning };

	if (rarog_name_filter_add(&patterns->filter, pattern) < 0)
		return -ENOMEM;
	return rarog_pattern_is_name(pattern) ? rarog_vec_push(&patterns->names, meant)
					      : rarog_vec_push(&patterns->others, meant);
}

static int add_match(struct patterns *patterns, struct rarog_match *match, uint32_t meaning)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < match->include.n; i++)
		r = add_pattern(patterns, &match->include.v[i], meaning);
	return r;
}

static int by_text(const void *left, const void *right)
{
	const struct meant *a = left, *b = right;

	return strcmp(a->pattern->text, b->pattern->text);
}

static int add_rules(struct patterns *patterns, struct rarog_call_sampling *every, const char *path)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < every->rules.n; i++)
		if (rarog_call_sampling_is_in(&every->rules.v[i], path))
			r = add_match(patterns, &every->rules.v[i].function, RULE + (uint32_t)i);
	return r;
}

static int gather(struct patterns *patterns, struct rarog_plan *plan, const char *path)
{
	int r = add_match(patterns, &plan->functions, INCLUDED);

	for (size_t i = 0; r == 0 && i < plan->functions.exclude.n; i++)
		r = add_pattern(patterns, &plan->functions.exclude.v[i], LEFT_OUT);
	if (r == 0)
		r = add_match(patterns, &plan->roots, ROOT);
	if (r == 0)
		r = add_rules(patterns, &plan->every, path);
	if (r < 0)
		return rarog_oom();
	if (patterns->names.n > 1)
		qsort(patterns->names.v, patterns->names.n, sizeof(*patterns->names.v), by_text);
	return 0;
}

static void note(const struct meant *meant, struct said *said)
{
	meant->pattern->hits++;
	if (meant->meaning < RULE) {
		said->is[meant->meaning] = true;
		return;
	}
	said->is[RULE] = true;
	if (meant->meaning - RULE < said->rule)
		said->rule = meant->meaning - RULE;
}

static void look_up(const struct patterns *patterns, const char *text, struct said *said)
{
	const struct meant *v = patterns->names.v;
	size_t n = patterns->names.n;
	size_t i = rarog_lower_bound(k, n, strcmp(v[k].pattern->text, text) < 0);

	for (; i < n && strcmp(v[i].pattern->text, text) == 0; i++)
		note(&v[i], said);
}

static void ask_of(const struct patterns *patterns, const char *name, struct said *said)
{
	rarog_cleanup(rarog_spellings_release) struct rarog_spellings spellings;

	rarog_spellings_make(name, &spellings);
	for (size_t i = 0; i < spellings.n; i++)
		look_up(patterns, spellings.v[i], said);
	for (size_t i = 0; i < patterns->others.n; i++)
		if (rarog_pattern_means(patterns->others.v[i].pattern, &spellings))
			note(&patterns->others.v[i], said);
}

static struct said ask(struct patterns *patterns, const struct rarog_function *function)
{
	const char *names[RAROG_FUNCTION_NAMES];
	struct said said = { .rule = UINT32_MAX };
	char *demangled = NULL;
	size_t n = 0;

	if (patterns->names.n + patterns->others.n > 0)
		n = rarog_name_filter_passes(&patterns->filter, function->name)
			    ? rarog_function_names(function, &demangled, names)
			    : rarog_function_symbols(function, names);
	for (size_t i = 0; i < n; i++)
		ask_of(patterns, names[i], &said);
	free(demangled);
	return said;
}

/* --- functions --- */

static void set_off(struct rarog_plan_place *place, const char *reason)
{
	place->action = RAROG_ACTION_OFF;
	place->reason = reason;
}

/* Of a function that is meant: by the first rule that fits, if there are rules at all. */
static void apply_rules(struct rarog_plan_place *place, const struct rarog_call_sampling *every,
			const struct said *said)
{
	uint32_t n = every->all;

	if (said->is[RULE]) {
		const struct rarog_call_sampling_rule *rule = &every->rules.v[said->rule];

		if (rule->is_never)
			return set_off(place, EXCLUDED);
		n = rule->n ? rule->n : n;
	} else if (every->rules.n > 0) {
		return set_off(place, ELSEWHERE);
	}
	if (n <= 1)
		return;
	place->action = RAROG_ACTION_SAMPLE;
	place->reason = SAMPLED;
	place->n = n;
}

static void decide(struct rarog_plan_place *place, const struct rarog_plan *plan,
		   const struct said *said)
{
	place->action = RAROG_ACTION_RECORD;
	place->is_root = said->is[ROOT];
	if (place->is_root)
		return;
	if (said->is[LEFT_OUT])
		set_off(place, EXCLUDED);
	else if (plan->no_functions || (plan->functions.include.n > 0 && !said->is[INCLUDED]))
		set_off(place, NOT_CHOSEN);
	else
		apply_rules(place, &plan->every, said);
}

static void count_only(struct rarog_plan_place *place)
{
	if (!rarog_place_is_measured(place))
		return;
	place->action = RAROG_ACTION_COUNT;
	place->reason = COUNTED;
	place->n = 0;
}

int rarog_place_set_add_functions(struct rarog_place_set *set, struct rarog_plan *plan, size_t n,
				  const struct rarog_function functions[n])
{
	rarog_cleanup(patterns_release) struct patterns patterns = { 0 };
	int r = gather(&patterns, plan, set->path);

	for (uint32_t i = 0; r == 0 && i < n; i++) {
		struct rarog_plan_place place = { .address = functions[i].address, .index = i };
		struct said said;

		if (functions[i].flags & RAROG_FUNCTION_COLD)
			continue;
		said = ask(&patterns, &functions[i]);
		decide(&place, plan, &said);
		if (plan->detail == RAROG_DETAIL_COUNT)
			count_only(&place);
		place.has_values = plan->values.all.n > 0 && rarog_place_is_measured(&place) &&
				   rarog_value_requests_mean(&plan->values, &functions[i]);
		r = rarog_vec_push(&set->v, place) < 0 ? rarog_oom() : 0;
	}
	return r;
}

static void leave_unhooked(struct rarog_place_set *set, const struct rarog_binary *binary)
{
	for (size_t i = 0; i < set->v.n; i++)
		if (!rarog_hooks_at(binary, set->v.v[i].address))
			set_off(&set->v.v[i], NO_HOOK);
}

/* --- marks --- */

static uint8_t kind_of(const struct rarog_mark_name *name)
{
	if (name->is_call)
		return RAROG_AT_CALL;
	if (name->is_region)
		return RAROG_AT_REGION_EDGE;
	return name->is_asked ? RAROG_AT_LINE : RAROG_AT_USDT;
}

static int add_marks(struct rarog_place_set *set, const struct rarog_plan *plan,
		     const struct rarog_marks *marks)
{
	for (size_t i = 0; i < marks->v.n; i++) {
		const struct rarog_mark_name *name = &marks->names.v[marks->v.v[i].name];
		struct rarog_plan_place place = {
			.address = marks->v.v[i].address,
			.index = marks->v.v[i].name,
			.mark = name->text,
			.kind = kind_of(name),
			.action = name->every > 1 ? RAROG_ACTION_SAMPLE : RAROG_ACTION_RECORD,
			.reason = name->every > 1 ? SAMPLED : NULL,
			.n = name->every > 1 ? name->every : 0,
			.has_values = marks->v.v[i].n_values > 0,
		};

		if (plan->detail == RAROG_DETAIL_COUNT)
			count_only(&place);
		if (rarog_vec_push(&set->v, place) < 0)
			return rarog_oom();
	}
	return 0;
}

static int by_address(const void *left, const void *right)
{
	const struct rarog_plan_place *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->kind != b->kind ? a->kind - b->kind
				  : (a->index > b->index) - (a->index < b->index);
}

/* All places of a name are measured alike: as the one of which least is wanted. */
static void leave_out(struct rarog_marks *marks, const struct rarog_plan_place *place)
{
	for (size_t i = 0; i < marks->v.n; i++)
		if (marks->v.v[i].name == place->index &&
		    marks->v.v[i].action != RAROG_MARK_LEFT) { /* without that one it would go on */
			rarog_marks_leave_out(marks, i, place->reason ? place->reason : PRUNED);
			marks->names.v[place->index].is_pruned =
				place->action == RAROG_ACTION_PRUNED;
			return;
		}
}

static void delay_mark(struct rarog_mark_name *name, const struct rarog_plan_place *place)
{
	name->action = place->action;
	name->n = place->n;
}

static void tell_marks(const struct rarog_place_set *set, const struct rarog_plan *plan,
		       struct rarog_marks *marks)
{
	for (size_t i = 0; i < set->v.n; i++) {
		const struct rarog_plan_place *place = &set->v.v[i];
		struct rarog_mark_name *name;

		if (place->kind == RAROG_AT_FUNCTION)
			continue;
		name = &marks->names.v[place->index];
		if (!rarog_place_is_measured(place))
			leave_out(marks, place);
		else if (place->action == RAROG_ACTION_COUNT)
			name->only_counts |= plan->detail != RAROG_DETAIL_COUNT;
		else if (place->action >= RAROG_ACTION_DELAY)
			delay_mark(name, place);
		else if (place->n > name->every)
			name->every = place->n;
	}
}

/* --- together --- */

/* Without its calls nothing is known to be within. */
static void restore_roots(const struct rarog_place_set *set, const struct rarog_plan_place before[])
{
	for (size_t i = 0; i < set->v.n; i++)
		if (before[i].is_root && !rarog_place_is_measured(&set->v.v[i]))
			set->v.v[i] = before[i];
}

static int judge(struct rarog_plan *plan, struct rarog_binary *binary, struct rarog_place_set *set)
{
	rarog_cleanup(rarog_freep) struct rarog_plan_place *before = NULL;
	size_t size = set->v.n * sizeof(*before);
	int r;

	if (!plan->judge.decide || set->v.n == 0)
		return 0;
	before = malloc(size);
	if (!before)
		return rarog_oom();
	memcpy(before, set->v.v, size);
	r = plan->judge.decide(plan->judge.user, binary, set);
	if (r == 0)
		restore_roots(set, before);
	return r;
}

/* Functions whose return ends regions. */
static void measure_hosts(const struct rarog_plan *plan, struct rarog_place_set *set)
{
	const struct rarog_region_places *places = plan->regions;

	if (!places || plan->detail == RAROG_DETAIL_COUNT ||
	    !rarog_region_places_are_of(places, set->path))
		return;
	for (size_t i = 0; i < places->hosts.n; i++) {
		struct rarog_plan_place *place = rarog_place_set_function(set, places->hosts.v[i]);

		if (!place)
			continue;
		place->action = RAROG_ACTION_RECORD;
		place->reason = NULL;
		place->is_root = true;
	}
}

int rarog_place_set_resolve(struct rarog_plan *plan, struct rarog_binary *binary, const char *path,
			    struct rarog_marks *marks, struct rarog_place_set *ret_set)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	int r;

	*ret_set =
		(struct rarog_place_set){ .path = path, .build_id = rarog_binary_build_id(binary) };
	rarog_plan_settle(plan, binary);
	r = rarog_place_set_add_functions(ret_set, plan, n, functions);
	if (r == 0 && plan->hooked)
		leave_unhooked(ret_set, binary);
	if (r == 0)
		measure_hosts(plan, ret_set);
	if (r == 0)
		r = add_marks(ret_set, plan, marks);
	if (r == 0 && marks->v.n > 0)
		qsort(ret_set->v.v, ret_set->v.n, sizeof(*ret_set->v.v), by_address);
	if (r == 0)
		r = judge(plan, binary, ret_set);
	if (r == 0)
		tell_marks(ret_set, plan, marks);
	return r;
}

void rarog_place_set_restrict(struct rarog_place_set *set, unsigned actions, const char *engine)
{
	const struct rarog_plan_place *first = NULL;
	const char *what = NULL;
	char others[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < set->v.n; i++) {
		struct rarog_plan_place *place = &set->v.v[i];

		if (actions & 1u << place->action || !rarog_place_is_measured(place))
			continue;
		if (n++ == 0) {
			first = place;
			what = rarog_action_names[place->action];
		}
		place->action = RAROG_ACTION_RECORD;
		place->reason = NULL;
		place->n = 0;
	}
	if (n > 1)
		snprintf(others, sizeof(others), ", and %zu other place%s", n - 1,
			 n == 2 ? "" : "s");
	if (first)
		rarog_warn("%s: --engine=%s cannot %s what is at 0x%" PRIx64
			   "%s: all that happens there is recorded",
			   set->path, engine, what, first->address, others);
}

struct rarog_plan_place *rarog_place_set_function(const struct rarog_place_set *set,
						  uint64_t address)
{
	struct rarog_plan_place *v = set->v.v;
	size_t i = rarog_lower_bound(k, set->v.n, v[k].address < address);

	return i < set->v.n && v[i].address == address && v[i].kind == RAROG_AT_FUNCTION ? &v[i]
											 : NULL;
}

bool rarog_place_is_measured(const struct rarog_plan_place *place)
{
	return place->action != RAROG_ACTION_OFF && place->action != RAROG_ACTION_PRUNED;
}

void rarog_place_set_release(struct rarog_place_set *set)
{
	rarog_vec_release(&set->v);
}
