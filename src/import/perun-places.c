/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names to locations, numbers of threads to strands: each written once, when it is first met. */
#include <errno.h>
#include <string.h>
#include <uthash.h>

#include "base/error.h"
#include "base/str.h"
#include "import/perun-own.h"

struct entry {
	uint32_t index;
	UT_hash_handle hh;
	char key[];
};

struct rarog_perun_places {
	struct rarog_profile_writer *writer;
	char *command; /* of every process */
	struct entry *locations, *binaries, *processes, *strands;
	RAROG_VEC(struct rarog_process) process_rows;
	RAROG_VEC(struct rarog_strand) strand_rows;
};

int rarog_perun_places_new(struct rarog_profile_writer *writer, const char *command,
			   struct rarog_perun_places **ret_places)
{
	rarog_cleanup(rarog_perun_places_freep) struct rarog_perun_places *places =
		calloc(1, sizeof(*places));

	if (!places)
		return rarog_oom();
	places->writer = writer;
	places->command = strdup(command);
	if (!places->command)
		return rarog_oom();
	*ret_places = rarog_take(places);
	return 0;
}

static void forget(struct entry **table)
{
	struct entry *entry, *next;

	HASH_ITER(hh, *table, entry, next)
	{
		HASH_DEL(*table, entry);
		free(entry);
	}
}

void rarog_perun_places_free(struct rarog_perun_places *places)
{
	if (!places)
		return;
	forget(&places->locations);
	forget(&places->binaries);
	forget(&places->processes);
	forget(&places->strands);
	rarog_vec_release(&places->process_rows);
	rarog_vec_release(&places->strand_rows);
	free(places->command);
	free(places);
}

size_t rarog_perun_n_locations(const struct rarog_perun_places *places)
{
	return HASH_COUNT(places->locations);
}

static const struct entry *look_up(struct entry *table, const char *key)
{
	struct entry *entry = NULL;

	HASH_FIND_STR(table, key, entry);
	return entry;
}

/* Note what the writer gave; passes its failure on. */
static long remember(struct entry **table, const char *key, long index)
{
	struct entry *entry;
	size_t length = strlen(key);

	if (index < 0)
		return index;
	entry = malloc(sizeof(*entry) + length + 1);
	if (!entry)
		return rarog_oom();
	entry->index = (uint32_t)index;
	memcpy(entry->key, key, length + 1);
	HASH_ADD_STR(*table, key, entry);
	return index;
}

static long binary_of(struct rarog_perun_places *places, const char *path)
{
	const struct entry *known = path ? look_up(places->binaries, path) : NULL;
	const struct rarog_profile_binary binary = { .path = path };

	if (!path)
		return (long)RAROG_NONE;
	if (known)
		return known->index;
	return remember(&places->binaries, path, rarog_profile_add_binary(places->writer, &binary));
}

static long add_location(struct rarog_perun_places *places, const char *key,
			 struct rarog_location *location, const char *binary)
{
	const struct entry *known = look_up(places->locations, key);
	long index;

	if (known)
		return known->index;
	index = binary_of(places, binary);
	if (index < 0)
		return index;
	location->binary = (uint32_t)index;
	return remember(&places->locations, key,
			rarog_profile_add_location(places->writer, location));
}

long rarog_perun_location(struct rarog_perun_places *places, const json_t *uid, const char *binary,
			  const char *suffix)
{
	const char *name = json_string_value(uid), *file = rarog_perun_text(uid, "source");
	int64_t line = rarog_perun_id(uid, "line");
	rarog_cleanup(rarog_freep) char *title = NULL, *key = NULL;
	struct rarog_location location = { .line = line > 0 ? (uint32_t)line : 0, .file = file };

	if (!name)
		name = rarog_perun_text(uid, "function");
	if (!name)
		name = rarog_perun_text(uid, "func");
	title = suffix ? rarog_asprintf("%s (%s)", name ? name : "?", suffix)
		       : strdup(name ? name : "?");
	key = title ? rarog_asprintf("%s\n%s\n%u\n%s", title, file ? file : "", location.line,
				     binary ? binary : "")
		    : NULL;
	if (!key)
		return rarog_oom();
	location.name = title;
	return add_location(places, key, &location, binary);
}

static long process_of(struct rarog_perun_places *places, int64_t pid)
{
	rarog_cleanup(rarog_freep) char *key = rarog_asprintf("%lld", (long long)pid);
	const struct rarog_process process = { .pid = pid > 0 ? (uint32_t)pid : 0,
					       .parent = RAROG_NONE,
					       .wait_status = -1,
					       .command = places->command };
	const struct entry *known = key ? look_up(places->processes, key) : NULL;

	if (!key)
		return rarog_oom();
	if (known)
		return known->index;
	if (rarog_vec_push(&places->process_rows, process) < 0)
		return rarog_oom();
	return remember(&places->processes, key,
			rarog_profile_add_process(places->writer, &process));
}

long rarog_perun_strand(struct rarog_perun_places *places, int64_t pid, int64_t tid)
{
	rarog_cleanup(rarog_freep) char *key =
		rarog_asprintf("%lld %lld", (long long)pid, (long long)tid);
	const struct entry *known = key ? look_up(places->strands, key) : NULL;
	struct rarog_strand strand = { .tid = tid > 0 ? (uint32_t)tid : 0 };
	long process;

	if (!key)
		return rarog_oom();
	if (known)
		return known->index;
	process = process_of(places, pid);
	if (process < 0)
		return process;
	strand.process = (uint32_t)process;
	if (rarog_vec_push(&places->strand_rows, strand) < 0)
		return rarog_oom();
	return remember(&places->strands, key, rarog_profile_add_strand(places->writer, &strand));
}

int rarog_perun_set_span(struct rarog_perun_places *places, uint32_t strand,
			 const struct rarog_perun_span *span)
{
	struct rarog_strand *row = &places->strand_rows.v[strand];
	struct rarog_process *process = &places->process_rows.v[row->process];
	bool is_first = process->end_ticks == 0;
	int r;

	row->start_ticks = span->start;
	row->end_ticks = span->end;
	if (is_first || span->start < process->start_ticks)
		process->start_ticks = span->start;
	if (is_first || span->end > process->end_ticks)
		process->end_ticks = span->end;
	r = rarog_profile_set_strand(places->writer, strand, row);
	return r < 0 ? r : rarog_profile_set_process(places->writer, row->process, process);
}
