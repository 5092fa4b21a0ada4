/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/feature-plan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "cmd/command.h"
#include "feature/meetings.h"
#include "feature/regions.h"
#include "process/running.h"

static int print_sampling(const struct rarog_sampling *sampling)
{
	for (size_t i = 0; i < sampling->list.n; i++) {
		const struct rarog_configuration *one = &sampling->list.v[i];

		for (size_t k = 0; k < one->list.n; k++)
			printf("%s--option %s=%s", k > 0 ? " " : "", one->list.v[k].name,
			       one->list.v[k].value);
		printf("\n");
	}
	return 0;
}

static int write_sampling(const struct rarog_sampling *sampling)
{
	struct rarog_json json;

	rarog_json_start_object(&json, stdout);
	rarog_json_uint(&json, "forbidden", sampling->n_forbidden);
	rarog_json_array(&json, "configurations");
	for (size_t i = 0; i < sampling->list.n; i++) {
		const struct rarog_configuration *one = &sampling->list.v[i];

		rarog_json_object(&json, NULL);
		for (size_t k = 0; k < one->list.n; k++)
			rarog_json_string(&json, one->list.v[k].name, one->list.v[k].value);
		rarog_json_end_object(&json);
	}
	return rarog_json_finish(&json);
}

static int find_meetings(const struct rarog_feature_options *what,
			 const struct rarog_feature_model *model, const char *program,
			 struct rarog_meetings *meetings)
{
	const struct rarog_feature_choice choice = rarog_feature_choice_of(what, model);
	struct rarog_feature_analysis analysis = { 0 };
	char path[PATH_MAX];
	int r;

	if (!program)
		return rarog_usage_error(rarog_fail(-EINVAL, "plan: the regions of which program? "
							     "rarog feature plan --plan regions "
							     "--model FILE PROG"));
	r = rarog_program_find(program, path);
	if (r < 0)
		return rarog_fail(r, "%s: %s", program, strerror(-r));
	r = rarog_feature_analysis_read(path, &choice, &analysis);
	if (r == 0)
		r = rarog_meetings_read(&analysis, model, meetings);
	rarog_feature_analysis_release(&analysis);
	return r;
}

int rarog_feature_plan(const struct rarog_feature_options *what, const char *program,
		       const struct rarog_sampling_request *request, bool json)
{
	rarog_cleanup(rarog_feature_model_release) struct rarog_feature_model its = { 0 };
	rarog_cleanup(rarog_sampling_release) struct rarog_sampling sampling = { 0 };
	rarog_cleanup(rarog_meetings_release) struct rarog_meetings meetings = { 0 };
	struct rarog_sampling_request its_request = *request;
	int r;

	if (!what->model)
		return rarog_usage_error(rarog_fail(-EINVAL, "plan: which model? --model FILE"));
	r = rarog_feature_model_read(what->model, &its);
	if (r == 0 && request->plan == RAROG_SAMPLING_REGIONS)
		r = find_meetings(what, &its, program, &meetings);
	its_request.meetings = &meetings;
	if (r == 0)
		r = rarog_sampling_make(&its, &its_request, &sampling);
	if (r < 0)
		return r;
	if (sampling.n_forbidden > 0)
		rarog_warn("left out, as the model forbids %s: %zu configuration%s",
			   sampling.n_forbidden == 1 ? "it" : "them", sampling.n_forbidden,
			   sampling.n_forbidden == 1 ? "" : "s");
	return json ? write_sampling(&sampling) : print_sampling(&sampling);
}
