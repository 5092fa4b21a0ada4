/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs with other techniques are other jobs: what they leave out is not the same. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "optimize/optimize.h"

bool rarog_optimize_is_asked(const struct rarog_optimize_options *options)
{
	return options->pipeline != RAROG_PIPELINE_CUSTOM || options->on.n > 0;
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The order in which they were given is no matter. */
static int put_sorted(json_t *object, const char *key, const struct rarog_strings *list)
{
	rarog_cleanup(rarog_freep) const char **v = calloc(list->n + 1, sizeof(*v));
	json_t *array = json_array();

	if (list->n == 0 || !v || !array) {
		json_decref(array);
		return v && array ? 0 : -1;
	}
	memcpy(v, list->v, list->n * sizeof(*v));
	qsort(v, list->n, sizeof(*v), by_text);
	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(array, json_string(v[i]));
	return json_object_set_new(object, key, array);
}

json_t *rarog_optimize_identity(const struct rarog_optimize_options *options)
{
	json_t *object = json_object();
	int r = 0;

	if (options->pipeline != RAROG_PIPELINE_CUSTOM)
		r = json_object_set_new(object, "pipeline",
					json_string(rarog_pipeline_names[options->pipeline]));
	if (r == 0)
		r = put_sorted(object, "on", &options->on);
	if (r == 0)
		r = put_sorted(object, "off", &options->off);
	if (r == 0)
		r = put_sorted(object, "opt", &options->parameters);
	if (r == 0)
		return object;
	json_decref(object);
	return NULL;
}

int rarog_optimize_describe(const struct rarog_optimize_options *options, char **ret_text)
{
	json_t *object = rarog_optimize_identity(options);

	*ret_text = object ? json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	json_decref(object);
	return *ret_text ? 0 : rarog_oom();
}
