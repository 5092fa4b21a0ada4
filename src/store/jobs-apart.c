/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/jobs-apart.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "store/json-text.h"
#include "store/store-own.h"

#define VALUE_MOST 40 /* bytes of a value that are shown */

/* The job itself comes first. Jobs of which no profile is left are none. */
#define QUERY                                                                                      \
	"SELECT other.engine, other.parameters FROM job JOIN job AS other"                         \
	" ON other.command IS job.command AND other.arguments IS job.arguments"                    \
	" AND other.workload IS job.workload AND other.configuration IS job.configuration"         \
	" AND other.collector IS job.collector"                                                    \
	" WHERE job.key = ? AND EXISTS (SELECT 1 FROM profile WHERE profile.job = other.id)"       \
	" ORDER BY other.id <> job.id"

/* Its parameters, and the engine as one of them. */
static json_t *settings_of(struct rarog_query *query)
{
	rarog_cleanup(rarog_json_decrefp) json_t *all =
		json_loads(rarog_query_text(query, 1), 0, NULL);
	const char *engine = rarog_query_text(query, 0);

	if (!json_is_object(all)) {
		json_decref(all);
		all = json_object();
	}
	if (*engine)
		json_object_set_new(all, "engine", json_string(engine));
	return rarog_take(all);
}

static bool says_nothing(const json_t *value)
{
	return !value || json_is_false(value) || json_is_null(value) ||
	       (json_is_array(value) && json_array_size(value) == 0) ||
	       (json_is_string(value) && *json_string_value(value) == '\0');
}

/* Keeps of @own what @other has otherwise in @apart. */
static int compare(const json_t *own, const json_t *other, json_t *apart)
{
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach ((json_t *)(uintptr_t)own, key, value)
		if (r == 0 && !says_nothing(value) &&
		    !json_equal(value, json_object_get(other, key)))
			r = json_object_set(apart, key, value);
	return r == 0 ? 0 : rarog_oom();
}

static char *text_of(const json_t *value)
{
	if (json_is_array(value) && json_array_size(value) == 1)
		value = json_array_get(value, 0);
	return json_is_string(value) ? strdup(json_string_value(value))
				     : rarog_json_canonical(value);
}

static int add_value(const json_t *value, struct rarog_str *text)
{
	rarog_cleanup(rarog_freep) char *whole = text_of(value);
	size_t n = whole ? strlen(whole) : 0;

	if (!whole)
		return -ENOMEM;
	if (n <= VALUE_MOST)
		return rarog_str_addf(text, "=%s", whole);
	for (n = VALUE_MOST; n > 0 && ((unsigned char)whole[n] & 0xc0) == 0x80; n--)
		;
	return rarog_str_addf(text, "=%.*s…", (int)n, whole);
}

static int write_apart(json_t *apart, struct rarog_str *text)
{
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach (apart, key, value) {
		r = r ? r : rarog_str_addf(text, "%s%s", text->length > 0 ? ", " : " [", key);
		if (r == 0 && !json_is_true(value))
			r = add_value(value, text);
	}
	if (r == 0 && text->length > 0)
		r = rarog_str_add_char(text, ']');
	return r < 0 ? rarog_oom() : 0;
}

static int read_apart(struct rarog_store *store, const struct rarog_hash *key,
		      struct rarog_str *text)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	rarog_cleanup(rarog_json_decrefp) json_t *own = NULL, *apart = json_object();
	int r = rarog_sql_query(&store->sql, &query, QUERY, "h", key);

	while (r >= 0 && (r = rarog_query_step(&query)) > 0) {
		rarog_cleanup(rarog_json_decrefp) json_t *one = settings_of(&query);

		if (own)
			r = compare(own, one, apart);
		else
			own = rarog_take(one);
	}
	return r < 0 ? r : write_apart(apart, text);
}

int rarog_jobs_apart(struct rarog_jobs_apart *jobs, struct rarog_store *store,
		     const struct rarog_hash *key, const char **ret_text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_job_apart job = { .key = *key };
	int r;

	for (size_t i = 0; i < jobs->list.n; i++)
		if (rarog_hash_equal(&jobs->list.v[i].key, key)) {
			*ret_text = jobs->list.v[i].text;
			return 0;
		}
	r = read_apart(store, key, &text);
	if (r < 0)
		return r;
	job.text = strdup(rarog_str_text(&text));
	if (!job.text || rarog_vec_push(&jobs->list, job) < 0) {
		free(job.text);
		return rarog_oom();
	}
	*ret_text = job.text;
	return 0;
}

void rarog_jobs_apart_release(struct rarog_jobs_apart *jobs)
{
	for (size_t i = 0; i < jobs->list.n; i++)
		free(jobs->list.v[i].text);
	rarog_vec_release(&jobs->list);
}
