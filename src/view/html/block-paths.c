/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Paths stand in the order of their functions, those of one function heaviest first. Blocks are
 * numbers in the function, those of all paths in a row.
 */
#include "view/html/block-paths.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/vec.h"
#include "blocks/paths.h"
#include "view/html/columns.h"

/* Of a function with more paths than a page carries. */
struct rest {
	const struct rarog_tally_function *function;
	uint64_t paths, instructions;
};

struct data {
	const struct rarog_tally *tally;
	struct rarog_json *json;
	RAROG_VEC(struct rarog_path_steps) list;
	RAROG_VEC(const struct rarog_tally_function *) uncounted; /* ran, but without paths */
	RAROG_VEC(struct rest) rests;
};

static void data_release(struct data *data)
{
	rarog_vec_release(&data->list);
	rarog_vec_release(&data->uncounted);
	rarog_vec_release(&data->rests);
}

static int read_all(struct rarog_profile *profile, struct data *data)
{
	struct rarog_path_list paths;
	struct rarog_path_steps steps;
	int r = rarog_path_list_read(profile, &paths);

	while (r == 0 && (r = rarog_path_list_next(&paths, data->tally, &steps)) > 0) {
		r = 0;
		if (steps.path->count > 0)
			r = rarog_vec_push(&data->list, steps);
		else if (steps.function->n_executed > 0)
			r = rarog_vec_push(&data->uncounted, steps.function);
		if (r < 0)
			return rarog_oom();
	}
	return r;
}

static int by_function(const void *a, const void *b)
{
	const struct rarog_path_steps *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return rarog_path_heaviest_first(a, b);
}

static int leave_out(struct data *data, const struct rarog_path_steps *steps)
{
	struct rest *last = data->rests.n > 0 ? &data->rests.v[data->rests.n - 1] : NULL;

	if (!last || last->function != steps->function) {
		if (rarog_vec_push(&data->rests, (struct rest){ .function = steps->function }) < 0)
			return rarog_oom();
		last = &data->rests.v[data->rests.n - 1];
	}
	last->paths++;
	last->instructions += steps->instructions;
	return 0;
}

static int thin_out(struct data *data)
{
	size_t kept = 0, of_function = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < data->list.n; i++) {
		const struct rarog_path_steps steps = data->list.v[i];

		if (kept == 0 || data->list.v[kept - 1].function != steps.function)
			of_function = 0;
		if (of_function++ < RAROG_REPORT_PATHS)
			data->list.v[kept++] = steps;
		else
			r = leave_out(data, &steps);
	}
	data->list.n = kept;
	return r;
}

static void write_function(const struct data *data, const struct rarog_tally_function *function)
{
	rarog_json_int(data->json, NULL, function - data->tally->functions);
}

static void write_next(const struct data *data, const struct rarog_path_steps *steps)
{
	uint32_t next = steps->path->next;

	rarog_html_index(data->json,
			 next == RAROG_NONE ? RAROG_NONE : next - steps->function->first);
}

static void write_steps(const struct data *data, const struct rarog_path_steps *steps)
{
	rarog_json_uint(data->json, NULL, steps->path->block - steps->function->first);
	for (uint32_t i = 0; i < steps->path->n_more; i++)
		rarog_json_uint(data->json, NULL, steps->more[i].block - steps->function->first);
}

static void write_rests(const struct data *data)
{
	const struct rest *v = data->rests.v;

	rarog_json_object(data->json, "left_out");
	RAROG_COLUMN(data->json, "function", data->rests.n, i, write_function(data, v[i].function));
	RAROG_COLUMN(data->json, "paths", data->rests.n, i,
		     rarog_json_uint(data->json, NULL, v[i].paths));
	RAROG_COLUMN(data->json, "instructions", data->rests.n, i,
		     rarog_json_uint(data->json, NULL, v[i].instructions));
	rarog_json_end_object(data->json);
}

static void write_all(const struct data *data)
{
	const struct rarog_path_steps *v = data->list.v;
	struct rarog_json *json = data->json;
	size_t n = data->list.n;

	rarog_json_object(json, "paths");
	RAROG_COLUMN(json, "function", n, i, write_function(data, v[i].function));
	RAROG_COLUMN(json, "count", n, i, rarog_json_uint(json, NULL, v[i].path->count));
	RAROG_COLUMN(json, "next", n, i, write_next(data, &v[i]));
	RAROG_COLUMN(json, "blocks", n, i, rarog_json_uint(json, NULL, v[i].path->n_more + 1UL));
	RAROG_COLUMN(json, "steps", n, i, write_steps(data, &v[i]));
	write_rests(data);
	RAROG_COLUMN(json, "uncounted", data->uncounted.n, i,
		     write_function(data, data->uncounted.v[i]));
	rarog_json_end_object(json);
}

int rarog_html_paths_write(struct rarog_profile *profile, const struct rarog_tally *tally,
			   struct rarog_json *json)
{
	rarog_cleanup(data_release) struct data data = { .tally = tally, .json = json };
	int r = read_all(profile, &data);

	if (r == 0 && data.list.n > 1)
		qsort(data.list.v, data.list.n, sizeof(*data.list.v), by_function);
	if (r == 0)
		r = thin_out(&data);
	if (r == 0)
		write_all(&data);
	return r;
}
