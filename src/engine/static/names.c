/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/static/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/elf-file.h"
#include "feature/region-file.h"

#define WORDS 5 /* list, number, name, file, line */

static int compare(const void *a, const void *b)
{
	const struct rarog_static_region *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static int fail_damaged(const char *path)
{
	return rarog_fail(-EBADMSG, "%s: what it says of its regions is damaged; link it anew",
			  path);
}

/* Splits @line at its tabs. */
static bool split(char *line, char *words[WORDS])
{
	size_t n = 0;
	char *word;

	while (n < WORDS && (word = strsep(&line, "\t")))
		words[n++] = word;
	return n == WORDS;
}

static int add(struct rarog_static_names *names, char *const words[WORDS])
{
	struct rarog_static_region region = {
		.number = (uint32_t)strtoul(words[1], NULL, 10),
		.line = (uint32_t)strtoul(words[4], NULL, 10),
		.name = strdup(words[2]),
		.file = strdup(words[3]),
	};

	if (region.name && region.file && rarog_vec_push(&names->v, region) == 0)
		return 0;
	free(region.name);
	free(region.file);
	return rarog_oom();
}

/* @text[n] is written to; a NUL comes after it. */
static int read_lines(struct rarog_static_names *names, size_t n, char text[n])
{
	char *words[WORDS], *list = NULL;
	int r = 0;

	for (char *next, *line = text; r == 0 && line < text + n; line = next) {
		next = line + strlen(line) + 1;
		if (!*line) /* filled up */
			continue;
		if (!split(line, words))
			return fail_damaged(names->path);
		if (list && strcmp(list, words[0]) != 0)
			return rarog_fail(-EINVAL,
					  "%s: its objects were compiled with different lists of "
					  "regions; compile all of them anew",
					  names->path);
		list = words[0];
		r = add(names, words);
	}
	return r;
}

static void drop_copies(struct rarog_static_names *names)
{
	size_t kept = 0;

	if (names->v.n > 1)
		qsort(names->v.v, names->v.n, sizeof(*names->v.v), compare);
	for (size_t i = 0; i < names->v.n; i++)
		if (kept > 0 && names->v.v[kept - 1].number == names->v.v[i].number) {
			free(names->v.v[i].name);
			free(names->v.v[i].file);
		} else {
			names->v.v[kept++] = names->v.v[i];
		}
	names->v.n = kept;
}

/* Each object that has regions names all of the list. */
static bool has_gap(const struct rarog_static_names *names)
{
	for (size_t i = 0; i < names->v.n; i++)
		if (names->v.v[i].number != i)
			return true;
	return false;
}

int rarog_static_names_read(const char *path, struct rarog_static_names *ret_names)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	rarog_cleanup(rarog_freep) char *text = NULL;
	const struct rarog_elf_section *section;
	const uint8_t *bytes;
	size_t n = 0;
	int r = rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf);

	*ret_names = (struct rarog_static_names){ .path = strdup(path) };
	if (r < 0)
		return r;
	section = rarog_elf_section(elf, RAROG_REGION_SECTION);
	bytes = section ? rarog_elf_section_unpacked(section, &n) : NULL;
	if (!bytes)
		return rarog_fail(-ENODATA,
				  "%s: no regions are compiled in; compile it with rarog cc "
				  "--features --rarog-regions=FILE, and do not strip it",
				  path);
	text = malloc(n + 1);
	if (!text || !ret_names->path)
		return rarog_oom();
	memcpy(text, bytes, n);
	text[n] = '\0';
	r = read_lines(ret_names, n, text);
	drop_copies(ret_names);
	return r < 0 || !has_gap(ret_names) ? r : fail_damaged(path);
}

int rarog_static_names_announce(struct rarog_static_names *names, struct rarog_recorder *recorder)
{
	const struct rarog_profile_binary binary = { .path = names->path, .build_id = "" };
	size_t n = names->v.n;
	rarog_cleanup(rarog_freep) struct rarog_location *rows = calloc(n + 1, sizeof(*rows));
	long first;

	names->map = rarog_recorder_id_map(recorder, (uint32_t)n);
	if (!rows || !names->map)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct rarog_location){
			.kind = RAROG_LOCATION_REGION,
			.name = names->v.v[i].name,
			.file = names->v.v[i].file,
			.line = names->v.v[i].line,
		};
	first = rarog_recorder_add_locations(recorder, &binary, n, rows);
	if (first < 0)
		return (int)first;
	for (size_t i = 0; i < n; i++)
		names->map->locations[i] = (uint32_t)(first + (long)i);
	names->map->n = (uint32_t)n;
	rarog_recorder_id_map_full(recorder, names->map);
	return 0;
}

void rarog_static_names_release(struct rarog_static_names *names)
{
	for (size_t i = 0; i < names->v.n; i++) {
		free(names->v.v[i].name);
		free(names->v.v[i].file);
	}
	rarog_vec_release(&names->v);
	free(names->path);
}
