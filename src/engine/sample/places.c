/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part that the compiler has put elsewhere (.cold) belongs to its function.
 */
#include "engine/sample/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static uint64_t hash_of(const struct rarog_sample_place *place)
{
	uint64_t hash = (uint64_t)place->kind << 60 ^ (uint64_t)place->file << 32 ^ place->function;

	return (hash ^ place->address * 31) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The time is not what tells places apart. */
static bool is_same(const void *list, size_t number, const void *key)
{
	const struct rarog_sample_place *a = (const struct rarog_sample_place *)list + number,
					*b = key;

	return a->kind == b->kind && a->file == b->file && a->function == b->function &&
	       a->address == b->address;
}

static uint32_t number_of(struct rarog_sample_places *places,
			  const struct rarog_sample_place *place)
{
	struct rarog_index_slot *slot =
		rarog_index_at(&places->index, hash_of(place), is_same, places->list.v, place);

	if (!slot || (!slot->entry && rarog_vec_push(&places->list, *place) < 0)) {
		rarog_oom();
		return RAROG_NONE;
	}
	if (!slot->entry)
		slot->entry = (uint32_t)places->list.n;
	return slot->entry - 1;
}

/* --- files --- */

static uint32_t place_in(struct rarog_sample_places *places, const struct rarog_binary *binary,
			 uint32_t file, uint64_t address)
{
	long found = rarog_binary_host(binary, rarog_binary_find(binary, address));

	return number_of(places,
			 &(struct rarog_sample_place){
				 .kind = found < 0 ? RAROG_PLACE_REST : RAROG_PLACE_FUNCTION,
				 .file = file,
				 .function = found < 0 ? RAROG_NONE : (uint32_t)found });
}

uint32_t rarog_sample_place_at(struct rarog_sample_places *places, const struct rarog_space *space,
			       uint32_t pid, uint64_t address, uint64_t ns)
{
	const struct rarog_space_mapping *mapping = rarog_space_at(space, address);
	uint64_t bias;

	if (!mapping || rarog_images_is_generated(places->images, mapping->file))
		return number_of(places,
				 &(struct rarog_sample_place){ .kind = RAROG_PLACE_GENERATED,
							       .file = pid,
							       .address = address,
							       .ns = ns });
	if (rarog_images_bias(places->images, mapping, &bias) < 0)
		return number_of(places, &(struct rarog_sample_place){ .kind = RAROG_PLACE_REST,
								       .file = mapping->file,
								       .function = RAROG_NONE });
	return place_in(places, rarog_images_binary(places->images, mapping->file), mapping->file,
			address - bias);
}

/* --- elsewhere --- */

uint32_t rarog_sample_place_kernel(struct rarog_sample_places *places, uint64_t address)
{
	long found = address ? rarog_kernel_find(places->kernel, address) : -1;

	return number_of(places, &(struct rarog_sample_place){
					 .kind = RAROG_PLACE_KERNEL,
					 .function = found < 0 ? RAROG_NONE : (uint32_t)found });
}

uint32_t rarog_sample_place_cut(struct rarog_sample_places *places)
{
	return number_of(places, &(struct rarog_sample_place){ .kind = RAROG_PLACE_CUT });
}

size_t rarog_sample_place_regions(struct rarog_sample_places *places,
				  const struct rarog_space *space, uint64_t address, size_t max,
				  uint32_t ret_places[max])
{
	const struct rarog_space_mapping *mapping = rarog_space_at(space, address);
	const struct rarog_region_range *range;
	uint64_t bias;
	size_t n = 0;

	if (!mapping || rarog_images_is_generated(places->images, mapping->file) ||
	    strcmp(places->images->spaces->files.v[mapping->file].path, places->regions->path) !=
		    0 ||
	    rarog_images_bias(places->images, mapping, &bias) < 0)
		return 0;
	range = rarog_region_range_at(places->regions, address - bias);
	for (; range && n < range->n && n < max; n++)
		ret_places[n] = number_of(
			places, &(struct rarog_sample_place){
					.kind = RAROG_PLACE_REGION,
					.file = mapping->file,
					.function = places->regions->open.v[range->first + n] });
	return n;
}

uint32_t rarog_sample_place_no_region(struct rarog_sample_places *places)
{
	return number_of(places, &(struct rarog_sample_place){ .kind = RAROG_PLACE_NO_REGION });
}

void rarog_sample_places_release(struct rarog_sample_places *places)
{
	rarog_vec_release(&places->list);
	rarog_index_release(&places->index);
	*places = (struct rarog_sample_places){ 0 };
}
