/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters become options, and options are read by the table: one set of names and messages. */
#include "run/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "collect/engine-choice.h"

/* What every collector takes: as --counters of rarog collect. */
#define COUNTERS "counters"

void rarog_run_collector_release(struct rarog_run_collector *collector)
{
	if (collector->kind)
		rarog_options_release(collector->kind->options, &collector->parameters);
	rarog_words_release(&collector->words);
	rarog_str_release(&collector->counters);
	*collector = (struct rarog_run_collector){ 0 };
}

int rarog_run_collector_start(const char *name, struct rarog_run_collector *ret_collector)
{
	static const char *const separators[] = { "; there are ", ", ", " and " };
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = name };
	const struct rarog_collector *kind = rarog_collector_find(name);

	if (kind) {
		*ret_collector =
			(struct rarog_run_collector){ .kind = kind, .engine = kind->engines[0] };
		return rarog_words_add(&ret_collector->words, name);
	}
	for (kind = rarog_collectors; kind->name; kind++)
		rarog_nearest_offer(&nearest, kind->name);
	for (kind = rarog_collectors; nearest.n == 0 && kind->name; kind++)
		rarog_str_addf(&hint, "%s%s",
			       separators[(kind > rarog_collectors) + (kind[1].name == NULL)],
			       kind->name);
	rarog_nearest_add(&nearest, "", &hint);
	return rarog_fail(-EINVAL, "unknown collector '%s'%s", name, rarog_str_text(&hint));
}

/* --- parameters --- */

static bool is_flag(const struct rarog_collector *kind, const char *name)
{
	for (const struct rarog_option *o = kind->options; o->kind != RAROG_OPTION_END; o++)
		if (o->name && strcmp(o->name, name) == 0)
			return o->kind == RAROG_OPTION_FLAG;
	return false;
}

static bool is_one_of(const char *value, const char *const list[])
{
	for (size_t i = 0; list[i]; i++)
		if (strcmp(value, list[i]) == 0)
			return true;
	return false;
}

static int add_flag(struct rarog_run_collector *collector, const char *name, const char *value)
{
	static const char *const yes[] = { "true", "yes", "on", "1", NULL };
	static const char *const no[] = { "false", "no", "off", "0", NULL };
	bool is_true = !value || is_one_of(value, yes);
	rarog_cleanup(rarog_freep) char *word = rarog_asprintf(is_true ? "--%s" : "--no-%s", name);

	if (!is_true && !is_one_of(value, no))
		return rarog_fail(-EINVAL, "%s: '%s' is neither true nor false", name, value);
	return word ? rarog_words_add(&collector->words, word) : rarog_oom();
}

static int add_counters(struct rarog_run_collector *collector, const char *names)
{
	struct rarog_str *text = &collector->counters;

	if (!names || !*names)
		return rarog_fail(-EINVAL, COUNTERS ": names are expected, as in page-faults");
	return rarog_str_addf(text, "%s%s", text->length > 0 ? "," : "", names);
}

int rarog_run_collector_add(struct rarog_run_collector *collector, const char *key,
			    const char *value)
{
	rarog_cleanup(rarog_freep) char *name = strdup(key);
	rarog_cleanup(rarog_freep) char *word = NULL;

	if (!name)
		return rarog_oom();
	for (char *c = name; *c; c++)
		if (*c == '_')
			*c = '-';
	if (strcmp(name, COUNTERS) == 0)
		return add_counters(collector, value);
	if (is_flag(collector->kind, name))
		return add_flag(collector, name, value);
	word = value ? rarog_asprintf("--%s=%s", name, value) : rarog_asprintf("--%s", name);
	return word ? rarog_words_add(&collector->words, word) : rarog_oom();
}

int rarog_run_collector_check(const struct rarog_run_collector *collector)
{
	const struct rarog_engine_request request = { .options = &collector->parameters.plan,
						      .sample = &collector->parameters.sample };

	int r = rarog_collector_check(collector->kind, collector->engine, &request);

	if (r == 0)
		r = rarog_collector_check_techniques(collector->kind, collector->engine,
						     &collector->parameters.optimize);
	return r < 0 ? rarog_fail_prefix(r, "collector %s", collector->kind->name) : 0;
}

