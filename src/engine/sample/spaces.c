/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sample/spaces.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"

void rarog_spaces_release(struct rarog_spaces *spaces)
{
	for (size_t i = 0; i < spaces->list.n; i++)
		rarog_vec_release(&spaces->list.v[i].mappings);
	for (size_t i = 0; i < spaces->files.n; i++)
		free(spaces->files.v[i].path);
	rarog_vec_release(&spaces->list);
	rarog_vec_release(&spaces->files);
}

/* The youngest first: numbers of processes are used again. */
struct rarog_space *rarog_spaces_find(const struct rarog_spaces *spaces, uint32_t pid)
{
	for (size_t i = spaces->list.n; i-- > 0;)
		if (spaces->list.v[i].pid == pid)
			return &spaces->list.v[i];
	return NULL;
}

static int find_or_add(struct rarog_spaces *spaces, uint32_t pid, struct rarog_space **ret_space)
{
	struct rarog_space *space = rarog_spaces_find(spaces, pid);

	if (!space) {
		if (rarog_vec_push(&spaces->list, (struct rarog_space){ .pid = pid }) < 0)
			return rarog_oom();
		space = &spaces->list.v[spaces->list.n - 1];
	}
	*ret_space = space;
	return 0;
}

static bool is_same(struct rarog_file_id a, struct rarog_file_id b)
{
	return a.inode == b.inode && a.major == b.major && a.minor == b.minor;
}

/* Two files may have one name: one of them was replaced, or they are in different containers. */
long rarog_spaces_file(struct rarog_spaces *spaces, uint32_t pid, const char *path,
		       struct rarog_file_id id)
{
	struct rarog_space_file file = { .id = id, .pid = pid };

	for (size_t i = 0; i < spaces->files.n; i++)
		if (is_same(spaces->files.v[i].id, id) &&
		    strcmp(spaces->files.v[i].path, path) == 0)
			return (long)i;
	file.path = strdup(path);
	if (file.path && rarog_vec_push(&spaces->files, file) == 0)
		return (long)spaces->files.n - 1;
	free(file.path);
	return rarog_oom();
}

/* What @start … @end leaves of @old goes back to @kept. */
static int keep_rest(struct rarog_space *kept, const struct rarog_space_mapping *old,
		     uint64_t start, uint64_t end)
{
	struct rarog_space_mapping before = *old, behind = *old;
	int r = 0;

	before.end = start < old->end ? start : old->end;
	behind.start = end > old->start ? end : old->start;
	behind.offset += behind.start - old->start;
	if (before.start < before.end)
		r = rarog_vec_push(&kept->mappings, before);
	if (r == 0 && behind.start < behind.end)
		r = rarog_vec_push(&kept->mappings, behind);
	return r < 0 ? rarog_oom() : 0;
}

static int by_start(const void *a, const void *b)
{
	const struct rarog_space_mapping *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

long rarog_spaces_map(struct rarog_spaces *spaces, uint32_t pid, uint64_t start, uint64_t size,
		      uint64_t offset, const char *path, struct rarog_file_id id)
{
	struct rarog_space *space = NULL, kept = { 0 };
	long file = rarog_spaces_file(spaces, pid, path, id);
	int r = file < 0 ? (int)file : find_or_add(spaces, pid, &space);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < space->mappings.n; i++)
		r = keep_rest(&kept, &space->mappings.v[i], start, start + size);
	if (r == 0)
		r = rarog_vec_push(&kept.mappings,
				   (struct rarog_space_mapping){ start, start + size, offset,
								 (uint32_t)file });
	if (r < 0) {
		rarog_vec_release(&kept.mappings);
		return rarog_oom();
	}
	qsort(kept.mappings.v, kept.mappings.n, sizeof(*kept.mappings.v), by_start);
	rarog_vec_release(&space->mappings);
	kept.pid = pid;
	kept.version = ++spaces->versions;
	*space = kept;
	return file;
}

int rarog_spaces_fork(struct rarog_spaces *spaces, uint32_t parent, uint32_t child)
{
	const struct rarog_space *from = rarog_spaces_find(spaces, parent);
	struct rarog_space copy = { .pid = child, .version = ++spaces->versions };
	int r = 0;

	for (size_t i = 0; from && r == 0 && i < from->mappings.n; i++)
		r = rarog_vec_push(&copy.mappings, from->mappings.v[i]);
	if (r == 0)
		r = rarog_vec_push(&spaces->list, copy);
	if (r == 0)
		return 0;
	rarog_vec_release(&copy.mappings);
	return rarog_oom();
}

void rarog_spaces_exec(struct rarog_spaces *spaces, uint32_t pid)
{
	struct rarog_space *space = rarog_spaces_find(spaces, pid);

	if (!space)
		return;
	space->mappings.n = 0;
	space->version = ++spaces->versions;
}

const struct rarog_space_mapping *rarog_space_at(const struct rarog_space *space, uint64_t address)
{
	size_t low = rarog_lower_bound(i, space ? space->mappings.n : 0,
				       space->mappings.v[i].end <= address);

	return space && low < space->mappings.n && space->mappings.v[low].start <= address
		       ? &space->mappings.v[low]
		       : NULL;
}
