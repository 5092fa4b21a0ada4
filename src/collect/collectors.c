/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collector.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "collect/drive.h"
#include "feature/regions.h"
#include "process/running.h"

/* --- what jobs tell them, and what of it tells one job from another --- */

#define PARAMETERS struct rarog_collector_parameters

static const struct rarog_option trace_options[] = {
	RAROG_PLAN_RESULT_OPTIONS(PARAMETERS, plan),
	RAROG_PLAN_WHAT_OPTIONS(PARAMETERS, plan),
	RAROG_PLAN_ACCESSES_OPTION(PARAMETERS, plan),
	RAROG_PLAN_WINDOWS_OPTION(PARAMETERS, plan),
	RAROG_PLAN_OVERHEAD_OPTION(PARAMETERS, plan),
	RAROG_PLAN_DROP_OPTION(PARAMETERS, plan),
	RAROG_PLAN_STAP_CACHE_OPTION(PARAMETERS, plan),
	RAROG_OPTIMIZE_JOB_OPTIONS(PARAMETERS, optimize),
	RAROG_OPT_END,
};

static const struct rarog_option feature_options[] = {
	RAROG_FEATURE_CHOICE_OPTION(PARAMETERS, features),
	RAROG_FEATURE_LOOK_OPTIONS(PARAMETERS, features),
	RAROG_PLAN_RESULT_OPTIONS(PARAMETERS, plan),
	RAROG_SAMPLE_OPTIONS(PARAMETERS, sample),
	RAROG_OPT_FLAG(0, "follow", PARAMETERS, plan.follow,
		       "measure child processes, too (default; --no-follow)"),
	RAROG_OPT_END,
};

static const struct rarog_option sample_options[] = {
	RAROG_SAMPLE_OPTIONS(PARAMETERS, sample),
	RAROG_OPT_FLAG(0, "follow", PARAMETERS, plan.follow,
		       "measure child processes, too (default; --no-follow)"),
	RAROG_OPT_END,
};

static const struct rarog_option no_options[] = { RAROG_OPT_END };

static int put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

static int put_true(json_t *object, const char *key, bool is_so)
{
	return is_so ? put(object, key, json_true()) : 0;
}

static int put_text(json_t *object, const char *key, const char *text)
{
	return text ? put(object, key, json_string(text)) : 0;
}

static int put_list(json_t *object, const char *key, const struct rarog_strings *list)
{
	json_t *array = list->n > 0 ? json_array() : NULL;
	int r = 0;

	for (size_t i = 0; array && r == 0 && i < list->n; i++)
		r = json_array_append_new(array, json_string(list->v[i]));
	return list->n > 0 ? r | put(object, key, array) : 0;
}

static json_t *finish(json_t *object, int r)
{
	if (r == 0)
		return object;
	json_decref(object);
	return NULL;
}

static int put_functions(json_t *object, const struct rarog_plan_options *p)
{
	return (p->strategy ? put_text(object, "strategy", rarog_strategy_names[p->strategy]) : 0) |
	       put_list(object, "func", &p->functions) | put_list(object, "exclude", &p->excluded) |
	       put_list(object, "binary", &p->binaries) | put_list(object, "args", &p->args) |
	       put_list(object, "arg", &p->arg) | put_list(object, "ret", &p->ret) |
	       put_list(object, "usdt", &p->usdt) | put_list(object, "at", &p->at);
}

static json_t *trace_identity(const struct rarog_collector_parameters *parameters)
{
	static const struct rarog_plan_options usual = RAROG_PLAN_OPTIONS_DEFAULT;
	const struct rarog_plan_options *p = &parameters->plan;
	json_t *object = json_pack("{s:s}", "detail", rarog_detail_names[rarog_plan_detail(p)]);
	int r = object ? put_functions(object, p) : -1;

	r |= put_true(object, "no_usdt", p->no_usdt) | put_true(object, "libs", p->libraries) |
	     put_true(object, "drop", p->drop) | put_true(object, "compensate", p->compensate) |
	     put_true(object, "accesses", p->accesses) | put_text(object, "windows", p->windows) |
	     put_text(object, "overhead", p->overhead) | put_text(object, "within", p->within) |
	     put_text(object, "not_below", p->not_below);
	if (p->every > 1)
		r |= put(object, "sample_calls", json_integer(p->every));
	if (!p->follow)
		r |= put(object, "follow", json_false());
	if (p->max_size != usual.max_size)
		r |= put(object, "max_size_bytes", json_integer((json_int_t)p->max_size));
	if (rarog_optimize_is_asked(&parameters->optimize))
		r |= put(object, "techniques", rarog_optimize_identity(&parameters->optimize));
	return finish(object, r);
}

