/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording knows beside its events: locations with their sources, processes, strands. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "binary/binary.h"
#include "events/recorder-state.h"
#include "plan/place-rows.h"

struct rarog_id_map *rarog_recorder_id_map(struct rarog_recorder *r, uint32_t capacity)
{
	struct rarog_id_map *map = calloc(1, sizeof(*map));

	pthread_mutex_lock(&r->lock);
	if (map)
		map->locations = calloc(capacity, sizeof(*map->locations));
	if (map && (!map->locations || rarog_vec_push(&r->maps, map) < 0)) {
		free(map->locations);
		free(map);
		map = NULL;
	}
	pthread_mutex_unlock(&r->lock);
	return map;
}

void rarog_recorder_id_map_full(struct rarog_recorder *r, struct rarog_id_map *map)
{
	/* realloc() would leave a mapping of its own for each */
	uint32_t *smaller = malloc((map->n + (size_t)1) * sizeof(*smaller));

	if (!smaller)
		return;
	memcpy(smaller, map->locations, map->n * sizeof(*smaller));
	pthread_mutex_lock(&r->lock);
	free(map->locations);
	map->locations = smaller;
	pthread_mutex_unlock(&r->lock);
}

static int add_location(struct rarog_recorder *r, const struct rarog_location *location,
			uint32_t binary)
{
	struct location_text text = { .name = strdup(location->name) };
	struct rarog_location copy = *location;
	long index;
	int result;

	if (!text.name)
		return rarog_oom();
	copy.name = text.name;
	copy.binary = binary;
	result = rarog_vec_push(&r->texts, text);
	if (result < 0) {
		free(text.name);
		return result;
	}
	result = rarog_vec_push(&r->locations, copy);
	if (result < 0)
		return result;
	index = rarog_profile_add_location(r->writer, &copy);
	return index < 0 ? (int)index : 0;
}

/* Return: index of the binary. */
static long add_binary(struct rarog_recorder *r, const struct rarog_profile_binary *binary,
		       size_t n, const struct rarog_location locations[n])
{
	long index = rarog_profile_add_binary(r->writer, binary);
	int result = 0;

	for (size_t i = 0; index >= 0 && result == 0 && i < n; i++)
		result = add_location(r, &locations[i], (uint32_t)index);
	return result < 0 ? result : index;
}

long rarog_recorder_add_locations(struct rarog_recorder *r,
				  const struct rarog_profile_binary *binary, size_t n,
				  const struct rarog_location locations[n])
{
	long index, first;

	pthread_mutex_lock(&r->lock);
	first = (long)r->locations.n;
	index = add_binary(r, binary, n, locations);
	pthread_mutex_unlock(&r->lock);
	return index < 0 ? index : first;
}

/* --- how places are measured --- */

static int add_measured(struct rarog_recorder *r, struct rarog_measured row)
{
	row.binary = RAROG_NONE;
	return row.how == RAROG_HOW_RECORDED ? 0 : rarog_profile_add_measured(r->writer, 1, &row);
}

static int add_others(struct rarog_recorder *r, long binary, const char *reason)
{
	const struct rarog_measured row = {
		.location = RAROG_NONE,
		.binary = (uint32_t)binary,
		.how = RAROG_HOW_OFF,
		.reason = reason,
	};

	return reason ? rarog_profile_add_measured(r->writer, 1, &row) : 0;
}

long rarog_recorder_add_places(struct rarog_recorder *r, const struct rarog_profile_binary *binary,
			       const struct rarog_place_rows *rows)
{
	long first, index;
	int result = 0;

	pthread_mutex_lock(&r->lock);
	first = (long)r->locations.n;
	index = add_binary(r, binary, rows->locations.n, rows->locations.v);
	for (size_t i = 0; index >= 0 && result == 0 && i < rows->measured.n; i++) {
		struct rarog_measured row = rows->measured.v[i];

		row.location = (uint32_t)first + (uint32_t)i;
		result = add_measured(r, row);
	}
	if (index >= 0 && result == 0)
		result = add_others(r, index, rows->others);
	pthread_mutex_unlock(&r->lock);
	if (index < 0)
		return index;
	return result < 0 ? result : first;
}

int rarog_recorder_add_values(struct rarog_recorder *r, uint32_t location,
			      const struct rarog_wanted_values *values)
{
	int result;

	pthread_mutex_lock(&r->lock);
	result = rarog_value_table_add(&r->values, location, values, r->writer);
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_set_source(struct rarog_recorder *r, uint32_t location, const char *file,
			      uint32_t line)
{
	char *copy = strdup(file);

	if (!copy)
		return rarog_oom();
	free(r->texts.v[location].file);
	r->texts.v[location].file = copy;
	r->locations.v[location].file = copy;
	r->locations.v[location].line = line;
	return 0;
}

long rarog_recorder_add_process(struct rarog_recorder *r, const struct rarog_process *process)
{
	struct rarog_process copy = *process;
	long result;

	copy.command = process->command ? strdup(process->command) : NULL;
	pthread_mutex_lock(&r->lock);
	result = rarog_vec_push(&r->processes, copy);
	if (result == 0)
		result = rarog_profile_add_process(r->writer, &copy);
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_end_process(struct rarog_recorder *r, uint32_t process, uint64_t end_ticks,
			       int wait_status)
{
	pthread_mutex_lock(&r->lock);
	r->processes.v[process].end_ticks = end_ticks;
	r->processes.v[process].wait_status = wait_status;
	pthread_mutex_unlock(&r->lock);
	return 0;
}

/* --- streams --- */

long rarog_recorder_add_strand(struct rarog_recorder *r, const struct rarog_strand *strand,
			       const struct rarog_id_map *map)
{
	struct recorded_strand s = { .strand = *strand, .map = map };
	long result;

	pthread_mutex_lock(&r->lock);
	result = rarog_vec_push(&r->strands, s);
	if (result == 0)
		result = rarog_profile_add_strand(r->writer, strand);
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_set_mark_sources(struct rarog_recorder *r, const struct rarog_marks *marks,
				    struct rarog_binary *binary, uint32_t first)
{
	int result = 0;

	for (uint32_t i = 0; result == 0 && i < marks->names.n; i++) {
		const struct rarog_mark_name *name = &marks->names.v[i];
		struct rarog_source source = { .file = name->file, .line = name->line };

		if (name->file || rarog_binary_source(binary, name->address, &source) == 0)
			result = rarog_recorder_set_source(r, first + i, source.file,
							   (uint32_t)source.line);
	}
	return result;
}

int rarog_recorder_set_pruned_sources(struct rarog_recorder *recorder,
				      const struct rarog_place_set *set,
				      struct rarog_binary *binary, uint32_t first)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < set->v.n; i++) {
		const struct rarog_plan_place *place = &set->v.v[i];
		struct rarog_source source;

		if (place->kind != RAROG_AT_FUNCTION || place->action != RAROG_ACTION_PRUNED)
			continue;
		if (rarog_binary_source(binary, place->address, &source) == 0)
			result = rarog_recorder_set_source(recorder, first, source.file,
							   (uint32_t)source.line);
		first++;
	}
	return result;
}

int rarog_recorder_add_mark_values(struct rarog_recorder *r, const struct rarog_marks *marks,
				   uint32_t first)
{
	int result = 0;

	for (uint32_t i = 0; result == 0 && i < marks->names.n; i++)
		if (marks->names.v[i].values.all.n > 0 && !marks->names.v[i].reason)
			result = rarog_recorder_add_values(r, first + i, &marks->names.v[i].values);
	return result;
}
