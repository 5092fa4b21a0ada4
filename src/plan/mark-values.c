/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point's values are those at the entry of a call; so are those of a region's beginning, and
 * those of its end are values at the return.
 */
#include "plan/mark-values.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

int rarog_mark_values_read(const struct rarog_binary *binary, const char *text,
			   struct rarog_marks *marks, struct rarog_mark *mark)
{
	struct rarog_usdt_argument arguments[RAROG_USDT_ARGUMENTS];
	size_t n = rarog_usdt_arguments(binary, text, arguments);

	mark->first_value = (uint32_t)marks->values.n;
	mark->n_values = (uint8_t)n;
	for (size_t i = 0; i < n; i++)
		if (rarog_vec_push(&marks->values, arguments[i]) < 0)
			return rarog_oom();
	return 0;
}

/* --- columns --- */

static enum rarog_value_kind kind_of(const struct rarog_usdt_argument *argument)
{
	if (argument->is_float)
		return RAROG_VALUE_REAL;
	return argument->is_signed ? RAROG_VALUE_SIGNED : RAROG_VALUE_UNSIGNED;
}

static const char *type_of(const struct rarog_usdt_argument *argument)
{
	static const char *const types[3][9] = {
		[RAROG_VALUE_UNSIGNED] = { [1] = "uint8_t",
					   [2] = "uint16_t",
					   [4] = "uint32_t",
					   [8] = "uint64_t" },
		[RAROG_VALUE_SIGNED] = { [1] = "int8_t",
					 [2] = "int16_t",
					 [4] = "int32_t",
					 [8] = "int64_t" },
	};

	if (argument->is_float)
		return argument->bytes == 4 ? "float" : "double";
	return types[kind_of(argument)][argument->bytes];
}

/* What rarog.h has put after the name says what it is. */
static char *name_of(const struct rarog_mark_name *name, size_t number)
{
	static const char *const known[] = { "size", "feature" };

	for (size_t i = 0; i < RAROG_COUNT(known); i++) {
		rarog_cleanup(rarog_freep) char *end = rarog_asprintf("__%s", known[i]);

		if (end && strncmp(name->text, "rarog:", 6) == 0 &&
		    rarog_ends_with(name->text, end))
			return strdup(known[i]);
	}
	return rarog_asprintf("arg%zu", number + 1);
}

static int add_column(struct rarog_mark_name *name, bool is_return, size_t number,
		      const struct rarog_usdt_argument *argument)
{
	struct rarog_wanted_value value = {
		.name = name_of(name, number),
		.type = strdup(type_of(argument)),
		.path = { .bytes = 8,
			  .bits = argument->is_float ? (uint8_t)(8 * argument->bytes) : 64,
			  .kind = (uint8_t)kind_of(argument),
			  .is_float = argument->is_float && argument->bytes == 4 },
		.is_return = is_return,
	};

	if (value.name && value.type && rarog_vec_push(&name->values.all, value) == 0) {
		*(is_return ? &name->values.n_leave : &name->values.n_enter) += 1;
		return 0;
	}
	free(value.name);
	free(value.type);
	return rarog_oom();
}

/* One after the other, from the first mark that has it. */
static int add_columns(struct rarog_marks *marks, uint32_t index, bool is_return)
{
	struct rarog_mark_name *name = &marks->names.v[index];
	int r = 0;

	for (size_t i = 0; i < marks->v.n; i++) {
		const struct rarog_mark *mark = &marks->v.v[i];
		const unsigned *n = is_return ? &name->values.n_leave : &name->values.n_enter;

		if (mark->name != index || rarog_mark_ends(mark) != is_return)
			continue;
		while (r == 0 && *n < mark->n_values)
			r = add_column(name, is_return, *n,
				       &marks->values.v[mark->first_value + *n]);
	}
	return r;
}

int rarog_mark_values_columns(struct rarog_marks *marks)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < marks->names.n; i++) {
		r = add_columns(marks, i, false);
		if (r == 0)
			r = add_columns(marks, i, true);
	}
	return r;
}

/* --- at a mark --- */

static bool fits(const struct rarog_value_path *column, const struct rarog_usdt_argument *argument)
{
	bool is_real = column->kind == RAROG_VALUE_REAL;

	return is_real == argument->is_float &&
	       (!is_real || column->is_float == (argument->bytes == 4));
}

size_t rarog_mark_values_of(const struct rarog_marks *marks, const struct rarog_mark *mark,
			    const struct rarog_usdt_argument *ret[RAROG_USDT_ARGUMENTS])
{
	const struct rarog_wanted_values *values = &marks->names.v[mark->name].values;
	size_t first = rarog_mark_ends(mark) ? values->n_enter : 0;
	size_t n = rarog_mark_ends(mark) ? values->n_leave : values->n_enter;

	for (size_t i = 0; i < n; i++) {
		const struct rarog_usdt_argument *argument =
			i < mark->n_values ? &marks->values.v[mark->first_value + i] : NULL;

		ret[i] = argument && fits(&values->all.v[first + i].path, argument) ? argument
										    : NULL;
	}
	return n;
}
