/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-features.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base/error.h"
#include "cmd/command.h"
#include "process/running.h"

int rarog_collect_features_choose(const struct rarog_feature_options *options,
				  const struct rarog_collect_way *way, const char *program,
				  const struct rarog_attachment *attachment,
				  struct rarog_feature_regions *regions, struct rarog_plan *plan)
{
	char path[PATH_MAX];
	int r;

	if (!(way->collector->traits & RAROG_COLLECTOR_FEATURES) ||
	    way->engine->abilities & RAROG_ENGINE_REGIONS)
		return 0;
	if (attachment && attachment->pid)
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)attachment->pid);
	else if (rarog_program_find(program, path) < 0)
		return rarog_error_exit(rarog_fail(-ENOENT, "%s: not found", program),
					RAROG_EXIT_NOT_FOUND);
	r = rarog_feature_regions_find(options, rarog_collector_means(way->engine), path, regions);
	if (r < 0)
		return r;
	rarog_feature_regions_say(regions, program);
	rarog_feature_regions_say_counts(regions, program);
	plan->regions = &regions->places;
	return 0;
}
