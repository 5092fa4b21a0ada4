/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/meetings.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

#define MOST 64

static bool is_called(const struct rarog_feature_entry *entry, const char *name)
{
	return strcasecmp(entry->name, name) == 0 ||
	       (entry->option && strcasecmp(entry->option, name) == 0);
}

/* Features that the model does not have can have only one value. */
static uint64_t set_of(const struct rarog_feature_model *model, const json_t *names)
{
	uint64_t set = 0;

	for (size_t i = 0; i < json_array_size(names); i++)
		for (size_t k = 0; k < model->features.n; k++)
			if (is_called(&model->features.v[k],
				      json_string_value(json_array_get(names, i))))
				set |= UINT64_C(1) << k;
	return set;
}

static bool has(const struct rarog_meetings *meetings, uint64_t set)
{
	for (size_t i = 0; i < meetings->sets.n; i++)
		if (meetings->sets.v[i] == set)
			return true;
	return false;
}

static int say_others(const struct rarog_feature_model *model, uint64_t found)
{
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < model->features.n; i++)
		if (!(found >> i & 1))
			r = rarog_str_addf(&names, "%s%s", names.length > 0 ? ", " : "",
					   model->features.v[i].name);
	if (r == 0 && names.length > 0)
		rarog_warn("no region depends on %s: the plan leaves it as it is",
			   rarog_str_text(&names));
	return r;
}

int rarog_meetings_read(const struct rarog_feature_analysis *analysis,
			const struct rarog_feature_model *model,
			struct rarog_meetings *ret_meetings)
{
	uint64_t found = 0;

	*ret_meetings = (struct rarog_meetings){ 0 };
	if (model->features.n > MOST)
		return rarog_fail(-E2BIG, "plan: regions of more than %d features", MOST);
	for (size_t i = 0; i < analysis->regions.n; i++) {
		const struct rarog_feature_region *region = &analysis->regions.v[i];
		uint64_t set = set_of(model, region->features) | set_of(model, region->with);

		if (region->state == RAROG_FEATURE_HIDDEN)
			continue;
		found |= set;
		if (set && !has(ret_meetings, set) && rarog_vec_push(&ret_meetings->sets, set) < 0)
			return rarog_oom();
	}
	if (found == 0)
		return rarog_fail(-ENODATA, "plan: no region depends on any of these options; "
					    "rarog feature list names the program's features");
	return say_others(model, found);
}

void rarog_meetings_release(struct rarog_meetings *meetings)
{
	rarog_vec_release(&meetings->sets);
}
