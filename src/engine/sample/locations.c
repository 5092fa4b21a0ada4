/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, bounds and lines are taken from the files, as for every other collector; names of
 * generated code from what the process wrote about it. Code without a name is one location for each
 * file, and one for all that is in none.
 */
#include "engine/sample/locations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "engine/sample/generated.h"

/* What one process generated, and the location of each piece: RAROG_NONE, none yet. */
struct maker {
	uint32_t pid;
	struct rarog_generated generated;
	uint32_t *locations;
};

struct output {
	struct rarog_sampled *sampled;
	struct rarog_profile_writer *writer;
	struct rarog_software *software;
	uint32_t *binaries; /* by file, RAROG_NONE: not in the table yet */
	RAROG_VEC(struct maker) makers;
	uint32_t nameless; /* location of generated code without a name; RAROG_NONE: none yet */
	uint32_t kernel;   /* binary; RAROG_NONE: none yet */
	long n;
};

static long add(struct output *o, struct rarog_location *location)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(location->name);
	long number;

	location->demangled = demangled;
	number = rarog_profile_add_location(o->writer, location);
	if (number >= o->n)
		o->n = number + 1;
	return number;
}

/* --- files --- */

static long binary_of(struct output *o, uint32_t file)
{
	struct rarog_binary *binary = rarog_images_binary(&o->sampled->images, file);
	const struct rarog_profile_binary row = {
		.path = o->sampled->spaces.files.v[file].path,
		.build_id = binary ? rarog_binary_build_id(binary) : NULL,
	};
	long number = o->binaries[file];
	int r = 0;

	if (number != RAROG_NONE)
		return number;
	number = rarog_profile_add_binary(o->writer, &row);
	if (number >= 0 && binary && row.path[0] == '/')
		r = rarog_software_add_program(o->software, binary);
	if (number < 0 || r < 0)
		return number < 0 ? number : r;
	o->binaries[file] = (uint32_t)number;
	return number;
}

static long add_of_file(struct output *o, const struct rarog_sample_place *place)
{
	struct rarog_location location = { .name = "[outside functions]" };
	long number = binary_of(o, place->file);
	const struct rarog_function *functions;
	struct rarog_binary *binary;
	struct rarog_source source;

	if (number < 0)
		return number;
	location.binary = (uint32_t)number;
	if (place->kind == RAROG_PLACE_REST)
		return add(o, &location);
	binary = rarog_images_binary(&o->sampled->images, place->file);
	rarog_binary_functions(binary, &functions);
	location.address = functions[place->function].address;
	location.size = functions[place->function].size;
	location.name = functions[place->function].name;
	if (rarog_binary_source(binary, location.address, &source) == 0) {
		location.file = source.file;
		location.line = (uint32_t)source.line;
	}
	return add(o, &location);
}

/* --- generated code --- */

static bool is_dump_of(const char *path, uint32_t pid)
{
	const char *slash = strrchr(path, '/');
	char name[48];

	snprintf(name, sizeof(name), "/jit-%u.dump", pid);
	return slash && strcmp(slash, name) == 0;
}

/* Anybody may put a name into /tmp: what it leads to elsewhere is not for us. */
static int read_map(struct maker *maker)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", maker->pid);
	if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	return rarog_generated_map(&maker->generated, path);
}

static int read_names(const struct output *o, struct maker *maker)
{
	const struct rarog_spaces *spaces = &o->sampled->spaces;
	size_t size;
	int r = read_map(maker);

	for (size_t i = 0; r == 0 && i < spaces->files.n; i++)
		if (is_dump_of(spaces->files.v[i].path, maker->pid))
			r = rarog_generated_dump(&maker->generated, spaces->files.v[i].path);
	if (r < 0)
		return r;
	size = (maker->generated.list.n + 1) * sizeof(*maker->locations);
	maker->locations = malloc(size);
	if (!maker->locations)
		return rarog_oom();
	memset(maker->locations, 0xff, size);
	return 0;
}

static struct maker *maker_of(struct output *o, uint32_t pid)
{
	struct maker maker = { .pid = pid };

	for (size_t i = 0; i < o->makers.n; i++)
		if (o->makers.v[i].pid == pid)
			return &o->makers.v[i];
	if (read_names(o, &maker) < 0 || rarog_vec_push(&o->makers, maker) < 0) {
		rarog_generated_release(&maker.generated);
		free(maker.locations);
		return NULL;
	}
	return &o->makers.v[o->makers.n - 1];
}

static long add_once(struct output *o, uint32_t *slot, struct rarog_location *location)
{
	long number = *slot;

	if (number != RAROG_NONE)
		return number;
	number = add(o, location);
	if (number >= 0)
		*slot = (uint32_t)number;
	return number;
}

