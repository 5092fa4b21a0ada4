/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-way.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "collect/engine-choice.h"
#include "view/jobs/times.h"

static const struct rarog_engine *const blocks_engines[] = { &rarog_engine_compiled, NULL };
static const struct rarog_engine *const complexity_engines[] = { &rarog_engine_inline, NULL };
static const struct rarog_engine *const time_engines[] = { &rarog_engine_kernel, NULL };
static const struct rarog_engine *const sample_engines[] = { &rarog_engine_perf, NULL };

/* Of a collector's engines the first is its usual one. */
static const struct {
	const char *name;
	const struct rarog_engine *const *engines;
	void (*sum_up)(size_t n, const struct rarog_run_result runs[n]);
	bool hooked;
} collectors[] = {
	{ "trace", rarog_trace_engines, NULL, false },
	{ "complexity", complexity_engines, NULL, true },
	{ "blocks", blocks_engines, NULL, false },
	{ "time", time_engines, rarog_time_report, false },
	{ "sample", sample_engines, NULL, false },
};

static long find(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(collectors); i++)
		if (strcmp(collectors[i].name, name) == 0)
			return (long)i;
	return -1;
}

static struct rarog_collect_way usual(size_t collector)
{
	return (struct rarog_collect_way){ .name = collectors[collector].name,
					   .engine = collectors[collector].engines[0],
					   .sum_up = collectors[collector].sum_up,
					   .hooked = collectors[collector].hooked };
}

struct rarog_collect_way rarog_collect_way_standard(void)
{
	struct rarog_collect_way way = usual(0);

	way.is_open = true;
	return way;
}

bool rarog_collect_way_find(const char *name, struct rarog_collect_way *ret_way)
{
	long i = find(name);

	if (i < 0)
		return false;
	*ret_way = usual((size_t)i);
	ret_way->is_open = i == 0;
	ret_way->is_named = true;
	return true;
}

int rarog_collect_way_engine(struct rarog_collect_way *way, const char *engine)
{
	rarog_cleanup(rarog_str_release) struct rarog_str known = { 0 };
	const struct rarog_engine *const *all = collectors[find(way->name)].engines;

	for (size_t i = 0; all[i]; i++) {
		if (strcmp(all[i]->name, engine) == 0) {
			way->engine = all[i];
			way->is_open = false;
			return 0;
		}
		rarog_str_addf(&known, "%s%s", i > 0 ? ", " : "", all[i]->name);
	}
	return rarog_fail(-EINVAL, "--engine=%s: %s has %s", engine, way->name,
			  rarog_str_text(&known));
}

static bool is_usual(const struct rarog_collect_way *way)
{
	return way->engine == usual((size_t)find(way->name)).engine;
}

static int refuse(const struct rarog_collect_way *way, const char *option, unsigned needed)
{
	unsigned of_starting = RAROG_ENGINE_ATTACHES | RAROG_ENGINE_DRY;

	if (needed & RAROG_ENGINE_ACCESSES)
		return rarog_fail(-EINVAL, "%s is for rarog collect --engine vex", option);
	if (needed & RAROG_ENGINE_SAMPLES)
		return rarog_fail(-EINVAL, "%s is for rarog collect sample", option);
	if (needed & RAROG_ENGINE_EVERYBODY)
		return rarog_fail(-EINVAL, "%s is for rarog collect --engine ebpf", option);
	if (way->engine->abilities & RAROG_ENGINE_CHOOSES ||
	    (!is_usual(way) && needed & of_starting))
		return rarog_fail(-EINVAL, "%s is not for --engine=%s; leave out either", option,
				  way->engine->name);
	if (needed & RAROG_ENGINE_ATTACHES)
		return rarog_fail(-EINVAL, "%s is for rarog collect trace and sample", option);
	if (needed & RAROG_ENGINE_DRY)
		return rarog_fail(-EINVAL, "%s is for rarog collect trace", option);
	if (!is_usual(way))
		return rarog_fail(-EINVAL, "%s is not for --engine=%s; it %s", option,
				  way->engine->name, way->engine->instead);
	return rarog_fail(-EINVAL, "%s is for rarog collect trace; %s %s", option, way->name,
			  way->engine->instead);
}

int rarog_collect_way_check(const struct rarog_collect_way *way,
			    const struct rarog_engine_request *request)
{
	struct rarog_engine_lack lack;

	if (!rarog_engine_lacks(way->engine, request, &lack))
		return 0;
	return refuse(way, lack.option, lack.needs);
}

/* Another collector's, if that is what it is an engine of. */
static void put_on(const struct rarog_engine *engine, struct rarog_collect_way *way)
{
	for (size_t i = 0; i < RAROG_COUNT(collectors); i++)
		for (size_t k = 0; collectors[i].engines[k]; k++)
			if (collectors[i].engines[k] == engine) {
				*way = usual(i);
				way->engine = engine;
				return;
			}
}

/* The others find out when they begin, which takes them longer. */
static int check_named(const struct rarog_engine *engine)
{
	int r = engine == &rarog_engine_inline ? rarog_engine_check(engine)
					       : rarog_engine_allowed(engine);

	return r < 0 ? rarog_fail_prefix(r, "%s", rarog_engine_word(engine)) : 0;
}

static int say_doctor(int r)
{
	rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

	return r == -ENOTSUP && message
		       ? rarog_fail(r, "%s; rarog doctor says what would help", message)
		       : r;
}

int rarog_collect_way_choose(const struct rarog_engine_request *request, const char *program,
			     struct rarog_collect_way *way)
{
	rarog_cleanup(rarog_engine_choice_release) struct rarog_engine_choice choice = { 0 };
	int r;

	if (!way->is_open)
		return check_named(way->engine);
	r = rarog_engine_choose(request, way->is_named, program, &choice);
	if (r < 0)
		return say_doctor(r);
	rarog_engine_choice_say(&choice);
	if (choice.engine != way->engine)
		put_on(choice.engine, way);
	return 0;
}
