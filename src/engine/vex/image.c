/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tool knows functions by symbols where there are some and by calls elsewhere; names, bounds
 * and lines are taken from the file here, as for every other engine. A part that the compiler has
 * put elsewhere (.cold) belongs to its function. What is in no function (stubs of the linker, code
 * without symbols and unwind tables) is one location for each file.
 */
#include "engine/vex/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/lower-bound.h"
#include "binary/binary.h"
#include "engine/vex/ways.h"

/* A piece and where it goes. */
struct part {
	struct rarog_vex_piece piece;
	struct rarog_block_accesses accesses;
	size_t place;
	bool is_cold;
};

struct image {
	const struct rarog_vex_image *from;
	struct rarog_profile_writer *writer;
	struct rarog_vex_totals *totals;
	struct rarog_vex_map *map;
	const struct rarog_function *functions;
	struct rarog_vex_pieces pieces;
	struct part *parts; /* [pieces.n], by place, the function's own first, by address */
	uint32_t binary;    /* in the table, RAROG_NONE: no file */
};

/* --- places --- */

static size_t place_in_file(const struct rarog_vex_map *map, uint64_t address, bool *ret_is_cold)
{
	long found = rarog_binary_find(map->binary, address);
	long host = rarog_binary_host(map->binary, found);

	*ret_is_cold = host != found;
	return host >= 0 ? (size_t)host : map->n;
}

/* Without a file: what begins with a symbol before it. */
static size_t place_by_entries(const struct rarog_vex_map *map, uint64_t address)
{
	const struct rarog_vex_image *image = map->image;
	size_t low = rarog_lower_bound(i, image->entries.n, image->entries.v[i].address <= address);

	return low > 0 && *image->entries.v[low - 1].name ? low - 1 : map->n;
}

static size_t place_of(const struct rarog_vex_map *map, uint64_t address, bool *ret_is_cold)
{
	*ret_is_cold = false;
	return map->binary ? place_in_file(map, address, ret_is_cold)
			   : place_by_entries(map, address);
}

/* Of @address; RAROG_NONE: nothing there was called or executed. */
static uint32_t location_of(const struct rarog_vex_map *map, uint64_t address)
{
	bool is_cold;

	return map->locations[place_of(map, address, &is_cold)];
}

uint32_t rarog_vex_function_location(const struct rarog_vex_harvest *harvest,
				     const struct rarog_vex_map maps[],
				     const struct rarog_vex_counted *counted, uint32_t number)
{
	const struct rarog_vex_function *function = counted->functions.v[number];
	size_t image = rarog_vex_harvest_image(harvest, counted, function->object);
	uint64_t bias = function->object ? counted->objects.v[function->object]->bias : 0;

	return location_of(&maps[image], function->address - bias);
}

/* --- rows --- */

static const char *rest_name(const struct image *image)
{
	return *image->from->path ? "[outside functions]" : "[generated code]";
}

static int add_location(struct image *image, size_t place)
{
	struct rarog_location location = { .binary = image->binary, .name = rest_name(image) };
	rarog_cleanup(rarog_freep) char *demangled = NULL;
	struct rarog_source source;
	long number;

	if (place < image->map->n && image->map->binary) {
		location.address = image->functions[place].address;
		location.size = image->functions[place].size;
		location.name = image->functions[place].name;
		if (rarog_binary_source(image->map->binary, location.address, &source) == 0) {
			location.file = source.file;
			location.line = (uint32_t)source.line;
		}
	} else if (place < image->map->n) {
		location.address = image->from->entries.v[place].address;
		location.name = image->from->entries.v[place].name;
	}
	demangled = rarog_demangle(location.name);
	location.demangled = demangled;
	number = rarog_profile_add_location(image->writer, &location);
	if (number >= 0)
		image->map->locations[place] = (uint32_t)number;
	return number < 0 ? (int)number : 0;
}

/* @piece: its code; NULL: it has none */
static int add_block(struct image *image, const struct rarog_block_count *row,
		     const struct rarog_vex_piece *piece)
{
	const struct rarog_machine_count machine = {
		.location = row->location,
		.address = piece ? piece->address : 0,
		.size = piece ? piece->size : 0,
		.instructions = row->instructions,
		.frame = RAROG_NONE,
		.least = row->count,
		.most = row->count,
	};
	int r = rarog_profile_add_blocks(image->writer, 1, row);

	image->totals->rows++;
	return r == 0 ? rarog_profile_add_machine(image->writer, 1, &machine) : r;
}

static int add_accesses(struct image *image, const struct rarog_block_accesses *accesses)
{
	struct rarog_block_accesses row = *accesses;

	row.block = image->totals->rows - 1;
	image->totals->loads += row.loads;
	image->totals->stores += row.stores;
	return row.loads + row.stores > 0 ? rarog_profile_add_accesses(image->writer, &row) : 0;
}

