/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tool keeps a record of each call of a function that something is asked of: the values, and
 * the instructions and blocks that were executed in the call and below it. These become two more
 * results of the function, so that what a call costs stands beside what it was given, for every
 * reader.
 */
#include "engine/vex/values.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "plan/function-match.h"
#include "plan/unmatched.h"
#include "plan/value-set.h"

/* --- what is wanted --- */

/* The last of the results. A block ends at a branch, a call or a return, so these are counted. */
static const struct {
	const char *name;
	size_t offset;
} costs[] = {
	{ RAROG_VALUE_INSTRUCTIONS, offsetof(struct rarog_vex_call, instructions) },
	{ RAROG_VALUE_BLOCKS, offsetof(struct rarog_vex_call, branches) },
};

static int add_cost(struct rarog_wanted_values *wanted, const char *name)
{
	struct rarog_wanted_value cost = {
		.name = strdup(name),
		.type = strdup("of the call"),
		.path = { .kind = RAROG_VALUE_COST, .bytes = 8, .bits = 64 },
		.is_return = true,
	};

	if (cost.name && cost.type && rarog_vec_push(&wanted->all, cost) == 0) {
		wanted->n_leave++;
		return 0;
	}
	free(cost.name);
	free(cost.type);
	return rarog_oom();
}

static int add_costs(struct rarog_wanted_values *wanted)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(costs); i++)
		r = add_cost(wanted, costs[i].name);
	return r;
}

static int say_unmatched(struct rarog_vex_values *values, struct rarog_plan *plan)
{
	struct rarog_searched_binary one = { values->binary, rarog_binary_path(values->binary) };
	const struct rarog_searched searched = { .plan = plan, .binaries = { .v = &one, .n = 1 } };
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = rarog_unmatched(&searched, &text);

	if (r > 0)
		rarog_warn_lines(rarog_str_text(&text));
	return r < 0 ? r : 0;
}

/* Patterns also take functions that are not meant: those of the C library's start. */
static bool names_any(const struct rarog_value_requests *requests)
{
	for (size_t i = 0; i < requests->all.n; i++)
		if (rarog_value_request_is_name(&requests->all.v[i]))
			return true;
	return false;
}

static int choose_all(struct rarog_vex_values *values, struct rarog_plan *plan)
{
	size_t undescribed = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < values->n; i++) {
		r = rarog_value_requests_of(&plan->values, values->binary, i, RAROG_VALUES_MOST,
					    &values->of[i]);
		undescribed += r == -ENODATA;
		if (r == -ENODATA)
			r = 0;
		else if (r == 0 && values->of[i].all.n > 0)
			values->n_wanted++;
	}
	if (values->n_wanted == 0 || names_any(&plan->values))
		rarog_value_requests_say_undescribed(values->binary, values->path, undescribed);
	return r == 0 ? say_unmatched(values, plan) : r;
}

int rarog_vex_values_choose(struct rarog_vex_values *values, const char *path,
			    struct rarog_plan *plan)
{
	const struct rarog_function *functions;
	int r;

	if (plan->values.all.n == 0)
		return 0;
	if (!realpath(path, values->path))
		return rarog_fail_errno("%s", path);
	r = rarog_binary_open(values->path, &values->binary);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		rarog_warn("no values are captured: %s", rarog_error_message());
		return 0;
	}
	rarog_plan_settle(plan, values->binary);
	values->n = rarog_binary_functions(values->binary, &functions);
	values->of = calloc(values->n + 1, sizeof(*values->of));
	return values->of ? choose_all(values, plan) : rarog_oom();
}

static int write_file(const char *path, size_t n, const void *bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : rarog_write_all(fd, n, bytes);

	if (fd >= 0)
		close(fd);
	return r < 0 ? rarog_fail(r, "%s: %s", path, strerror(-r)) : 0;
}

int rarog_vex_values_ask(const struct rarog_vex_values *values, const char *path)
{
	size_t size = sizeof(struct rarog_vex_requests) +
		      values->n_wanted * sizeof(struct rarog_vex_request);
	rarog_cleanup(rarog_freep) struct rarog_vex_requests *requests = calloc(1, size);
	const struct rarog_function *functions;

	if (!requests)
		return rarog_oom();
	rarog_binary_functions(values->binary, &functions);
	snprintf(requests->path, sizeof(requests->path), "%s", values->path);
	for (size_t i = 0; i < values->n; i++) {
		struct rarog_vex_request *request = &requests->all[requests->n];

		if (values->of[i].all.n == 0)
			continue;
		request->address = functions[i].address;
		rarog_value_set_make(&values->of[i], &request->set);
		requests->n++;
	}
	return write_file(path, size, requests);
}

/* --- what was captured --- */

/* A strand of one process in the profile; threads may have it one after the other. */
struct strand {
	uint32_t number, tid, row;
	uint64_t *calls; /* by location */
};

/* Of one process. */
struct pass {
	struct rarog_vex_values *values;
	const struct rarog_vex_counted *counted;
	const struct rarog_vex_harvest *harvest;
	const struct rarog_vex_map *maps;
	struct rarog_profile_writer *writer;
	uint32_t process;
	RAROG_VEC(struct strand) strands;
	RAROG_VEC(struct rarog_call_value) rows;
};