static json_t *sample_identity(const struct rarog_collector_parameters *parameters)
{
	const struct rarog_sample_options *s = &parameters->sample;
	json_t *object = json_pack("{s:I, s:s}", "rate", (json_int_t)s->rate, "call_graph",
				   rarog_stacks_names[s->stacks]);
	int r = object ? 0 : -1;

	if (s->stacks == RAROG_STACKS_DWARF && s->stack_size != RAROG_SAMPLE_STACK)
		r |= put(object, "stack_size", json_integer((json_int_t)s->stack_size));
	r |= put_true(object, "kernel", s->kernel) | put_true(object, "off_cpu", s->off_cpu);
	if (!parameters->plan.follow)
		r |= put(object, "follow", json_false());
	return finish(object, r);
}

static json_t *feature_identity(const struct rarog_collector_parameters *parameters)
{
	static const struct rarog_sample_options usual = RAROG_SAMPLE_OPTIONS_DEFAULT;
	const struct rarog_feature_options *f = &parameters->features;
	json_t *object = trace_identity(parameters);
	int r = object ? put_list(object, "feature", &f->features) : -1;

	r |= put_text(object, "model", f->model) | put_true(object, "nested", f->nested) |
	     put_true(object, "explicit", f->is_explicit);
	if (f->least > 1)
		r |= put(object, "least", json_integer(f->least));
	if (parameters->sample.rate != usual.rate)
		r |= put(object, "rate", json_integer((json_int_t)parameters->sample.rate));
	return finish(object, r);
}

static json_t *no_identity(const struct rarog_collector_parameters *parameters)
{
	(void)parameters;
	return json_object();
}

/* --- the table --- */

static const struct rarog_engine *const trace[] = {
	&rarog_engine_inline, &rarog_engine_ebpf, &rarog_engine_stap, &rarog_engine_vex, NULL,
};
static const struct rarog_engine *const inline_alone[] = { &rarog_engine_inline, NULL };
static const struct rarog_engine *const compiled[] = { &rarog_engine_compiled,
						       &rarog_engine_rewrite, NULL };
static const struct rarog_engine *const of_regions[] = {
	&rarog_engine_inline, &rarog_engine_ebpf, &rarog_engine_perf, &rarog_engine_static, NULL,
};
static const struct rarog_engine *const kernel[] = { &rarog_engine_kernel, NULL };
static const struct rarog_engine *const perf[] = { &rarog_engine_perf, NULL };

const struct rarog_collector rarog_collectors[] = {
	{ "trace", trace, trace_options, trace_identity, 0 },
	{ "complexity", inline_alone, trace_options, trace_identity, RAROG_COLLECTOR_HOOKED },
	{ "blocks", compiled, no_options, no_identity,
	  RAROG_COLLECTOR_BLOCKS | RAROG_COLLECTOR_EXACT },
	{ "time", kernel, no_options, no_identity, RAROG_COLLECTOR_UNTRACED },
	{ "sample", perf, sample_options, sample_identity, RAROG_COLLECTOR_SAMPLES },
	{ "features", of_regions, feature_options, feature_identity, RAROG_COLLECTOR_FEATURES },
	{ .name = NULL },
};

/* --- looking things up --- */

static const struct rarog_engine *find_engine(const struct rarog_collector *collector,
					      const char *name)
{
	for (size_t i = 0; collector->engines[i]; i++)
		if (strcmp(collector->engines[i]->name, name) == 0)
			return collector->engines[i];
	return NULL;
}

