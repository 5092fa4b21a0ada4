/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/history/records.h"

#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "view/names.h"

static const struct rarog_column columns[] = {
	{ .title = "name" },      { .title = "started" },
	{ .title = "collector" }, { .title = "command", .is_elastic = true },
	{ .title = "workload" },  { .title = "size", .is_right = true },
	{ .title = "profile" },   { .title = "" },
};

struct rarog_table *rarog_record_table_new(void)
{
	return rarog_table_new(RAROG_COUNT(columns), columns);
}

struct note {
	unsigned flag;
	const char *text, *key;
};

static const struct note notes_of_flags[] = {
	{ RAROG_RECORD_DIRTY, "changed", "dirty" },
	{ RAROG_RECORD_PARTIAL, "cut off", "partial" },
	{ RAROG_RECORD_NOISY, "noisy", "noisy" },
	{ RAROG_RECORD_IMPORTED, "imported", "imported" },
	{ RAROG_RECORD_DAMAGED, "damaged", "damaged" },
};

static int add_note(struct rarog_str *notes, size_t begin, const char *text)
{
	return rarog_str_addf(notes, "%s%s", notes->length > begin ? ", " : "", text);
}

int rarog_record_notes(const struct rarog_record *record, const struct rarog_hash *here,
		       struct rarog_str *notes)
{
	size_t begin = notes->length;
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(notes_of_flags); i++)
		if (record->flags & notes_of_flags[i].flag)
			r = add_note(notes, begin, notes_of_flags[i].text);
	if (r == 0 && record->losses > 0)
		r = add_note(notes, begin, "lossy");
	if (r == 0 && here && !rarog_hash_equal(here, &record->machine_class))
		r = add_note(notes, begin, "other machine");
	if (r == 0 && record->exit_status > 0)
		r = rarog_str_addf(notes, "%sexit %d", notes->length > begin ? ", " : "",
				   record->exit_status);
	if (r == 0 && record->label && *record->label)
		r = add_note(notes, begin, record->label);
	return r < 0 ? rarog_oom() : 0;
}

static int add_command(const struct rarog_record *record, struct rarog_str *text)
{
	int r = rarog_str_add(text, record->command ? record->command : "");

	if (r == 0 && record->arguments && *record->arguments)
		r = rarog_str_addf(text, " %s", record->arguments);
	return r < 0 ? rarog_oom() : 0;
}

/* What the program was given and how it was set: both are inputs. */
static int add_workload(const struct rarog_record *record, struct rarog_str *text)
{
	const char *workload = record->workload ? record->workload : "";

	if (rarog_str_add(text, workload) < 0)
		return rarog_oom();
	return rarog_configuration_words(record->configuration, *workload ? " " : "", text);
}

int rarog_record_table_add(struct rarog_table *table, const char *name,
			   const struct rarog_record *record, const struct rarog_hash *here)
{
	rarog_cleanup(rarog_str_release) struct rarog_str command = { 0 }, notes = { 0 },
							  workload = { 0 };
	int r = add_command(record, &command);

	if (r == 0)
		r = add_workload(record, &workload);

	if (r == 0)
		r = rarog_record_notes(record, here, &notes);
	if (r < 0)
		return r;
	return rarog_table_add(table,
			       (struct rarog_cell[]){
				       { .text = name, .style = RAROG_STYLE_BOLD },
				       { .text = rarog_date_of(record->started_ns).text },
				       { .text = record->collector },
				       { .text = rarog_str_text(&command) },
				       { .text = rarog_str_text(&workload) },
				       { .text = rarog_format_bytes(record->bytes).text },
				       { .text = rarog_short_object(&record->object).text,
					 .style = RAROG_STYLE_YELLOW },
				       { .text = rarog_str_text(&notes), .style = RAROG_STYLE_DIM },
			       });
}

/* --- for programs --- */

static void write_hash(struct rarog_json *json, const char *key, const struct rarog_hash *hash)
{
	rarog_json_string(json, key, rarog_hash_hex(hash).text);
}

static void write_job(struct rarog_json *json, const struct rarog_record *record)
{
	rarog_json_object(json, "job");
	write_hash(json, "key", &record->job_key);
	if (record->job_name && *record->job_name)
		rarog_json_string(json, "name", record->job_name);
	rarog_json_string(json, "command", record->command);
	rarog_json_string(json, "arguments", record->arguments);
	rarog_json_string(json, "workload", record->workload);
	if (record->has_number)
		rarog_json_double(json, "number", record->number);
	if (record->configuration && *record->configuration)
		rarog_json_raw(json, "configuration", record->configuration);
	rarog_json_string(json, "collector", record->collector);
	rarog_json_string(json, "engine", record->engine);
	rarog_json_raw(json, "parameters",
		       record->parameters && *record->parameters ? record->parameters : "{}");
	rarog_json_end_object(json);
}

void rarog_record_json(struct rarog_json *json, const char *name, const struct rarog_record *record)
{
	rarog_json_object(json, NULL);
	if (name)
		rarog_json_string(json, "name", name);
	write_hash(json, "profile", &record->object);
	rarog_json_string(json, "version", record->version);
	rarog_json_string(json, "tree", record->tree);
	write_job(json, record);
	write_hash(json, "machine", &record->machine_key);
	write_hash(json, "machine_class", &record->machine_class);
	rarog_json_uint(json, "started_ns", record->started_ns);
	rarog_json_uint(json, "added_ns", record->added_ns);
	rarog_json_uint(json, "wall_ns", record->wall_ns);
	rarog_json_uint(json, "bytes", record->bytes);
	rarog_json_uint(json, "calls", record->calls);
	rarog_json_uint(json, "losses", record->losses);
	if (record->exit_status >= 0)
		rarog_json_int(json, "exit_status", record->exit_status);
	for (size_t i = 0; i < RAROG_COUNT(notes_of_flags); i++)
		rarog_json_bool(json, notes_of_flags[i].key,
				record->flags & notes_of_flags[i].flag);
	rarog_json_string(json, "label", record->label);
	rarog_json_end_object(json);
}
