/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything is sorted and nothing is counted, so that the same build gives the same text and is
 * one row of the store.
 */
#include "process/software.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/elf-file.h"

#define PAIRS_MOST 64 /* compilers with flags, in a header */

static void release_builds(struct rarog_builds *builds)
{
	for (size_t i = 0; i < builds->list.n; i++) {
		free(builds->list.v[i].path);
		free(builds->list.v[i].id);
	}
	rarog_vec_release(&builds->list);
}

void rarog_software_release(struct rarog_software *software)
{
	rarog_producers_release(&software->producers);
	release_builds(&software->programs);
	release_builds(&software->libraries);
	free(software->libc);
	*software = (struct rarog_software){ 0 };
}

/* --- gathering --- */

static bool is_known(const struct rarog_builds *builds, const char *path)
{
	for (size_t i = 0; i < builds->list.n; i++)
		if (strcmp(builds->list.v[i].path, path) == 0)
			return true;
	return false;
}

static int add_build(struct rarog_builds *builds, const char *path, const char *id)
{
	struct rarog_build build = { .path = strdup(path), .id = strdup(id) };

	if (build.path && build.id && rarog_vec_push(&builds->list, build) == 0)
		return 0;
	free(build.path);
	free(build.id);
	return rarog_oom();
}

int rarog_software_add_program(struct rarog_software *software, struct rarog_binary *binary)
{
	const char *path = rarog_binary_path(binary);
	bool is_library = is_known(&software->libraries, path);
	int r = 0;

	if (!is_library || rarog_binary_has_own_debug(binary))
		r = rarog_producers_add(&software->producers, binary);
	if (r < 0 || is_library || is_known(&software->programs, path))
		return r;
	return add_build(&software->programs, path, rarog_binary_build_id(binary));
}

/*
 * glibc says what it is when it is run, and has the text for that:
 *
 *	GNU C Library (Debian GLIBC 2.36-9+deb12u13) stable release version 2.36.
 */
static int read_libc(struct rarog_software *software, const struct rarog_elf *elf)
{
	static const char begin[] = "GNU C Library (", middle[] = ") stable release version ";
	const struct rarog_elf_section *section = rarog_elf_section(elf, ".rodata");
	const char *text, *version;
	size_t n = 0, length;

	text = section ? (const char *)rarog_elf_section_bytes(elf, section, &n) : NULL;
	text = text && n > 256 ? memmem(text, n - 256, begin, strlen(begin)) : NULL;
	version = text ? memmem(text, 128, middle, strlen(middle)) : NULL;
	if (!version)
		return 0;
	text += strlen(begin);
	length = (size_t)(version - text);
	version += strlen(middle);
	n = strspn(version, "0123456789.");
	n -= n > 0 && version[n - 1] == '.';
	software->libc = rarog_asprintf("glibc %.*s (%.*s)", (int)n, version, (int)length, text);
	if (!software->libc)
		return rarog_oom();
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int rarog_software_add_library(struct rarog_software *software, const char *path)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	int r = 0;

	if (is_known(&software->libraries, path))
		return 0;
	if (rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf) < 0) {
		rarog_error_clear();
		return 0;
	}
	if (!software->libc && rarog_starts_with(base_name(path), "libc.so"))
		r = read_libc(software, elf);
	return r < 0 ? r : add_build(&software->libraries, path, elf->build_id);
}

/* --- writing --- */

static int compare_producers(const void *left, const void *right)
{
	const struct rarog_producer *a = left, *b = right;
	int order = strcmp(a->compiler, b->compiler);

	return order != 0 ? order : strcmp(a->flags, b->flags);
}

static int compare_builds(const void *left, const void *right)
{
	const struct rarog_build *a = left, *b = right;
	int order = strcmp(base_name(a->path), base_name(b->path));

	return order != 0 ? order : strcmp(a->path, b->path);
}

static void write_compilers(struct rarog_json *json, struct rarog_producers *producers)
{
	const struct rarog_producer *list = producers->list.v, *last = NULL;
	size_t n = producers->list.n;

	if (n == 0)
		return;
	qsort(producers->list.v, n, sizeof(*list), compare_producers);
	rarog_json_object(json, "compilers");
	for (size_t i = 0; i < n && i < PAIRS_MOST; last = &list[i++]) {
		bool is_next = !last || strcmp(last->compiler, list[i].compiler) != 0;

		if (is_next && last)
			rarog_json_end_array(json);
		if (is_next)
			rarog_json_array(json, list[i].compiler);
		if (*list[i].flags)
			rarog_json_string(json, NULL, list[i].flags);
	}
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

/* "libz.so.1.2.13" is "libz.so.1" to programs that link with it, and so is its next build. */
static int name_length(const char *path)
{
	const char *name = base_name(path), *at = strstr(name, ".so.");

	if (!at)
		return (int)strlen(name);
	at += strlen(".so.");
	while (isdigit((unsigned char)*at))
		at++;
	return (int)(at - name);
}

/* Two of the same name, two directories: the first one has it. */
static bool is_same_name(const struct rarog_build *a, const struct rarog_build *b)
{
	int n = name_length(a->path);

	return n == name_length(b->path) &&
	       strncmp(base_name(a->path), base_name(b->path), (size_t)n) == 0;
}

static void write_builds(struct rarog_json *json, const char *key, struct rarog_builds *builds)
{
	const struct rarog_build *list = builds->list.v;
	size_t n = builds->list.n;

	if (n == 0)
		return;
	qsort(builds->list.v, n, sizeof(*list), compare_builds);
	rarog_json_object(json, key);
	for (size_t i = 0; i < n; i++) {
		char name[256];

		if (i > 0 && is_same_name(&list[i], &list[i - 1]))
			continue;
		snprintf(name, sizeof(name), "%.*s", name_length(list[i].path),
			 base_name(list[i].path));
		rarog_json_string(json, name, list[i].id);
	}
	rarog_json_end_object(json);
}

void rarog_software_write(struct rarog_json *json, struct rarog_software *software)
{
	rarog_json_object(json, "software");
	write_compilers(json, &software->producers);
	if (software->libc)
		rarog_json_string(json, "libc", software->libc);
	write_builds(json, "programs", &software->programs);
	write_builds(json, "libraries", &software->libraries);
	rarog_json_end_object(json);
}
