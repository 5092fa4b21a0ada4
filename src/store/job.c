/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identity of jobs: the key is the SHA-256 of canonical JSON, so it is the same on all machines. */
#include "store/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "store/configuration.h"
#include "store/json-text.h"

void rarog_job_release(struct rarog_job *job)
{
	free(job->name);
	free(job->command);
	free(job->arguments);
	free(job->workload);
	free(job->configuration);
	free(job->collector);
	free(job->engine);
	free(job->parameters);
	*job = (struct rarog_job){ 0 };
}

/* --- the key --- */

static int fill_in(char **text, const char *instead)
{
	if (!*text)
		*text = strdup(instead);
	return *text ? 0 : rarog_oom();
}

static json_t *key_object(const struct rarog_job *job)
{
	const struct {
		const char *name, *text;
	} members[] = {
		{ "command", job->command },   { "arguments", job->arguments },
		{ "workload", job->workload }, { "collector", job->collector },
		{ "engine", job->engine },     { "parameters", job->parameters },
	};
	rarog_cleanup(rarog_json_decrefp) json_t *key = json_object();

	for (size_t i = 0; i < RAROG_COUNT(members); i++)
		if (json_object_set_new(key, members[i].name, json_string(members[i].text)) < 0)
			return NULL;
	if (job->has_number && json_object_set_new(key, "number", json_real(job->number)) < 0)
		return NULL;
	/* jobs that were there before there were configurations keep their keys */
	if (*job->configuration &&
	    json_object_set_new(key, "configuration", json_string(job->configuration)) < 0)
		return NULL;
	return rarog_take(key);
}

/* Texts that are not UTF-8 cannot stand in JSON: such a key is made of the bytes. */
static int key_of_bytes(struct rarog_job *job)
{
	const char *const texts[] = { job->command,   job->arguments, job->workload,
				      job->collector, job->engine,    job->parameters };
	rarog_cleanup(rarog_str_release) struct rarog_str all = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(texts); i++)
		r = rarog_str_add_bytes(&all, strlen(texts[i]) + 1, texts[i]);
	if (r == 0)
		r = rarog_str_add(&all, job->configuration);
	if (r < 0)
		return rarog_oom();
	rarog_hash_bytes(all.length, all.text, &job->key);
	return 0;
}

int rarog_job_seal(struct rarog_job *job)
{
	rarog_cleanup(rarog_json_decrefp) json_t *object = NULL;
	rarog_cleanup(rarog_freep) char *text = NULL;
	char **const texts[] = { &job->name,   &job->command,       &job->arguments, &job->workload,
				 &job->engine, &job->configuration, &job->collector };
	int r = fill_in(&job->parameters, "{}");

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(texts); i++)
		r = fill_in(texts[i], "");
	if (r < 0)
		return r;
	object = key_object(job);
	if (!object)
		return key_of_bytes(job);
	text = rarog_json_canonical(object);
	if (!text)
		return rarog_oom();
	rarog_hash_bytes(strlen(text), text, &job->key);
	return 0;
}

/* --- from a header --- */

static bool is_plain_word(const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "%+,-./:=@_";

	return *word && word[strspn(word, safe)] == '\0';
}

static int add_quoted(struct rarog_str *line, const char *word)
{
	int r = rarog_str_add(line, line->length > 0 ? " " : "");

	if (is_plain_word(word))
		return r < 0 ? r : rarog_str_add(line, word);
	if (r == 0)
		r = rarog_str_add_char(line, '\'');
	for (; r == 0 && *word; word++)
		r = *word == '\'' ? rarog_str_add(line, "'\\''") : rarog_str_add_char(line, *word);
	return r < 0 ? r : rarog_str_add_char(line, '\'');
}

static int copy_text(const char *from, char **to)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? rarog_oom() : 0;
}

static int read_command(const json_t *command, struct rarog_job *job)
{
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };
	int r = 0;

	if (json_is_string(command))
		return copy_text(json_string_value(command), &job->command);
	if (!json_is_array(command))
		return 0;
	for (size_t i = 1; r == 0 && i < json_array_size(command); i++)
		if (json_is_string(json_array_get(command, i)))
			r = add_quoted(&line, json_string_value(json_array_get(command, i)));
	if (r < 0)
		return rarog_oom();
	r = copy_text(json_string_value(json_array_get(command, 0)), &job->command);
	return r < 0 ? r : copy_text(rarog_str_text(&line), &job->arguments);
}

/* "detail" says how much was recorded: it belongs to what was asked for. */
static int read_parameters(const json_t *header, const json_t *from, struct rarog_job *job)
{
	const json_t *given = json_object_get(from, "parameters");
	json_t *detail = json_object_get(header, "detail");
	rarog_cleanup(rarog_json_decrefp) json_t *all =
		json_is_object(given) ? json_copy((json_t *)(uintptr_t)given) : json_object();

	if (!all)
		return rarog_oom();
	if (detail)
		json_object_set(all, "detail", detail);
	job->parameters = rarog_json_canonical(all);
	return job->parameters ? 0 : rarog_oom();
}

static int read_workload(const json_t *from, struct rarog_job *job)
{
	const json_t *workload = json_object_get(from, "workload"), *number;

	number = json_object_get(json_is_object(workload) ? workload : from, "number");
	job->has_number = json_is_number(number);
	if (job->has_number)
		job->number = json_number_value(number);
	return json_is_object(workload) ? rarog_json_copy(workload, "name", &job->workload)
					: rarog_json_copy(from, "workload", &job->workload);
}

static int read_configuration(const json_t *header, struct rarog_job *job)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration configuration = { 0 };
	int r = rarog_configuration_read(&configuration, json_object_get(header, "configuration"));

	if (r == 0)
		job->configuration = rarog_configuration_json(&configuration);
	return r < 0 || job->configuration ? r : rarog_oom();
}

int rarog_job_parse(const json_t *header, struct rarog_job *ret_job)
{
	rarog_cleanup(rarog_job_release) struct rarog_job job = { 0 };
	const json_t *given = json_object_get(header, "job");
	const json_t *from = json_is_object(given) ? given : header;
	int r = read_command(json_object_get(from, "command"), &job);

	if (r == 0)
		r = read_parameters(header, from, &job);
	if (r < 0)
		return r;
	r = rarog_json_copy(from, "arguments", &job.arguments);
	if (r == 0)
		r = read_workload(from, &job);
	if (r == 0)
		r = read_configuration(header, &job);
	if (r == 0)
		r = rarog_json_copy(given, "name", &job.name);
	if (r == 0)
		r = rarog_json_copy(header, "collector", &job.collector);
	if (r == 0)
		r = rarog_json_copy(header, "engine", &job.engine);
	if (r < 0)
		return r;
	r = rarog_job_seal(&job);
	if (r < 0)
		return r;
	*ret_job = rarog_take_struct(job);
	return 0;
}

/* --- to a header --- */

void rarog_job_write(struct rarog_json *json, const struct rarog_job *job)
{
	rarog_json_object(json, "job");
	if (job->name && *job->name)
		rarog_json_string(json, "name", job->name);
	rarog_json_string(json, "command", job->command);
	rarog_json_string(json, "arguments", job->arguments);
	rarog_json_string(json, "workload", job->workload);
	if (job->has_number)
		rarog_json_double(json, "number", job->number);
	if (job->parameters)
		rarog_json_raw(json, "parameters", job->parameters);
	rarog_json_end_object(json);
	if (job->configuration && *job->configuration)
		rarog_json_raw(json, "configuration", job->configuration);
}
