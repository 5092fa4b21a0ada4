/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A selection by a name that nothing has would be empty: more likely it is misspelt. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "store/record.h"
#include "store/store-own.h"

#define VALUES_SHOWN 8

static int no_such_option(struct rarog_store *store, const char *name)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(&store->sql, &query,
				"SELECT group_concat(key, ', ') FROM (SELECT DISTINCT o.key AS key"
				" FROM job j, json_each(j.configuration) o ORDER BY o.key)",
				"");
	const char *others = "";

	if (r == 0)
		r = rarog_query_step(&query);
	if (r < 0)
		return r;
	others = rarog_query_text(&query, 0);
	return rarog_fail(-EINVAL, "no profile was measured with an option '%s'%s%s", name,
			  *others ? "; there are " : "", others);
}

/* 1: some job has it; 0: @others has the values that there are. */
static int find(struct rarog_store *store, const struct rarog_option_value *option,
		struct rarog_str *others)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	size_t n = 0;
	int r = rarog_sql_query(
		&store->sql, &query,
		"SELECT DISTINCT o.value FROM job j, json_each(j.configuration) o WHERE o.key = ?"
		" ORDER BY CAST(o.value AS REAL), o.value",
		"t", option->name);

	while (r == 0 && (r = rarog_query_step(&query)) > 0) {
		const char *value = rarog_query_text(&query, 0);

		if (strcmp(value, option->value) == 0)
			return 1;
		r = n < VALUES_SHOWN    ? rarog_str_addf(others, "%s%s", n > 0 ? ", " : "", value)
		    : n == VALUES_SHOWN ? rarog_str_add(others, " …")
					: 0;
		n++;
	}
	return r;
}

int rarog_options_check(struct rarog_store *store, const struct rarog_configuration *options)
{
	for (size_t i = 0; i < options->list.n; i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str others = { 0 };
		const struct rarog_option_value *option = &options->list.v[i];
		int r = find(store, option, &others);

		if (r < 0)
			return r;
		if (r == 0 && others.length == 0)
			return no_such_option(store, option->name);
		if (r == 0)
			return rarog_fail(-EINVAL, "option '%s' has no value '%s'; it has %s",
					  option->name, option->value, rarog_str_text(&others));
	}
	return 0;
}
