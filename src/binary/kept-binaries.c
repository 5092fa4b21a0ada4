/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/kept-binaries.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"

#define MOST 64 /* files: a path with a process's number in it never comes again */

struct entry {
	char *path;
	struct stat file;
	struct rarog_kept_binary binary;
};

struct rarog_kept_binaries {
	RAROG_VEC(struct entry) v;
};

struct rarog_kept_binaries *rarog_kept_binaries_new(void)
{
	return calloc(1, sizeof(struct rarog_kept_binaries));
}

void rarog_kept_binary_release(struct rarog_kept_binary *binary)
{
	rarog_binary_free(binary->binary);
	free(binary->sites);
	*binary = (struct rarog_kept_binary){ 0 };
}

static void drop(struct rarog_kept_binaries *kept, size_t i)
{
	free(kept->v.v[i].path);
	rarog_kept_binary_release(&kept->v.v[i].binary);
	kept->v.n--;
	memmove(kept->v.v + i, kept->v.v + i + 1, (kept->v.n - i) * sizeof(*kept->v.v));
}

void rarog_kept_binaries_free(struct rarog_kept_binaries *kept)
{
	if (!kept)
		return;
	while (kept->v.n > 0)
		drop(kept, kept->v.n - 1);
	rarog_vec_release(&kept->v);
	free(kept);
}

struct rarog_kept_binary rarog_kept_binaries_take(struct rarog_kept_binaries *kept,
						  const char *path, const struct stat *file)
{
	struct rarog_kept_binary found = { 0 };
	size_t i = 0;

	if (!kept)
		return found;
	while (i < kept->v.n && strcmp(kept->v.v[i].path, path) != 0)
		i++;
	if (i == kept->v.n)
		return found;
	if (rarog_file_is_same(&kept->v.v[i].file, file)) {
		found = kept->v.v[i].binary;
		kept->v.v[i].binary = (struct rarog_kept_binary){ 0 };
	}
	drop(kept, i);
	return found;
}

void rarog_kept_binaries_keep(struct rarog_kept_binaries *kept, const char *path,
			      const struct stat *file, struct rarog_kept_binary take_binary)
{
	struct entry entry = { .file = *file, .binary = take_binary };

	if (kept && kept->v.n == MOST)
		drop(kept, 0); /* the oldest */
	if (kept && take_binary.binary)
		entry.path = strdup(path);
	if (entry.path && rarog_vec_push(&kept->v, entry) == 0)
		return;
	free(entry.path);
	rarog_kept_binary_release(&entry.binary);
}
