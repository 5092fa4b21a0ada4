/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-way.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "collect/engine-choice.h"

struct rarog_collect_way rarog_collect_way_standard(void)
{
	return (struct rarog_collect_way){ .collector = rarog_collectors,
					   .engine = rarog_collectors->engines[0],
					   .is_open = true };
}

bool rarog_collect_way_find(const char *name, struct rarog_collect_way *ret_way)
{
	const struct rarog_collector *collector = rarog_collector_find(name);

	if (!collector)
		return false;
	*ret_way = (struct rarog_collect_way){ .collector = collector,
					       .engine = collector->engines[0],
					       .is_open = collector == rarog_collectors,
					       .is_named = true };
	return true;
}

int rarog_collect_way_engine(struct rarog_collect_way *way, const char *engine)
{
	const struct rarog_engine *found = rarog_collector_engine(way->collector, engine);

	if (!found)
		return -EINVAL;
	way->engine = found;
	way->is_open = false;
	return 0;
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
		return rarog_collector_able(way->engine);
	r = rarog_engine_choose(request, way->is_named, program, &choice);
	if (r < 0)
		return say_doctor(r);
	rarog_engine_choice_say(&choice);
	way->engine = choice.engine;
	way->collector = rarog_collector_of(choice.engine);
	return 0;
}