static long add_generated(struct output *o, const struct rarog_sample_place *place)
{
	struct rarog_location location = { .binary = RAROG_NONE, .name = "[generated code]" };
	struct maker *maker = maker_of(o, place->file);
	const struct rarog_generated_code *code;

	if (!maker)
		return rarog_oom();
	code = rarog_generated_find(&maker->generated, place->address, place->ns);
	if (!code)
		return add_once(o, &o->nameless, &location);
	location.address = code->start;
	location.size = code->size;
	location.name = code->name;
	return add_once(o, &maker->locations[code - maker->generated.list.v], &location);
}

/* --- the kernel --- */

static long add_kernel(struct output *o, const struct rarog_sample_place *place)
{
	const struct rarog_kernel *kernel = &o->sampled->kernel;
	const struct rarog_profile_binary row = { .path = "[kernel]" };
	struct rarog_location location = { .name = "[kernel]" };
	long number = o->kernel;

	if (number == RAROG_NONE)
		number = rarog_profile_add_binary(o->writer, &row);
	if (number < 0)
		return number;
	location.binary = o->kernel = (uint32_t)number;
	if (place->function != RAROG_NONE) {
		location.address = kernel->symbols.v[place->function].address;
		location.name = kernel->symbols.v[place->function].name;
	}
	return add(o, &location);
}

static long add_region(struct output *o, const struct rarog_sample_place *place)
{
	const struct rarog_region_places *regions = o->sampled->places.regions;
	long number = binary_of(o, place->file);
	struct rarog_location location = { .kind = RAROG_LOCATION_REGION,
					   .binary = (uint32_t)number,
					   .size = 1,
					   .name = regions->names.v[place->function].text };

	return number < 0 ? number : add(o, &location);
}

static long add_place(struct output *o, const struct rarog_sample_place *place)
{
	struct rarog_location none = { .binary = RAROG_NONE, .name = "[no region]" };
	struct rarog_location cut = { .binary = RAROG_NONE, .name = "[callers not copied]" };

	switch (place->kind) {
	case RAROG_PLACE_FUNCTION:
	case RAROG_PLACE_REST:
		return add_of_file(o, place);
	case RAROG_PLACE_GENERATED:
		return add_generated(o, place);
	case RAROG_PLACE_KERNEL:
		return add_kernel(o, place);
	case RAROG_PLACE_REGION:
		return add_region(o, place);
	case RAROG_PLACE_NO_REGION:
		return add(o, &none);
	case RAROG_PLACE_CUT:
		break;
	}
	return add(o, &cut);
}

static void output_release(struct output *o)
{
	for (size_t i = 0; i < o->makers.n; i++) {
		rarog_generated_release(&o->makers.v[i].generated);
		free(o->makers.v[i].locations);
	}
	rarog_vec_release(&o->makers);
	free(o->binaries);
}

static int add_all(struct output *o, uint32_t locations[])
{
	const struct rarog_sample_places *places = &o->sampled->places;
	size_t size = (o->sampled->spaces.files.n + 1) * sizeof(*o->binaries);
	long number = 0;

	o->binaries = malloc(size);
	if (!o->binaries)
		return rarog_oom();
	memset(o->binaries, 0xff, size);
	for (size_t i = 0; number >= 0 && i < places->list.n; i++) {
		number = add_place(o, &places->list.v[i]);
		locations[i] = (uint32_t)number;
	}
	return number < 0 ? (int)number : 0;
}

/* All that were mapped, not only those that samples fell in, which is chance; and before the code
 * in them is asked about, so that the flags of a distribution's libraries are not the program's. */
static int add_libraries(struct output *o)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < o->sampled->spaces.files.n; i++) {
		const char *path = o->sampled->spaces.files.v[i].path;
		const char *slash = strrchr(path, '/');

		if (path[0] == '/' && strstr(slash, ".so"))
			r = rarog_software_add_library(o->software, path);
	}
	return r;
}

long rarog_sample_locations_write(struct rarog_sampled *sampled,
				  struct rarog_profile_writer *writer,
				  struct rarog_software *software, uint32_t **ret_locations)
{
	struct output o = { .sampled = sampled,
			    .writer = writer,
			    .software = software,
			    .nameless = RAROG_NONE,
			    .kernel = RAROG_NONE };
	uint32_t *locations = calloc(sampled->places.list.n + 1, sizeof(*locations));
	int r = locations ? add_libraries(&o) : rarog_oom();
	long n;

	if (r == 0)
		r = add_all(&o, locations);
	n = o.n;

	output_release(&o);
	if (r < 0) {
		free(locations);
		return r;
	}
	*ret_locations = locations;
	return n;
}
