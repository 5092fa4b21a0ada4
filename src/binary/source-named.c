/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compilers name files as they were named to them, relative to where they ran or, for short, to a
 * folder above. In the table of lines each of these names stands after the folder it is relative
 * to, so what ends with the name says where that is. It is asked for thousands of times (each piece
 * of inlined code), always for the same few names.
 */
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "binary/debug-info.h"

struct rarog_named_source {
	const char *path; /* NULL: not known */
	UT_hash_handle hh;
	char key[]; /* the unit's number and the name */
};

/* "folder/@name", or it. */
static bool is_named(const char *file, const char *name)
{
	size_t n = strlen(file), length = strlen(name);

	return rarog_ends_with(file, name) && (n == length || file[n - length - 1] == '/');
}

/* A name that is relative to the folder of the compilation is told apart by it from others with the
 * same end; else all that end so have to be one. */
static const char *find_in(struct rarog_debug *d, struct rarog_debug_unit *unit, const char *name)
{
	rarog_cleanup(rarog_freep) char *whole =
		unit->directory ? rarog_asprintf("%s/%s", unit->directory, name) : NULL;
	const char *found = NULL;
	bool is_one = true;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(&unit->die, &files, &n) != 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const char *file = dwarf_filesrc(files, i, NULL, NULL), *path;

		if (!file || !is_named(file, name))
			continue;
		path = rarog_source_path(&d->paths, unit->directory, file);
		if (strcmp(file, name) == 0 || (whole && strcmp(file, whole) == 0))
			return path;
		is_one &= !found || (path && strcmp(found, path) == 0);
		found = path;
	}
	return is_one ? found : NULL;
}

/* Of any unit, if all that have it mean the same. */
static const char *find(struct rarog_debug *d, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < d->units.n; i++) {
		const char *path = find_in(d, &d->units.v[i], name);

		if (path && found && strcmp(path, found) != 0)
			return NULL;
		found = path ? path : found;
	}
	return found;
}

static void remember(struct rarog_debug *d, const char *key, const char *path)
{
	size_t n = strlen(key);
	struct rarog_named_source *entry = malloc(sizeof(*entry) + n + 1);

	if (!entry)
		return;
	memcpy(entry->key, key, n + 1);
	entry->path = path;
	HASH_ADD_KEYPTR(hh, d->named, entry->key, n, entry);
	if (!entry->hh.tbl)
		free(entry);
}

const char *rarog_named_source(struct rarog_debug *d, struct rarog_debug_unit *unit,
			       const char *name)
{
	rarog_cleanup(rarog_freep) char *key =
		unit ? rarog_asprintf("%zu %s", (size_t)(unit - d->units.v), name)
		     : rarog_asprintf("- %s", name);
	struct rarog_named_source *entry = NULL;
	const char *path;

	if (!key)
		return NULL;
	HASH_FIND_STR(d->named, key, entry);
	if (entry)
		return entry->path;
	path = unit ? find_in(d, unit, name) : find(d, name);
	remember(d, key, path);
	return path;
}

void rarog_named_sources_free(struct rarog_named_source *all)
{
	struct rarog_named_source *entry, *next;

	HASH_ITER(hh, all, entry, next)
	{
		HASH_DEL(all, entry);
		free(entry);
	}
}
