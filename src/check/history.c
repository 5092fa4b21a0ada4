/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/history.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "store/record.h"

#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) (void)(element)
#include <uthash.h>

struct rarog_history_index {
	const char *key; /* the row's own */
	size_t at;
	UT_hash_handle hh;
};

static void free_index(struct rarog_history_index *index)
{
	struct rarog_history_index *entry, *next;

	HASH_ITER(hh, index, entry, next)
	{
		HASH_DEL(index, entry);
		free(entry);
	}
}

static void release_row(struct rarog_history_row *row)
{
	free(row->name);
	free(row->binary);
	free(row->key);
	rarog_vec_release(&row->sets);
	for (size_t i = 0; i < RAROG_HISTORY_SERIES; i++) {
		rarog_series_release(&row->series[i]);
		rarog_vec_release(&row->values[i]);
	}
}

static void release_group(struct rarog_history_group *group)
{
	free_index(group->index);
	for (size_t i = 0; i < group->rows.n; i++)
		release_row(&group->rows.v[i]);
	rarog_vec_release(&group->rows);
	rarog_vec_release(&group->totals);
	free(group->job);
	free(group->setting);
	free(group->machine);
	rarog_vec_release(&group->sittings);
}

int rarog_history_keep(struct rarog_history *history, struct rarog_store *store,
		       const char *options)
{
	int64_t n = 0;
	size_t kept = 0;

	for (size_t i = 0; i < history->groups.n; i++) {
		struct rarog_history_group *group = &history->groups.v[i];
		const struct rarog_record_filter filter = { .job_key = &group->job_key,
							    .options = options };

		n = n < 0 ? n : rarog_record_count(store, &filter);
		if (n == 0)
			release_group(group);
		else
			history->groups.v[kept++] = *group;
	}
	history->groups.n = kept;
	return n < 0 ? (int)n : 0;
}

/* A group's words begin with the name of its job. */
static bool is_of_job(const struct rarog_history_group *group, size_t n, const char *const names[])
{
	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(group->job, names[i], length) == 0 &&
		    strncmp(group->job + length, ": ", 2) == 0)
			return true;
	}
	return n == 0;
}

void rarog_history_keep_jobs(struct rarog_history *history, size_t n, const char *const names[])
{
	size_t kept = 0;

	for (size_t i = 0; i < history->groups.n; i++)
		if (is_of_job(&history->groups.v[i], n, names))
			history->groups.v[kept++] = history->groups.v[i];
		else
			release_group(&history->groups.v[i]);
	history->groups.n = kept;
}

void rarog_history_release(struct rarog_history *history)
{
	for (size_t i = 0; i < history->versions.n; i++)
		free(history->versions.v[i]);
	rarog_vec_release(&history->versions);
	for (size_t i = 0; i < history->groups.n; i++)
		release_group(&history->groups.v[i]);
	rarog_vec_release(&history->groups);
	rarog_history_calls_release(&history->calls);
	free(history->tip);
	*history = (struct rarog_history){ 0 };
}

const struct rarog_history_group *rarog_history_find_group(const struct rarog_history *history,
							   const struct rarog_hash *job_key,
							   const struct rarog_hash *machine_class,
							   const char *setting)
{
	for (size_t i = 0; i < history->groups.n; i++)
		if (rarog_hash_equal(&history->groups.v[i].job_key, job_key) &&
		    rarog_hash_equal(&history->groups.v[i].machine_class, machine_class) &&
		    strcmp(history->groups.v[i].setting, setting) == 0)
			return &history->groups.v[i];
	return NULL;
}

struct rarog_history_group *rarog_history_group(struct rarog_history *history,
						const struct rarog_hash *job_key,
						const struct rarog_hash *machine_class,
						const char *setting)
{
	const struct rarog_history_group *known =
		rarog_history_find_group(history, job_key, machine_class, setting);
	struct rarog_history_group fresh = { .job_key = *job_key,
					     .machine_class = *machine_class,
					     .first = (uint32_t)history->versions.n };

	if (known)
		return &history->groups.v[known - history->groups.v];
	fresh.setting = strdup(setting);
	fresh.machine = strdup("{}");
	if (!fresh.setting || !fresh.machine || rarog_vec_push(&history->groups, fresh) < 0) {
		free(fresh.setting);
		free(fresh.machine);
		rarog_oom();
		return NULL;
	}
	return &history->groups.v[history->groups.n - 1];
}

static int add_to_index(struct rarog_history_group *group, size_t at)
{
	struct rarog_history_index *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return rarog_oom();
	entry->key = group->rows.v[at].key;
	entry->at = at;
	HASH_ADD_KEYPTR(hh, group->index, entry->key, strlen(entry->key), entry);
	if (!entry->hh.tbl) {
		free(entry);
		return rarog_oom();
	}
	return 0;
}

static struct rarog_history_row *add_row(struct rarog_history_group *group, const char *binary,
					 const char *name, uint64_t set, const char *key)
{
	struct rarog_history_row fresh = { .name = strdup(name),
					   .binary = strdup(binary),
					   .key = strdup(key) };

	fresh.set = set;
	fresh.series[0].metric = group->is_blocks ? RAROG_SERIES_INSTRUCTIONS
				 : *name          ? RAROG_SERIES_EXCLUSIVE
						  : RAROG_SERIES_WALL;
	fresh.series[1].metric = *name ? RAROG_SERIES_CALLS : RAROG_SERIES_TRACED_WALL;
	fresh.series[2].metric = RAROG_SERIES_INCLUSIVE;
	if (!fresh.name || !fresh.binary || !fresh.key || rarog_vec_push(&group->rows, fresh) < 0) {
		release_row(&fresh);
		rarog_oom();
		return NULL;
	}
	if (add_to_index(group, group->rows.n - 1) < 0)
		return NULL; /* the row stays, the group releases it */
	return &group->rows.v[group->rows.n - 1];
}

struct rarog_history_row *rarog_history_row(struct rarog_history_group *group, const char *binary,
					    const char *name, uint64_t set)
{
	rarog_cleanup(rarog_freep) char *key =
		rarog_asprintf("%s\t%s\t%" PRIx64, binary, name, set);
	struct rarog_history_index *entry = NULL;

	if (!key) {
		rarog_oom();
		return NULL;
	}
	HASH_FIND_STR(group->index, key, entry);
	return entry ? &group->rows.v[entry->at] : add_row(group, binary, name, set, key);
}