const struct rarog_collector *rarog_collector_find(const char *name)
{
	for (const struct rarog_collector *c = rarog_collectors; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

bool rarog_collector_has(const struct rarog_collector *collector, const char *engine)
{
	return find_engine(collector, engine);
}

const struct rarog_engine *rarog_collector_engine_with(const struct rarog_collector *collector,
						       unsigned abilities)
{
	for (size_t i = 0; collector->engines[i]; i++)
		if ((collector->engines[i]->abilities & abilities) == abilities)
			return collector->engines[i];
	return NULL;
}

const struct rarog_collector *rarog_collector_of(const struct rarog_engine *engine)
{
	const struct rarog_collector *c = rarog_collectors;

	while (!find_engine(c, engine->name))
		c++;
	return c;
}

const struct rarog_engine *rarog_collector_engine(const struct rarog_collector *collector,
						  const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str known = { 0 };
	const struct rarog_engine *engine = find_engine(collector, name);

	if (engine)
		return engine;
	for (size_t i = 0; collector->engines[i]; i++)
		rarog_str_addf(&known, "%s%s", i > 0 ? ", " : "", collector->engines[i]->name);
	rarog_fail(-EINVAL, "--engine=%s: %s has %s", name, collector->name,
		   rarog_str_text(&known));
	return NULL;
}

static unsigned traits_by(const struct rarog_engine *engine)
{
	return (engine->abilities & RAROG_ENGINE_COUNTS
			? RAROG_COLLECTOR_EXACT | RAROG_COLLECTOR_MACHINE
			: 0) |
	       (engine->abilities & RAROG_ENGINE_WRITES ? RAROG_COLLECTOR_WRITES : 0);
}

unsigned rarog_collector_traits(const char *collector, const char *engine)
{
	const struct rarog_collector *its = collector ? rarog_collector_find(collector) : NULL;
	const struct rarog_engine *by = its && engine ? find_engine(its, engine) : NULL;

	if (!its || (engine && !by))
		return 0;
	return its->traits | (by ? traits_by(by) : 0);
}

/* --- what does not go together --- */

static int refuse(const struct rarog_collector *collector, const struct rarog_engine *engine,
		  const char *option, unsigned needed)
{
	unsigned of_starting = RAROG_ENGINE_ATTACHES | RAROG_ENGINE_DRY;
	bool is_usual = engine == collector->engines[0];

	if (needed & RAROG_ENGINE_ACCESSES)
		return rarog_fail(-EINVAL, "%s is for rarog collect --engine vex", option);
	if (needed & RAROG_ENGINE_TIMES)
		return rarog_fail(-EINVAL, "%s is for rarog collect blocks --engine rewrite",
				  option);
	if (needed & RAROG_ENGINE_SAMPLES)
		return rarog_fail(-EINVAL, "%s is for rarog collect sample", option);
	if (needed & RAROG_ENGINE_THINS)
		return rarog_fail(-EINVAL, "%s is for rarog collect --engine inline", option);
	if (needed & RAROG_ENGINE_EVERYBODY)
		return rarog_fail(-EINVAL, "%s is for rarog collect --engine ebpf", option);
	if (engine->abilities & RAROG_ENGINE_CHOOSES || (!is_usual && needed & of_starting))
		return rarog_fail(-EINVAL, "%s is not for --engine=%s; leave out either", option,
				  engine->name);
	if (needed & RAROG_ENGINE_ATTACHES)
		return rarog_fail(-EINVAL, "%s is for rarog collect trace and sample", option);
	if (needed & RAROG_ENGINE_DRY)
		return rarog_fail(-EINVAL, "%s is for rarog collect trace", option);
	if (!is_usual)
		return rarog_fail(-EINVAL, "%s is not for --engine=%s; it %s", option, engine->name,
				  engine->instead);
	return rarog_fail(-EINVAL, "%s is for rarog collect trace; %s %s", option, collector->name,
			  engine->instead);
}

/* Of programs as they are blocks are counted with more options than of those by rarog cc. */
static const struct rarog_engine *other_that_has(const struct rarog_collector *collector,
						 const struct rarog_engine_request *request)
{
	struct rarog_engine_lack lack;

	for (size_t i = 1; collector->traits & RAROG_COLLECTOR_BLOCKS && collector->engines[i]; i++)
		if (!rarog_engine_lacks(collector->engines[i], request, &lack))
			return collector->engines[i];
	return NULL;
}

int rarog_collector_check(const struct rarog_collector *collector,
			  const struct rarog_engine *engine,
			  const struct rarog_engine_request *request)
{
	const struct rarog_plan_options *options = request->options;
	const struct rarog_engine *other;
	struct rarog_engine_lack lack;

	if (!rarog_engine_lacks(engine, request, &lack))
		return engine->abilities & RAROG_ENGINE_TIMES && options->compensate &&
				       options->times != RAROG_BLOCK_TIMES_MEASURED
			       ? rarog_fail(-EINVAL, "--compensate is for --times=measured")
			       : 0;
	other = engine == collector->engines[0] ? other_that_has(collector, request) : NULL;
	if (other)
		return rarog_fail(-EINVAL, "%s is for rarog collect %s --engine %s", lack.option,
				  collector->name, other->name);
	return refuse(collector, engine, lack.option, lack.needs);
}

int rarog_collector_check_techniques(const struct rarog_collector *collector,
				     const struct rarog_engine *engine,
				     const struct rarog_optimize_options *options)
{
	if (!rarog_optimize_is_asked(options))
		return 0;
	if (collector->traits)
		return rarog_fail(-EINVAL,
				  "--pipeline and --on choose among functions that are traced; "
				  "rarog collect %s does not trace them",
				  collector->name);
	return engine->abilities & RAROG_ENGINE_CHOOSES
		       ? 0
		       : rarog_fail(-EINVAL,
				    "--pipeline and --on choose functions; --engine=%s cannot: it "
				    "%s",
				    engine->name, engine->instead);
}

/* The others find out when they begin, which takes them longer. */
int rarog_collector_able(const struct rarog_engine *engine)
{
	int r = engine->abilities & RAROG_ENGINE_QUICK ? rarog_engine_check(engine)
						       : rarog_engine_allowed(engine);

	return r < 0 ? rarog_fail_prefix(r, "%s", rarog_engine_word(engine)) : 0;
}

/* --- measuring --- */

static int check_thinned(const struct rarog_plan *plan)
{
	if (!plan->features || !plan->no_functions || plan->every.all <= 1)
		return 0;
	return rarog_fail(-EINVAL,
			  "--sample-calls: regions of features are recorded each time, and no "
			  "function was chosen; leave it out, or give --func");
}

int rarog_collector_plan(const struct rarog_collector *collector,
			 const struct rarog_collector_parameters *parameters,
			 struct rarog_plan *ret_plan)
{
	struct rarog_plan_options options = parameters->plan;
	char windows[64];
	int r = rarog_optimize_windows(&parameters->optimize, sizeof(windows), windows);

	if (r > 0 && !options.windows) /* those that were asked for stay */
		options.windows = windows;
	*ret_plan = (struct rarog_plan){ 0 };
	r = r < 0 ? r : rarog_plan_make(&options, ret_plan);
	if (r == 0 && rarog_optimize_is_asked(&parameters->optimize))
		r = rarog_optimize_describe(&parameters->optimize, &ret_plan->techniques);
	ret_plan->collector = collector->name;
	ret_plan->sample = &parameters->sample;
	ret_plan->hooked = collector->traits & RAROG_COLLECTOR_HOOKED;
	ret_plan->no_functions |= (collector->traits & RAROG_COLLECTOR_FEATURES) &&
				  ret_plan->functions.include.n == 0;
	if (collector->traits & RAROG_COLLECTOR_FEATURES) {
		ret_plan->no_usdt = true;
		ret_plan->features = &parameters->features;
	}
	ret_plan->libraries = ret_plan->libraries || ret_plan->hooked;
	return r < 0 ? r : check_thinned(ret_plan);
}

enum rarog_feature_means rarog_collector_means(const struct rarog_engine *engine)
{
	if (engine->abilities & RAROG_ENGINE_SAMPLES)
		return RAROG_FEATURE_BY_SAMPLES;
	return engine->abilities & RAROG_ENGINE_BREAKPOINTS ? RAROG_FEATURE_BY_BREAKPOINTS
							    : RAROG_FEATURE_BY_JUMPS;
}

/* Those of the program as it is now: versions have others. */
static int find_regions(const struct rarog_collector *collector, const struct rarog_engine *engine,
			const struct rarog_command_line *command,
			struct rarog_feature_regions *regions, struct rarog_plan *plan)
{
	char path[PATH_MAX];
	int r;

	if (!(collector->traits & RAROG_COLLECTOR_FEATURES) ||
	    engine->abilities & RAROG_ENGINE_REGIONS)
		return 0;
	if (rarog_program_find(command->argv[0], path) < 0)
		return rarog_fail(-ENOENT, "%s: not found", command->argv[0]);
	r = rarog_feature_regions_find(plan->features, rarog_collector_means(engine), path,
				       regions);
	if (r < 0)
		return r;
	rarog_feature_regions_say(regions, command->argv[0]);
	plan->regions = &regions->places;
	return 0;
}

int rarog_collector_measure(const struct rarog_collector *collector,
			    const struct rarog_engine *engine,
			    const struct rarog_collector_parameters *parameters,
			    const struct rarog_trace_options *run,
			    struct rarog_collected *ret_collected)
{
	rarog_cleanup(rarog_feature_regions_release) struct rarog_feature_regions regions = { 0 };
	struct rarog_trace_options options = *run;
	struct rarog_plan plan;
	int r = rarog_collector_plan(collector, parameters, &plan);

	options.plan = &plan;
	options.compensate = parameters->plan.compensate;
	if (r == 0)
		r = find_regions(collector, engine, run->command, &regions, &plan);
	if (r == 0 && run->adapt)
		run->adapt(run->adapter, engine, &plan);
	if (r == 0)
		r = rarog_drive(engine, &options, ret_collected);
	rarog_plan_release(&plan);
	return r;
}
