/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/best-run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "blow/baseline.h"
#include "blow/input.h"
#include "blow/waits.h"
#include "collect/collector.h"
#include "collect/drive.h"

#define LATE "0x%" PRIx64

struct best {
	const struct rarog_blow_options *options;
	const struct rarog_blow_corpus *corpus;
	const struct rarog_blow_function *function;
};

static double rank_of(const struct rarog_blow_options *options,
		      const struct rarog_blow_result *result, const struct rarog_blow_function *f)
{
	double share = (double)f->total_ns / (double)result->corpus.traced_ns;

	return options->mode->is_gain ? f->answer.value : f->estimate.value * share;
}

const struct rarog_blow_function *rarog_blow_best(const struct rarog_blow_options *options,
						  const struct rarog_blow_result *result)
{
	const struct rarog_blow_function *best = NULL;

	for (size_t i = 0; i < result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &result->corpus.v.v[i];

		if (f->has_estimate && f->state != RAROG_BLOW_FAILED && f->delay_ns > 0 &&
		    (!best || rank_of(options, result, f) > rank_of(options, result, best)))
			best = f;
	}
	return best;
}

/* --- what is done at each place --- */

/* The function that begins at @place, which is a mark by its address. */
static const struct rarog_blow_function *function_at(const struct best *best, const char *path,
						     const struct rarog_plan_place *place)
{
	const struct rarog_blow_place as_mark = { path, place->address, place->mark };
	const struct rarog_blow_place as_function = { path, place->address, NULL };
	const struct rarog_blow_function *f = rarog_blow_corpus_find(best->corpus, &as_mark);
	char text[32];

	if (f || !place->mark)
		return place->mark ? f : NULL;
	snprintf(text, sizeof(text), LATE, place->address);
	return strcmp(text, place->mark) == 0 ? rarog_blow_corpus_find(best->corpus, &as_function)
					      : NULL;
}

static void decide_place(const struct best *best, const char *path, struct rarog_plan_place *place,
			 const char *name)
{
	const struct rarog_blow_mode *mode = best->options->mode;
	const struct rarog_blow_function *f = function_at(best, path, place);
	unsigned settle = mode->is_virtual && !place->mark ? rarog_blow_settles(path, name) : 0;

	if (f) {
		mode->act(f, f == best->function ? RAROG_BLOW_OWN : RAROG_BLOW_SHARED, place);
	} else if (settle) {
		place->action = RAROG_ACTION_SETTLE;
		place->n = settle;
	} else if (place->mark) {
		place->action = RAROG_ACTION_COUNT;
		place->n = 0;
	}
	place->reason = NULL;
}

/* Of libraries only what threads wait by has probes. */
static bool is_recorded(const struct best *best, const char *path)
{
	for (size_t i = 0; i < best->corpus->v.n; i++)
		if (strcmp(best->corpus->v.v[i].path, path) == 0)
			return true;
	return false;
}

static int decide(void *user, struct rarog_binary *binary, struct rarog_place_set *set)
{
	const struct best *best = user;
	bool records = is_recorded(best, set->path);
	const struct rarog_function *functions;

	rarog_binary_functions(binary, &functions);
	for (size_t i = 0; i < set->v.n; i++) {
		struct rarog_plan_place *place = &set->v.v[i];

		if (!records && !place->mark) {
			place->action = RAROG_ACTION_OFF;
			place->reason = "not chosen";
		}
		decide_place(best, set->path, place,
			     place->mark ? place->mark : functions[place->index].name);
	}
	return 0;
}

/* --- the run --- */

static void describe(struct rarog_json *json, void *user)
{
	const struct best *best = user;

	rarog_json_object(json, "noised");
	rarog_json_string(json, "name", best->function->name);
	rarog_json_string(json, "mode", best->options->mode->name);
	rarog_json_uint(json, "delay_ns", best->function->delay_ns);
	rarog_json_end_object(json);
}

struct addresses {
	RAROG_VEC(char *) v;
};

static void addresses_release(struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->v.n; i++)
		free(addresses->v.v[i]);
	rarog_vec_release(&addresses->v);
}

/* A mark where each function begins that may be late. */
static int name_places(const struct best *best, struct addresses *addresses,
		       struct rarog_plan_options *what)
{
	struct rarog_strings at = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < what->at.n; i++)
		r = rarog_vec_push(&at, what->at.v[i]);
	for (size_t i = 0; r == 0 && i < best->corpus->v.n; i++) {
		const struct rarog_blow_function *f = &best->corpus->v.v[i];
		char *text = f->is_mark ? NULL : rarog_asprintf(LATE, f->address);

		if (f->is_mark)
			continue;
		r = text ? rarog_vec_push(&addresses->v, text) : -ENOMEM;
		r = r < 0 ? r : rarog_vec_push(&at, text);
	}
	what->at = at;
	return r < 0 ? rarog_oom() : 0;
}

static int run(struct best *best, struct rarog_plan *plan, long input, const char *path)
{
	const struct rarog_trace_options trace = {
		.plan = plan,
		.command = best->options->command,
		.output = path,
		.describe = describe,
		.user = best,
	};
	struct rarog_collected collected = { 0 };
	bool was_quiet = rarog_log_is_quiet();
	int r;

	best->options->command->timeout_ns = rarog_blow_first_timeout(best->options);
	best->options->command->capture = NULL;
	rarog_blow_input_rewind(input);
	rarog_log_set_quiet(true);
	r = rarog_drive(best->options->engine, &trace, &collected);
	rarog_log_set_quiet(was_quiet);
	return r;
}

int rarog_blow_best_run(const struct rarog_blow_options *options, struct rarog_blow_result *result,
			const char *path)
{
	struct best best = { options, &result->corpus, rarog_blow_best(options, result) };
	rarog_cleanup(addresses_release) struct addresses addresses = { 0 };
	struct rarog_plan_options what = options->what;
	struct rarog_plan plan = { 0 };
	int r;

	if (!best.function)
		return rarog_fail(-ENODATA, "--timeline: no function has an estimate; more of "
					    "--budget would give one");
	what.within = what.not_below = NULL; /* these chose the functions */
	r = name_places(&best, &addresses, &what);
	if (r == 0)
		r = rarog_plan_make(&what, &plan);
	plan.collector = rarog_collectors[0].name;
	plan.detail = RAROG_DETAIL_CALLS;
	plan.delays = true;
	plan.noise = (uint8_t)options->kind;
	plan.libraries |= options->mode->is_virtual;
	plan.judge = (struct rarog_place_judge){ decide, &best };
	if (r == 0)
		r = run(&best, &plan, result->input, path);
	rarog_plan_release(&plan);
	rarog_vec_release(&what.at);
	return r;
}
