/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/value-table.h"

#include <string.h>

#include "base/error.h"
#include "plan/value-request.h"
#include "profile/writer.h"

void rarog_value_table_release(struct rarog_value_table *table)
{
	rarog_vec_release(&table->by_location);
	rarog_vec_release(&table->paths);
	rarog_vec_release(&table->sums);
}

static int add_column(struct rarog_value_table *table, uint32_t location,
		      const struct rarog_wanted_value *value, struct rarog_profile_writer *writer)
{
	const struct rarog_argument argument = {
		.location = location,
		.name = value->name,
		.type = value->type,
		.kind = value->path.kind,
		.is_return = value->is_return,
	};
	long row = rarog_profile_add_argument(writer, &argument);

	if (row < 0)
		return (int)row;
	if (rarog_vec_push(&table->paths, value->path) < 0 ||
	    rarog_vec_push(&table->sums, (struct rarog_argument_sum){ (uint32_t)row }) < 0)
		return rarog_oom();
	return 0;
}

int rarog_value_table_add(struct rarog_value_table *table, uint32_t location,
			  const struct rarog_wanted_values *values,
			  struct rarog_profile_writer *writer)
{
	const struct rarog_value_columns columns = {
		.first = (uint32_t)table->paths.n,
		.n_enter = (uint8_t)values->n_enter,
		.n_leave = (uint8_t)values->n_leave,
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < values->all.n; i++)
		r = add_column(table, location, &values->all.v[i], writer);
	while (r == 0 && table->by_location.n <= location)
		r = rarog_vec_push(&table->by_location, (struct rarog_value_columns){ 0 });
	if (r == 0)
		table->by_location.v[location] = columns;
	return r;
}

const struct rarog_value_columns *rarog_value_table_columns(const struct rarog_value_table *table,
							    uint32_t location)
{
	const struct rarog_value_columns *columns;

	if (location >= table->by_location.n)
		return NULL;
	columns = &table->by_location.v[location];
	return columns->n_enter + columns->n_leave ? columns : NULL;
}

static bool is_less(enum rarog_value_kind kind, uint64_t a, uint64_t b)
{
	if (kind == RAROG_VALUE_SIGNED)
		return (int64_t)a < (int64_t)b;
	if (kind == RAROG_VALUE_REAL)
		return rarog_value_double(kind, a) < rarog_value_double(kind, b);
	return a < b;
}

static bool is_nan(enum rarog_value_kind kind, uint64_t value)
{
	double number = rarog_value_double(kind, value);

	return kind == RAROG_VALUE_REAL && number != number;
}

void rarog_value_table_count(struct rarog_value_table *table, uint32_t column, bool is_known,
			     uint64_t value)
{
	struct rarog_argument_sum *sum = &table->sums.v[column];
	enum rarog_value_kind kind = table->paths.v[column].kind;
	double total;

	sum->unknown += !is_known;
	if (!is_known)
		return;
	if (sum->count == 0 || is_nan(kind, sum->min) || is_less(kind, value, sum->min))
		sum->min = value;
	if (sum->count == 0 || is_nan(kind, sum->max) || is_less(kind, sum->max, value))
		sum->max = value;
	sum->count++;
	memcpy(&total, &sum->sum, sizeof(total));
	total += rarog_value_double(kind, value);
	memcpy(&sum->sum, &total, sizeof(total));
}

int rarog_value_table_write(const struct rarog_value_table *table,
			    struct rarog_profile_writer *writer)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < table->sums.n; i++)
		if (table->sums.v[i].count + table->sums.v[i].unknown)
			r = rarog_profile_add_argument_sum(writer, &table->sums.v[i]);
	return r;
}