/* As measuring makes it. */
static int check_plan(const struct rarog_run_collector *collector)
{
	struct rarog_plan plan;
	int r = rarog_collector_plan(collector->kind, &collector->parameters, &plan);

	rarog_plan_release(&plan);
	return r;
}

int rarog_run_collector_finish(struct rarog_run_collector *collector)
{
	static const struct rarog_collector_parameters usual = RAROG_COLLECTOR_PARAMETERS_DEFAULT;
	const struct rarog_collector *kind = collector->kind;
	int argc = (int)collector->words.list.n, r;

	rarog_options_release(kind->options, &collector->parameters);
	collector->parameters = usual;
	r = rarog_options_parse(kind->options, argc, collector->words.list.v, false,
				&collector->parameters);
	if (r >= 0)
		r = check_plan(collector);
	if (r == 0 && collector->counters.length > 0)
		r = rarog_event_counters_parse(rarog_str_text(&collector->counters),
					       &collector->requests);
	return r < 0 ? rarog_fail_prefix(r, "collector %s", kind->name) : 0;
}

/* --- the engine --- */

int rarog_run_collector_on(const char *engine, struct rarog_run_collector *collector)
{
	const struct rarog_engine *found = rarog_collector_engine(collector->kind, engine);

	if (!found)
		return -EINVAL;
	collector->engine = found;
	return 0;
}

/* Of its parameters samples know one. */
static int become_samples(const char *name, const struct rarog_plan_options *plan,
			  struct rarog_run_collector *collector)
{
	rarog_cleanup(rarog_run_collector_release) struct rarog_run_collector samples = { 0 };
	int r = rarog_run_collector_start(name, &samples);

	if (r == 0 && !plan->follow)
		r = rarog_run_collector_add(&samples, "follow", "false");
	if (r == 0 && collector->counters.length > 0)
		r = add_counters(&samples, rarog_str_text(&collector->counters));
	if (r == 0)
		r = rarog_run_collector_finish(&samples);
	if (r < 0)
		return r;
	rarog_run_collector_release(collector);
	*collector = samples;
	samples = (struct rarog_run_collector){ 0 };
	return 0;
}

int rarog_run_collector_choose(const char *program, struct rarog_run_collector *collector)
{
	rarog_cleanup(rarog_engine_choice_release) struct rarog_engine_choice choice = { 0 };
	const struct rarog_engine_request request = { .options = &collector->parameters.plan,
						      .sample = &collector->parameters.sample };
	int r = collector->kind == rarog_collectors
			? rarog_engine_choose(&request, false, program, &choice)
			: 0;

	if (r < 0 || !choice.engine)
		return r;
	rarog_engine_choice_say(&choice);
	if (rarog_collector_of(choice.engine) != collector->kind)
		return become_samples(rarog_collector_of(choice.engine)->name,
				      &collector->parameters.plan, collector);
	collector->engine = choice.engine;
	return 0;
}

/* --- measuring --- */

/* What was measured before was by this engine: another one makes another job. */
static int offer_any(const struct rarog_run_collector *collector, int r)
{
	rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

	return collector->kind == rarog_collectors && message
		       ? rarog_fail(r, "%s; 'engine: any' in the job takes another engine", message)
		       : r;
}

int rarog_run_collector_able(const struct rarog_run_collector *collector)
{
	int r = rarog_engine_check(collector->engine);

	if (r < 0)
		rarog_fail_prefix(r, "%s", rarog_engine_word(collector->engine));
	return r < 0 ? offer_any(collector, r) : 0;
}

int rarog_run_collector_measure(const struct rarog_run_collector *collector,
				const struct rarog_trace_options *run,
				struct rarog_collected *ret_collected)
{
	int r = rarog_collector_able(collector->engine);

	return r < 0 ? offer_any(collector, r)
		     : rarog_collector_measure(collector->kind, collector->engine,
					       &collector->parameters, run, ret_collected);
}

/* --- identity --- */

static int compare_names(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return strcmp(*a, *b);
}