static int add_row(struct image *image, uint32_t location, const struct part *part)
{
	const struct rarog_vex_piece *piece = &part->piece;
	struct rarog_block_count row = { .location = location,
					 .instructions = piece->n,
					 .count = piece->count };
	struct rarog_source source;
	int r;

	if (image->map->binary &&
	    rarog_binary_source(image->map->binary, piece->address, &source) == 0)
		row.line = (uint32_t)source.line;
	image->totals->blocks++;
	image->totals->executed += piece->count > 0;
	image->totals->executions += piece->count;
	image->totals->instructions += piece->count * piece->n;
	r = add_block(image, &row, piece);
	return r == 0 ? add_accesses(image, &part->accesses) : r;
}

static int find_ways(const struct image *image, size_t place, size_t n, const struct part parts[n],
		     struct rarog_vex_ways *ret_ways)
{
	rarog_cleanup(rarog_freep) struct rarog_vex_piece *pieces = calloc(n + 1, sizeof(*pieces));

	if (!pieces)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		pieces[i] = parts[i].piece;
	*ret_ways = (struct rarog_vex_ways){ 0 };
	return n > 0 && image->map->binary && place < image->map->n
		       ? rarog_vex_ways_find(image->from, image->map->binary, n, pieces, ret_ways)
		       : 0;
}

/* @first: row of the first piece; @is_entry: the row before it is where the function is entered */
static int add_ways(struct image *image, const struct rarog_vex_ways *ways, uint32_t first,
		    bool is_entry, uint64_t entries)
{
	const struct rarog_edge_count entry = { .from = first - 1, .to = first, .count = entries };
	int r = 0;

	if (is_entry && ways->list.n > 0)
		r = rarog_profile_add_edges(image->writer, 1, &entry);
	for (size_t i = 0; r == 0 && i < ways->list.n; i++) {
		struct rarog_edge_count way = ways->list.v[i];

		way.from += first;
		way.to += first;
		r = rarog_profile_add_edges(image->writer, 1, &way);
	}
	return r;
}

/* A row of no instructions: where a function is entered, where its jumps through tables meet. */
static int add_empty(struct image *image, uint32_t location, uint64_t count)
{
	const struct rarog_block_count row = { .location = location, .count = count };

	return add_block(image, &row, NULL);
}

static int add_parts(struct image *image, uint32_t location, size_t n, const struct part parts[n],
		     const struct rarog_vex_ways *ways)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_row(image, location, &parts[i]);
	return r == 0 && ways->pool > 0 ? add_empty(image, location, ways->pool) : r;
}

/* The first row says how often the function was called: where what runs first is not its first
 * block (it was entered elsewhere, or lies in no function), or ways lead there too, there is one of
 * no instructions. */
static int add_blocks(struct image *image, size_t place, size_t n, const struct part parts[n])
{
	uint64_t calls = image->map->calls[place], runs = n > 0 ? parts[0].piece.count : 0;
	uint32_t location = image->map->locations[place];
	rarog_cleanup(rarog_vex_ways_release) struct rarog_vex_ways ways = { 0 };
	int r = find_ways(image, place, n, parts, &ways);
	bool has_entry = n == 0 || runs != calls || ways.back > 0;
	uint32_t first = image->totals->rows + has_entry;

	if (r == 0 && has_entry)
		r = add_empty(image, location, calls);
	if (r == 0)
		r = add_parts(image, location, n, parts, &ways);
	return r == 0 ? add_ways(image, &ways, first, has_entry,
				 ways.back < runs ? runs - ways.back : 0)
		      : r;
}

static int add_function(struct image *image, size_t place, size_t n, const struct part parts[n])
{
	uint64_t calls = image->map->calls[place];
	int r = add_location(image, place);
	const struct rarog_summary summary = { .location = image->map->locations[place],
					       .strand = RAROG_NONE,
					       .count = calls };

	if (r == 0)
		r = add_blocks(image, place, n, parts);
	if (r == 0 && calls > 0)
		r = rarog_profile_add_summaries(image->writer, 1, &summary);
	image->totals->functions++;
	image->totals->calls += calls;
	return r;
}

static int add_functions(struct image *image)
{
	size_t n = image->pieces.list.n, at = 0;
	int r = 0;

	for (size_t place = 0; r == 0 && place <= image->map->n; place++) {
		size_t first = at;

		while (at < n && image->parts[at].place == place)
			at++;
		if (at > first || image->map->calls[place] > 0)
			r = add_function(image, place, at - first, image->parts + first);
	}
	return r;
}

