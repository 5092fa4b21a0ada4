/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/threads-json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static json_t *row_of(const struct rarog_blow_threads *threads,
		      const struct rarog_blow_thread *thread)
{
	json_t *calls = json_array();

	for (size_t i = 0; i < threads->n_places; i++)
		json_array_append_new(calls, json_integer((json_int_t)thread->calls[i]));
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "site", (json_int_t)thread->site, "tid",
			 (json_int_t)thread->tid, "start_ns", (json_int_t)thread->start_ns,
			 "lasted_ns", (json_int_t)thread->time_ns, "start",
			 (json_int_t)thread->start, "calls", calls);
}

json_t *rarog_blow_threads_row(const struct rarog_blow_threads *threads)
{
	json_t *starts = json_array(), *list = json_array();

	for (size_t i = 0; i < threads->starts.n; i++)
		json_array_append_new(starts, json_pack("{s:s, s:s, s:I}", "binary",
							threads->starts.v[i].path, "name",
							threads->starts.v[i].name, "address",
							(json_int_t)threads->starts.v[i].address));
	for (size_t i = 0; i < threads->v.n; i++)
		json_array_append_new(list, row_of(threads, &threads->v.v[i]));
	return json_pack("{s:o, s:o}", "starts", starts, "list", list);
}

static uint64_t integer(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static int take_start(const json_t *row, struct rarog_blow_threads *threads)
{
	const char *path = json_string_value(json_object_get(row, "binary"));
	const char *name = json_string_value(json_object_get(row, "name"));
	struct rarog_blow_start start = {
		.path = path ? strdup(path) : NULL,
		.name = name ? strdup(name) : NULL,
		.address = integer(row, "address"),
	};

	if (start.path && start.name && rarog_vec_push(&threads->starts, start) == 0)
		return 0;
	free(start.path);
	free(start.name);
	return -EINVAL;
}

static int take_thread(const json_t *row, struct rarog_blow_threads *threads)
{
	const json_t *calls = json_object_get(row, "calls");
	struct rarog_blow_thread thread = {
		.tid = (uint32_t)integer(row, "tid"),
		.site = integer(row, "site"),
		.start_ns = integer(row, "start_ns"),
		.time_ns = integer(row, "lasted_ns"),
		.start = (size_t)integer(row, "start"),
		.calls = calloc(threads->n_places + 1, sizeof(uint64_t)),
	};

	if (!thread.calls || threads->v.n == RAROG_BLOW_THREADS_MOST ||
	    rarog_vec_push(&threads->v, thread) < 0) {
		free(thread.calls);
		return -EINVAL;
	}
	for (size_t i = 0; i < threads->n_places; i++)
		thread.calls[i] = (uint64_t)json_integer_value(json_array_get(calls, i));
	return 0;
}

int rarog_blow_threads_take(const json_t *rows, size_t n_functions,
			    struct rarog_blow_threads *threads)
{
	const json_t *starts = json_object_get(rows, "starts");
	const json_t *list = json_object_get(rows, "list");
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_array_size(starts); i++)
		r = take_start(json_array_get(starts, i), threads);
	threads->n_places = n_functions + threads->starts.n;
	for (size_t i = 0; r == 0 && i < json_array_size(list); i++)
		r = take_thread(json_array_get(list, i), threads);
	return r;
}

json_t *rarog_blow_thread_times_row(const double thread_ns[], size_t n)
{
	json_t *row = json_array();

	for (size_t i = 0; thread_ns && i < n; i++)
		json_array_append_new(row,
				      isnan(thread_ns[i]) ? json_null() : json_real(thread_ns[i]));
	return row;
}

double *rarog_blow_thread_times_take(const json_t *row, size_t n)
{
	double *times = n > 0 && json_array_size(row) == n ? malloc(n * sizeof(*times)) : NULL;

	for (size_t i = 0; times && i < n; i++) {
		const json_t *time = json_array_get(row, i);

		times[i] = json_is_number(time) ? json_number_value(time) : NAN;
	}
	return times;
}