/* The order in which they are named does not matter. */
static json_t *counter_names(const struct rarog_counter_requests *requests)
{
	const char *names[RAROG_EVENT_COUNTERS_MOST] = { NULL };
	json_t *array = json_array();

	for (size_t i = 0; i < requests->n; i++)
		names[i] = rarog_counter_name(requests->v[i]);
	qsort(names, requests->n, sizeof(*names), compare_names);
	for (size_t i = 0; array && i < requests->n; i++)
		json_array_append_new(array, json_string(names[i]));
	return array;
}

json_t *rarog_run_collector_identity(const struct rarog_run_collector *collector)
{
	json_t *object = collector->kind->identity(&collector->parameters);

	/* As its profiles say: an engine that knows no details keeps sums. */
	if (json_object_get(object, "detail") &&
	    !(collector->engine->abilities & RAROG_ENGINE_DETAILS))
		json_object_set_new(object, "detail",
				    json_string(rarog_detail_names[RAROG_DETAIL_SUMMARY]));
	if (!object || collector->requests.n == 0 ||
	    json_object_set_new(object, COUNTERS, counter_names(&collector->requests)) == 0)
		return object;
	json_decref(object);
	return NULL;
}

/* --- from settings --- */

static int add_values(struct rarog_run_collector *collector, const char *key,
		      const struct rarog_yaml *value)
{
	const char *text;
	int r = 0;

	if (value->kind == RAROG_YAML_SCALAR) {
		r = rarog_yaml_text(value, &text);
		return r < 0 ? r : rarog_run_collector_add(collector, key, text);
	}
	r = rarog_yaml_expect(value, RAROG_YAML_LIST, "one value or a list of values");
	for (size_t i = 0; r == 0 && i < value->n; i++) {
		r = rarog_yaml_text(value->members[i].value, &text);
		if (r == 0)
			r = rarog_run_collector_add(collector, key, text);
	}
	return r;
}

/* Read after each, so that a complaint is about the one that is wrong. */
static int read_parameter(const struct rarog_yaml_member *member,
			  struct rarog_run_collector *collector)
{
	int r = add_values(collector, member->key->text, member->value);

	if (r == 0)
		r = rarog_run_collector_finish(collector);
	return rarog_yaml_at(member->value, r);
}

static int read_parameters(const struct rarog_yaml *parameters,
			   struct rarog_run_collector *collector)
{
	int r;

	if (rarog_yaml_is_null(parameters))
		return 0;
	r = rarog_yaml_expect(parameters, RAROG_YAML_MAP, "a map of parameters");
	for (size_t i = 0; r == 0 && i < parameters->n; i++)
		r = read_parameter(&parameters->members[i], collector);
	return r;
}

static int read_own_engine(const struct rarog_yaml *node, struct rarog_run_collector *collector)
{
	const char *name = NULL;
	int r = rarog_yaml_text(node, &name);

	collector->has_own_engine = true;
	return r < 0 ? r : rarog_yaml_at(node, rarog_run_collector_on(name, collector));
}

int rarog_run_collector_read(const struct rarog_yaml *node,
			     struct rarog_run_collector *ret_collector)
{
	static const char *const known[] = { "name", "engine", "parameters", NULL };
	rarog_cleanup(rarog_run_collector_release) struct rarog_run_collector collector = { 0 };
	const struct rarog_yaml *name = node, *engine = NULL, *parameters = NULL;
	const char *text = NULL;
	int r = 0;

	if (node->kind != RAROG_YAML_SCALAR) {
		r = rarog_yaml_check_keys(
			node, "a collector: NAME, or {name: NAME, parameters: {}}", known);
		if (r < 0)
			return r;
		name = rarog_yaml_get(node, "name");
		engine = rarog_yaml_get(node, "engine");
		parameters = rarog_yaml_get(node, "parameters");
		if (!name)
			return rarog_yaml_fail(node, "'name' of the collector is missing");
	}
	r = rarog_yaml_text(name, &text);
	if (r == 0)
		r = rarog_yaml_at(name, rarog_run_collector_start(text, &collector));
	if (r == 0 && engine)
		r = read_own_engine(engine, &collector);
	if (r == 0)
		r = read_parameters(parameters, &collector);
	if (r == 0)
		r = rarog_yaml_at(parameters ? parameters : node,
				  rarog_run_collector_finish(&collector));
	if (r < 0)
		return r;
	*ret_collector = collector;
	collector = (struct rarog_run_collector){ 0 };
	return 0;
}
