/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where code is: executable sections when the file has a section table, else the executable
 * segments. Sections are preferred because some linkers put read-only data beside code in one
 * segment; what matters at run time is the segment, so a section counts only where it is inside an
 * executable one. Regions are sorted, disjoint, and neighbours are joined.
 */
#include <elf.h>
#include <gelf.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/code-map.h"

#define JOIN_GAP    64 /* bytes: alignment between sections */
#define REGIONS_MAX 64 /* looked up by a linear search; real files have one to three */

static int add_part(struct rarog_code_map *map, const struct rarog_segment *segment, uint64_t start,
		    uint64_t size)
{
	uint64_t first = start > segment->vaddr ? start : segment->vaddr;
	uint64_t last = start + size;
	uint64_t segment_end = segment->vaddr + segment->file_size;

	if (last < start || last > segment_end)
		last = segment_end;
	if (!(segment->flags & PF_X) || first >= last)
		return 0;
	const uint8_t *bytes = rarog_binary_bytes(map->binary, first, last - first);
	if (!bytes)
		return 0;
	int r = rarog_vec_push(&map->regions,
			       (struct rarog_code_region){ first, last - first, bytes, { 0 } });
	return r < 0 ? rarog_oom() : 0;
}

static int add_range(struct rarog_code_map *map, uint64_t start, uint64_t size)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(map->binary, &segments);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = add_part(map, &segments[i], start, size);
	return r;
}

static int add_sections(struct rarog_code_map *map)
{
	Elf_Scn *scn = NULL;
	int r = 0;

	while (r == 0 && (scn = elf_nextscn(map->elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		if ((sh.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR))
			r = add_range(map, sh.sh_addr, sh.sh_size);
	}
	return r;
}

static int compare_regions(const void *a, const void *b)
{
	const struct rarog_code_region *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Joining needs the bytes between two regions: they must lie in the same segment. */
static bool join(struct rarog_code_map *map, struct rarog_code_region *into,
		 const struct rarog_code_region *next)
{
	uint64_t into_end = into->start + into->size, end = next->start + next->size;

	if (next->start > into_end && next->start - into_end > JOIN_GAP)
		return false;
	if (end <= into_end)
		return true;
	const uint8_t *bytes = rarog_binary_bytes(map->binary, into->start, end - into->start);
	if (!bytes)
		return false;
	into->bytes = bytes;
	into->size = end - into->start;
	return true;
}

static void tidy(struct rarog_code_map *map)
{
	struct rarog_code_region *v = map->regions.v;
	size_t kept = 0;

	if (map->regions.n == 0)
		return;
	qsort(v, map->regions.n, sizeof(*v), compare_regions);
	for (size_t i = 1; i < map->regions.n; i++) {
		if (!join(map, &v[kept], &v[i]))
			v[++kept] = v[i];
	}
	map->regions.n = kept + 1;
}

int rarog_code_regions_find(struct rarog_code_map *map)
{
	int r = add_sections(map);

	if (r < 0)
		return r;
	tidy(map);
	if (map->regions.n > 0 && map->regions.n <= REGIONS_MAX)
		return 0;
	map->regions.n = 0;
	r = add_range(map, 0, UINT64_MAX);
	if (r < 0)
		return r;
	tidy(map);
	if (map->regions.n > REGIONS_MAX)
		map->regions.n = REGIONS_MAX; /* the rest is not code for us: nothing is patched */
	return 0;
}
