/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values that a run captures: what the records of each location's calls hold, in which order,
 * what their bits mean, and the sums over them.
 */
#ifndef RAROG_PLAN_VALUE_TABLE_H
#define RAROG_PLAN_VALUE_TABLE_H

#include "base/vec.h"
#include "binary/value-path.h"
#include "profile/profile.h"

struct rarog_wanted_values;
struct rarog_profile_writer;

/* Of one location: all.v[first … first + n_enter + n_leave - 1]. */
struct rarog_value_columns {
	uint32_t first;
	uint8_t n_enter, n_leave;
};

/* Zeroed: empty. The index of a column is its row in the profile's table of arguments. */
struct rarog_value_table {
	RAROG_VEC(struct rarog_value_columns) by_location;
	RAROG_VEC(struct rarog_value_path) paths;
	RAROG_VEC(struct rarog_argument_sum) sums;
};

void rarog_value_table_release(struct rarog_value_table *table);

/** rarog_value_table_add() - @values are captured with the calls of @location, once for each
 * location; they go into @writer's arguments. 0, errors of the writer. */
int rarog_value_table_add(struct rarog_value_table *table, uint32_t location,
			  const struct rarog_wanted_values *values,
			  struct rarog_profile_writer *writer);

/** rarog_value_table_columns() - those of @location; NULL: none. Borrowed until the next add. */
const struct rarog_value_columns *rarog_value_table_columns(const struct rarog_value_table *table,
							    uint32_t location);

/** rarog_value_table_count() - a value of @column, decoded, or one that could not be read. */
void rarog_value_table_count(struct rarog_value_table *table, uint32_t column, bool is_known,
			     uint64_t value);

/** rarog_value_table_write() - the sums of what any call had. */
int rarog_value_table_write(const struct rarog_value_table *table,
			    struct rarog_profile_writer *writer);

#endif
