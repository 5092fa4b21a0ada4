/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/code-ranges.h"

#include <errno.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "base/vec.h"

static int add_range(const struct rarog_elf *elf, uint64_t start, uint64_t size,
		     struct rarog_code_ranges *ranges)
{
	size_t in_file;

	if (size == 0 || !rarog_elf_bytes(elf, start, &in_file))
		return 0;
	if (size > in_file)
		size = in_file;
	return rarog_vec_push(ranges, (struct rarog_code_range){ start, start + size });
}

static bool is_code(const struct rarog_elf_section *section)
{
	const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;

	return (section->header->sh_flags & wanted) == wanted &&
	       section->header->sh_type == SHT_PROGBITS &&
	       !rarog_starts_with(section->name, ".plt") &&
	       !rarog_starts_with(section->name, ".iplt");
}

static int add_all(const struct rarog_elf *elf, struct rarog_code_ranges *ranges)
{
	int r = 0;

	for (size_t i = 0; i < elf->n_sections && r == 0; i++)
		if (is_code(&elf->sections[i]))
			r = add_range(elf, elf->sections[i].header->sh_addr,
				      elf->sections[i].header->sh_size, ranges);
	if (elf->n_sections > 0)
		return r;
	for (size_t i = 0; i < elf->n_segments && r == 0; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			r = add_range(elf, p->p_vaddr, p->p_filesz, ranges);
	}
	return r;
}

static int compare_range(const void *left, const void *right)
{
	const struct rarog_code_range *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Hostile sections may overlap: merge them. */
static void sort_and_merge(struct rarog_code_ranges *ranges)
{
	size_t n = 0;

	if (ranges->n == 0)
		return;
	qsort(ranges->v, ranges->n, sizeof(*ranges->v), compare_range);
	for (size_t i = 1; i < ranges->n; i++) {
		if (ranges->v[i].start >= ranges->v[n].end)
			ranges->v[++n] = ranges->v[i];
		else if (ranges->v[i].end > ranges->v[n].end)
			ranges->v[n].end = ranges->v[i].end;
	}
	ranges->n = n + 1;
}

/* The same bytes of the file as code at many addresses: nothing but a forgery, made to be slow. */
static int check_total(const struct rarog_elf *elf, const struct rarog_code_ranges *ranges)
{
	uint64_t total = 0;

	for (size_t i = 0; i < ranges->n; i++)
		total += ranges->v[i].end - ranges->v[i].start;
	if (total > elf->size)
		return rarog_fail(-EINVAL,
				  "%s: damaged ELF file: more code than the file has bytes",
				  elf->path);
	return 0;
}

int rarog_code_ranges_read(const struct rarog_elf *elf, struct rarog_code_ranges *ranges)
{
	int r = add_all(elf, ranges);

	sort_and_merge(ranges);
	return r < 0 ? r : check_total(elf, ranges);
}

void rarog_code_ranges_release(struct rarog_code_ranges *ranges)
{
	rarog_vec_release(ranges);
}

const struct rarog_code_range *rarog_code_ranges_find(const struct rarog_code_ranges *ranges,
						      uint64_t vaddr)
{
	/* the first that ends after vaddr */
	size_t low = rarog_lower_bound(i, ranges->n, ranges->v[i].end <= vaddr);

	if (low == ranges->n || vaddr < ranges->v[low].start)
		return NULL;
	return &ranges->v[low];
}
