/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-optimize.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "view/account.h"

static int look_around(struct rarog_collect_optimize *o)
{
	struct rarog_technique_stats *stats = &o->techniques.stats;
	int r = rarog_project_open(o->context, RAROG_NEED_STORE_IF_ANY, &o->project);

	if (r < 0)
		return r;
	stats->store = o->project.store;
	stats->vcs = o->project.vcs;
	stats->argv = o->argv;
	stats->root = o->project.vcs ? rarog_vcs_root(o->project.vcs) : NULL;
	stats->given_class = rarog_settings_text(o->project.settings, "machine.class");
	return rarog_techniques_look(&o->techniques);
}

int rarog_collect_optimize_init(struct rarog_collect_optimize *o,
				const struct rarog_collector *collector,
				const struct rarog_engine *engine)
{
	int r;

	o->techniques.options = o->options;
	r = rarog_techniques_begin(&o->techniques);
	if (r < 0 || !rarog_optimizer_is_on(&o->techniques.optimizer))
		return r;
	r = rarog_collector_check_techniques(collector, engine, o->options);
	return r < 0 ? r : look_around(o);
}

void rarog_collect_optimize_release(struct rarog_collect_optimize *o)
{
	rarog_techniques_release(&o->techniques);
	rarog_project_release(&o->project);
}

static int say(const struct rarog_collect_optimize *o)
{
	const struct rarog_optimizer *optimizer = &o->techniques.optimizer;

	if (!o->context->quiet)
		rarog_account_say(optimizer, stderr);
	return o->options->explain ? rarog_account_print(optimizer, stderr, o->context->width,
							 o->context->colour)
				   : 0;
}

int rarog_collect_optimize_end(struct rarog_collect_optimize *o, const char *profile, int r)
{
	if (r >= 0 && say(o) < 0)
		return -ENOMEM;
	if (r >= 0 && rarog_techniques_keep(&o->techniques, profile) < 0) {
		rarog_warn("what this run says of functions is not kept: %s",
			   rarog_error_message());
		rarog_error_clear();
	}
	return r;
}
