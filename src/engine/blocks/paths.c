/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/paths.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "blocks/path-number.h"

struct writing {
	struct rarog_profile_writer *writer;
	const struct rarog_path_numbers *numbers;
	uint32_t first_block;
	uint32_t *blocks; /* room for a path */
};

static int add_path(const struct writing *w, uint64_t path, uint64_t count)
{
	uint32_t next;
	size_t n = rarog_path_numbers_find(w->numbers, path, w->blocks, &next);
	const struct rarog_path row = {
		.block = w->first_block + w->blocks[0],
		.n_more = (uint32_t)n - 1,
		.next = next == RAROG_PATH_END ? RAROG_NONE : w->first_block + next,
		.count = count,
	};

	for (size_t i = 0; i < n; i++)
		w->blocks[i] += w->first_block;
	return rarog_profile_add_path(w->writer, &row, w->blocks + 1);
}

static int add_paths(struct writing *w, const struct rarog_block_record *record,
		     const uint64_t *counts)
{
	int r = 0;

	w->blocks = calloc(record->flow.n_blocks, sizeof(*w->blocks));
	if (!w->blocks)
		return rarog_oom();
	for (uint64_t i = 0; r == 0 && i < record->n_paths; i++)
		if (counts[i] > 0)
			r = add_path(w, i, counts[i]);
	free(w->blocks);
	return r;
}

/* Not counted. */
static int add_none(struct rarog_profile_writer *writer, uint32_t first_block)
{
	const struct rarog_path row = { .block = first_block, .next = RAROG_NONE };

	return rarog_profile_add_path(writer, &row, NULL);
}

int rarog_block_paths_write(struct rarog_profile_writer *writer,
			    const struct rarog_block_record *record, uint32_t first_block,
			    const uint64_t *counters)
{
	rarog_cleanup(rarog_path_numbers_release) struct rarog_path_numbers numbers = { 0 };
	struct writing w = { writer, &numbers, first_block, NULL };
	int r;

	if (!record->has_paths)
		return 0;
	if (record->n_paths == 0)
		return add_none(writer, first_block);
	r = rarog_path_numbers_make(&record->flow, RAROG_PATHS_MOST, &numbers);
	if (r == -ENOMEM)
		return rarog_oom();
	if (r < 0 || numbers.n != record->n_paths)
		return rarog_fail(-EINVAL, "%s: its record names another number of paths",
				  record->name);
	return add_paths(&w, record, counters + rarog_record_paths(record) + 1);
}
