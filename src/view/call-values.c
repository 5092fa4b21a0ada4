/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/call-values.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/value-path.h"

/* The call that a value is of. */
struct call {
	uint32_t strand, location;
	uint64_t number;
};

static int compare(const struct call *a, const struct call *b)
{
	if (a->strand != b->strand)
		return a->strand < b->strand ? -1 : 1;
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static struct call call_of(const struct rarog_argument *arguments,
			   const struct rarog_call_value *value)
{
	return (struct call){ value->strand, arguments[value->argument].location, value->number };
}

static int by_call(const void *left, const void *right, void *values)
{
	const struct rarog_argument *arguments = ((struct rarog_call_values *)values)->arguments;
	const struct rarog_call_value *a = left, *b = right;
	const struct call x = call_of(arguments, a), y = call_of(arguments, b);
	int order = compare(&x, &y);

	return order ? order : (a->argument > b->argument) - (a->argument < b->argument);
}

int rarog_call_values_load(struct rarog_profile *profile, struct rarog_call_values *ret_values)
{
	const struct rarog_call_value *rows;
	struct rarog_call_values values = { 0 };
	long n_arguments = rarog_profile_arguments(profile, &values.arguments);
	long n = n_arguments < 0 ? n_arguments : rarog_profile_values(profile, &rows);

	if (n < 0)
		return (int)n;
	values.n = (size_t)n;
	values.has_any = n_arguments > 0;
	values.v = calloc(values.n + 1, sizeof(*values.v));
	if (!values.v)
		return rarog_oom();
	if (n > 0) {
		memcpy(values.v, rows, values.n * sizeof(*values.v));
		qsort_r(values.v, values.n, sizeof(*values.v), by_call, &values);
	}
	*ret_values = values;
	return 0;
}

void rarog_call_values_release(struct rarog_call_values *values)
{
	free(values->v);
	*values = (struct rarog_call_values){ 0 };
}

static int compare_at(const struct rarog_call_values *values, size_t i, const struct call *wanted)
{
	const struct call call = call_of(values->arguments, &values->v[i]);

	return compare(&call, wanted);
}

static int add(const struct rarog_argument *argument, uint64_t value, struct rarog_str *to)
{
	bool is_result = strcmp(argument->name, "return") == 0;

	return rarog_str_addf(to, "%s%s%s%s", to->length > 0 ? " " : "",
			      is_result ? "" : argument->name, is_result ? "" : "=",
			      rarog_value_text(argument->kind, value).text);
}

int rarog_call_values_add(const struct rarog_call_values *values, const struct rarog_moment *moment,
			  bool is_return, struct rarog_str *to)
{
	const struct call wanted = { moment->strand, moment->location, moment->number };
	int r = 0;

	if (moment->number == 0)
		return 0;
	for (size_t i = rarog_lower_bound(k, values->n, compare_at(values, k, &wanted) < 0);
	     r == 0 && i < values->n && compare_at(values, i, &wanted) == 0; i++) {
		const struct rarog_argument *argument = &values->arguments[values->v[i].argument];

		if (argument->is_return == is_return)
			r = add(argument, values->v[i].value, to);
	}
	return r < 0 ? rarog_oom() : 0;
}