/* --- what was counted --- */

static int by_place(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->is_cold != y->is_cold)
		return x->is_cold ? 1 : -1;
	return (x->piece.address > y->piece.address) - (x->piece.address < y->piece.address);
}

/* The piece that has the instruction at @address: where several overlap, the one that begins last.
 * NULL: none has. */
static struct part *part_of(struct image *image, uint64_t address)
{
	size_t low = rarog_lower_bound(i, image->pieces.list.n,
				       image->parts[i].piece.address <= address);

	while (low-- > 0)
		if (address - image->parts[low].piece.address < image->parts[low].piece.size)
			return &image->parts[low];
	return NULL;
}

/* While the parts stand as the pieces do, by address. */
static void add_touches(struct image *image)
{
	for (size_t i = 0; i < image->from->touches.n; i++) {
		const struct rarog_vex_touch *touch = &image->from->touches.v[i];
		struct part *part = part_of(image, touch->address);

		if (!part)
			continue;
		part->accesses.loads += touch->amounts.loads;
		part->accesses.stores += touch->amounts.stores;
		part->accesses.load_bytes += touch->amounts.load_bytes;
		part->accesses.store_bytes += touch->amounts.store_bytes;
	}
}

/* What was translated and never ran is left out. */
static int sort_parts(struct image *image)
{
	size_t n = image->pieces.list.n, k = 0;

	image->parts = calloc(n + 1, sizeof(*image->parts));
	if (!image->parts)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		struct part *part = &image->parts[k];

		part->piece = image->pieces.list.v[i];
		part->place = place_of(image->map, part->piece.address, &part->is_cold);
		k += part->piece.count > 0;
	}
	image->pieces.list.n = k;
	add_touches(image);
	qsort(image->parts, k, sizeof(*image->parts), by_place);
	return 0;
}

static void add_calls(struct image *image)
{
	for (size_t i = 0; i < image->from->entries.n; i++) {
		const struct rarog_vex_entry *entry = &image->from->entries.v[i];
		bool is_cold;

		image->map->calls[place_of(image->map, entry->address, &is_cold)] += entry->calls;
	}
}

static int make_places(struct image *image)
{
	struct rarog_vex_map *map = image->map;

	map->n = map->binary ? rarog_binary_functions(map->binary, &image->functions)
			     : image->from->entries.n;
	map->locations = malloc((map->n + 1) * sizeof(*map->locations));
	map->calls = calloc(map->n + 1, sizeof(*map->calls));
	if (!map->locations || !map->calls)
		return rarog_oom();
	memset(map->locations, 0xff, (map->n + 1) * sizeof(*map->locations));
	return 0;
}

static int add_binary(struct image *image, struct rarog_software *software)
{
	struct rarog_binary *binary = image->map->binary;
	const struct rarog_profile_binary row = {
		.path = image->from->path,
		.build_id = binary ? rarog_binary_build_id(binary) : NULL,
	};
	long number;

	if (!*image->from->path)
		return 0;
	number = rarog_profile_add_binary(image->writer, &row);
	if (number < 0)
		return (int)number;
	image->binary = (uint32_t)number;
	return binary ? rarog_software_add_program(software, binary) : 0;
}

static int open_binary(struct image *image)
{
	int r = *image->from->path ? rarog_binary_open(image->from->path, &image->map->binary) : 0;

	if (r < 0 && r != -ENOMEM)
		rarog_warn("%s", rarog_error_message());
	return r == -ENOMEM ? r : 0;
}

int rarog_vex_map_make(const struct rarog_vex_image *from, struct rarog_profile_writer *writer,
		       struct rarog_software *software, struct rarog_vex_totals *totals,
		       struct rarog_vex_map *ret_map)
{
	struct rarog_vex_map map = { .image = from };
	struct image image = {
		.from = from, .writer = writer, .totals = totals, .map = &map, .binary = RAROG_NONE
	};
	int r = open_binary(&image);

	if (r == 0)
		r = add_binary(&image, software);
	if (r == 0)
		r = make_places(&image);
	if (r == 0)
		r = rarog_vex_pieces_make(from->runs.n, from->runs.v, &image.pieces);
	if (r == 0)
		r = sort_parts(&image);
	if (r == 0) {
		add_calls(&image);
		r = add_functions(&image);
	}
	rarog_vex_pieces_release(&image.pieces);
	free(image.parts);
	if (r < 0)
		rarog_vex_map_release(&map);
	else
		*ret_map = map;
	return r;
}

void rarog_vex_map_release(struct rarog_vex_map *map)
{
	rarog_binary_free(map->binary);
	free(map->locations);
	free(map->calls);
	*map = (struct rarog_vex_map){ 0 };
}
