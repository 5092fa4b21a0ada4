/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store in the scratch directory, profiles in it, and what other programs say of it. */
#ifndef CATALOGUE_SAMPLE_H
#define CATALOGUE_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "store-sample.h"
#include "store/record.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static inline struct rarog_store *create_at(const char *path)
{
	const struct rarog_store_options options = { .create = true };
	struct rarog_store *store = NULL;

	if (rarog_store_open(path, &options, &store) < 0)
		fail_msg("%s", rarog_error_message());
	return store;
}

static inline struct rarog_store *create(void)
{
	return create_at("store");
}

/* What @command prints, without the last newline. */
static inline const char *ask(const char *command)
{
	static char answer[4096];
	FILE *f = popen(command, "r");
	size_t n;

	assert_non_null(f);
	n = fread(answer, 1, sizeof(answer) - 1, f);
	pclose(f);
	answer[n] = '\0';
	if (n > 0 && answer[n - 1] == '\n')
		answer[n - 1] = '\0';
	return answer;
}

/* What sqlite3 prints for @query. */
static inline const char *ask_sql(const char *query)
{
	char command[1024];

	snprintf(command, sizeof(command), "sqlite3 store/catalog.db \"%s\" 2>&1", query);
	return ask(command);
}

/* Returns the id of the new row. */
static inline int64_t sample_add(struct rarog_store *store, const struct sample *sample,
				 struct rarog_hash *ret_hash)
{
	int64_t id = 0;

	assert_int_equal(sample_write("sample.rarog", sample), 0);
	if (rarog_record_add(store, "sample.rarog", NULL, &id, ret_hash) != 1)
		fail_msg("%s", rarog_error_message());
	return id;
}

#endif
