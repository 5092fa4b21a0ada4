/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void release(struct rarog_workload *workload)
{
	for (size_t i = 0; i < workload->values.n; i++)
		free(workload->values.v[i].name);
	rarog_vec_release(&workload->values);
	free(workload->name);
	free(workload->text);
	free(workload->recipe);
}

void rarog_workloads_release(struct rarog_workloads *workloads)
{
	for (size_t i = 0; i < workloads->list.n; i++)
		release(&workloads->list.v[i]);
	rarog_vec_release(&workloads->list);
}

struct rarog_workload *rarog_workload_add(struct rarog_workloads *workloads, const char *name,
					  const char *text)
{
	struct rarog_workload workload = { .name = strdup(name), .text = strdup(text) };

	if (!workload.name || !workload.text || rarog_vec_push(&workloads->list, workload) < 0) {
		release(&workload);
		rarog_oom();
		return NULL;
	}
	return &workloads->list.v[workloads->list.n - 1];
}

void rarog_workload_number(struct rarog_workload *workload, double number)
{
	workload->has_number = true;
	workload->number = number;
}

int rarog_workload_value(struct rarog_workload *workload, const char *name, double value)
{
	struct rarog_workload_value pair = { .name = strdup(name), .value = value };

	if (!pair.name || rarog_vec_push(&workload->values, pair) < 0) {
		free(pair.name);
		return rarog_oom();
	}
	return 0;
}

void rarog_workload_write(struct rarog_json *json, const struct rarog_workload *workload)
{
	rarog_json_object(json, "workload");
	rarog_json_string(json, "name", workload->name);
	if (workload->has_number)
		rarog_json_double(json, "number", workload->number);
	if (workload->values.n > 0) {
		rarog_json_object(json, "values");
		for (size_t i = 0; i < workload->values.n; i++)
			rarog_json_double(json, workload->values.v[i].name,
					  workload->values.v[i].value);
		rarog_json_end_object(json);
	}
	if (workload->recipe)
		rarog_json_raw(json, "generator", workload->recipe);
	rarog_json_end_object(json);
}