static struct strand *add_strand(struct pass *p, const struct rarog_vex_call *call)
{
	const struct rarog_strand row = { .process = p->process, .tid = call->tid };
	long number = rarog_profile_add_strand(p->writer, &row);
	struct strand strand = { call->strand, call->tid, (uint32_t)number, NULL };

	strand.calls = calloc(p->values->table.by_location.n + 1, sizeof(*strand.calls));
	if (number < 0 || !strand.calls || rarog_vec_push(&p->strands, strand) < 0) {
		free(strand.calls);
		return NULL;
	}
	return &p->strands.v[p->strands.n - 1];
}

static struct strand *find_strand(struct pass *p, const struct rarog_vex_call *call)
{
	for (size_t i = p->strands.n; i-- > 0;)
		if (p->strands.v[i].number == call->strand && p->strands.v[i].tid == call->tid)
			return &p->strands.v[i];
	return add_strand(p, call);
}

static int add_value(struct pass *p, struct rarog_call_value row, bool is_known)
{
	struct rarog_value_table *table = &p->values->table;

	row.value = rarog_value_decode(&table->paths.v[row.argument], row.value);
	rarog_value_table_count(table, row.argument, is_known, row.value);
	return is_known && rarog_vec_push(&p->rows, row) < 0 ? rarog_oom() : 0;
}

static int add_call(struct pass *p, const struct rarog_vex_call *call,
		    const struct rarog_value_columns *columns, uint32_t location)
{
	struct strand *strand = find_strand(p, call);
	uint32_t unknown = call->unknown_enter | (uint32_t)call->unknown_leave << call->n_enter;
	unsigned n = (unsigned)call->n_enter + call->n_leave;
	struct rarog_call_value row = { .argument = columns->first };
	int r = strand ? 0 : rarog_oom();

	if (r < 0 || n + RAROG_COUNT(costs) != (size_t)columns->n_enter + columns->n_leave)
		return r;
	row.strand = strand->row;
	row.number = ++strand->calls[location];
	for (unsigned i = 0; r == 0 && i < n; i++, row.argument++) {
		row.value = call->values[i];
		r = add_value(p, row, !(unknown >> i & 1));
	}
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(costs); i++, row.argument++) {
		memcpy(&row.value, (const char *)call + costs[i].offset, sizeof(row.value));
		r = add_value(p, row, call->has_ended);
	}
	return r;
}

static int add_calls(struct pass *p)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->counted->calls.n; i++) {
		const struct rarog_vex_call *call = p->counted->calls.v[i];
		uint32_t location = rarog_vex_function_location(p->harvest, p->maps, p->counted,
								call->function);
		const struct rarog_value_columns *columns =
			rarog_value_table_columns(&p->values->table, location);

		r = columns ? add_call(p, call, columns, location) : 0;
	}
	return r;
}

/* Columns of one kind compress, mixed ones do not. */
static int by_argument(const void *left, const void *right)
{
	const struct rarog_call_value *a = left, *b = right;

	if (a->argument != b->argument)
		return a->argument < b->argument ? -1 : 1;
	if (a->strand != b->strand)
		return a->strand < b->strand ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int write_process(struct pass *p)
{
	int r = add_calls(p);

	if (r == 0 && p->rows.n > 0) {
		qsort(p->rows.v, p->rows.n, sizeof(*p->rows.v), by_argument);
		r = rarog_profile_add_values(p->writer, p->rows.n, p->rows.v);
	}
	for (size_t i = 0; i < p->strands.n; i++)
		free(p->strands.v[i].calls);
	rarog_vec_release(&p->strands);
	rarog_vec_release(&p->rows);
	return r;
}

/* Of the program's functions that ran. */
static int add_columns(struct rarog_vex_values *values, const struct rarog_vex_harvest *harvest,
		       const struct rarog_vex_map maps[], struct rarog_profile_writer *writer)
{
	size_t image = 0;
	int r = 0;

	while (image < harvest->images.n &&
	       strcmp(harvest->images.v[image].path, values->path) != 0)
		image++;
	if (image == harvest->images.n || maps[image].n != values->n)
		return 0;
	for (size_t i = 0; r == 0 && i < values->n; i++) {
		uint32_t location = maps[image].locations[i];

		if (values->of[i].all.n == 0 || location == RAROG_NONE)
			continue;
		r = add_costs(&values->of[i]);
		if (r == 0)
			r = rarog_value_table_add(&values->table, location, &values->of[i], writer);
	}
	return r;
}

int rarog_vex_values_write(struct rarog_vex_values *values, const struct rarog_vex_harvest *harvest,
			   const struct rarog_vex_map maps[], struct rarog_profile_writer *writer)
{
	int r = values->n_wanted > 0 ? add_columns(values, harvest, maps, writer) : 0;

	for (size_t i = 0; r == 0 && values->n_wanted > 0 && i < harvest->processes.n; i++) {
		struct pass pass = {
			.values = values,
			.counted = harvest->processes.v[i],
			.harvest = harvest,
			.maps = maps,
			.writer = writer,
			.process = (uint32_t)i,
		};

		values->unkept += pass.counted->head->unkept;
		r = write_process(&pass);
	}
	return r == 0 ? rarog_value_table_write(&values->table, writer) : r;
}

void rarog_vex_values_release(struct rarog_vex_values *values)
{
	for (size_t i = 0; i < values->n && values->of; i++)
		rarog_wanted_values_release(&values->of[i]);
	free(values->of);
	rarog_binary_free(values->binary);
	rarog_value_table_release(&values->table);
}
