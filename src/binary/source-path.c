/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file name is asked for thousands of times (once per function or call site) and always by the
 * same pointer into libdw's tables, so the pointer is the key of the cache.
 */
#include "binary/source-path.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* uthash would end the program without memory, and its own functions are for texts; keys here are
 * addresses: Fibonacci hashing (Knuth 6.4) mixes them well enough */
#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(key, length, hash)                                                           \
	((hash) = (unsigned)((uintptr_t) * (const char *const *)(key)*0x9e3779b97f4a7c15u >> 32))
#include <uthash.h>

#include "base/cleanup.h"
#include "base/str.h"

struct rarog_source_path {
	const char *key, *path;
	UT_hash_handle hh;
};

/* Remove the last part of @path, unless there is none that ".." could undo. */
static bool pop_part(struct rarog_str *path)
{
	const char *slash = strrchr(rarog_str_text(path), '/');
	const char *last = slash ? slash + 1 : rarog_str_text(path);

	if (*last == '\0' || strcmp(last, "..") == 0)
		return *last == '\0' && slash; /* "/..": is "/" */
	path->length = (size_t)(last - path->text);
	if (path->length > 1)
		path->length--; /* the slash, unless it is the root */
	path->text[path->length] = '\0';
	return true;
}

static int add_part(struct rarog_str *path, size_t n, const char *part)
{
	int r = 0;

	if (n == 0 || (n == 1 && part[0] == '.'))
		return 0;
	if (n == 2 && memcmp(part, "..", 2) == 0 && pop_part(path))
		return 0;
	if (path->length > 0 && path->text[path->length - 1] != '/')
		r = rarog_str_add_char(path, '/');
	return r < 0 ? r : rarog_str_add_bytes(path, n, part);
}

static int add_parts(struct rarog_str *path, const char *text)
{
	int r = 0;

	if (text[0] == '/' && path->length == 0)
		r = rarog_str_add_char(path, '/');
	while (r == 0 && *text) {
		size_t n = strcspn(text, "/");

		r = add_part(path, n, text);
		text += n + (text[n] == '/');
	}
	return r;
}

/* DWARF 5 tables have the directory itself as entry 0: names by it are joined already. */
static bool needs_directory(const char *directory, const char *file)
{
	size_t n = directory ? strlen(directory) : 0;

	return n > 0 && file[0] != '/' && !(strncmp(file, directory, n) == 0 && file[n] == '/');
}

static const char *make_path(struct rarog_source_paths *paths, const char *directory,
			     const char *file)
{
	rarog_cleanup(rarog_str_release) struct rarog_str path = { 0 };
	int r = needs_directory(directory, file) ? add_parts(&path, directory) : 0;

	if (r == 0)
		r = add_parts(&path, file);
	return r == 0 ? rarog_text_pool_add(&paths->texts, path.length, rarog_str_text(&path))
		      : NULL;
}

const char *rarog_source_path(struct rarog_source_paths *paths, const char *directory,
			      const char *file)
{
	struct rarog_source_path *entry = NULL;
	const char *path;

	if (!file)
		return NULL;
	HASH_FIND_PTR(paths->table, &file, entry);
	if (entry)
		return entry->path;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = file;
	entry->path = path = make_path(paths, directory, file);
	HASH_ADD_PTR(paths->table, key, entry);
	if (!entry->hh.tbl)
		free(entry); /* no memory to remember it */
	return path;
}

void rarog_source_paths_release(struct rarog_source_paths *paths)
{
	struct rarog_source_path *entry, *next;

	HASH_ITER(hh, paths->table, entry, next)
	{
		HASH_DEL(paths->table, entry);
		free(entry);
	}
	rarog_text_pool_release(&paths->texts);
}
