/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Libraries are looked for where the program says (DT_RUNPATH, DT_RPATH) and where the environment
 * does, as the loader would. Those of the system are compiled by others; what a program opens as it
 * runs is not known.
 */
#include "cmd/collect-blocks.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "binary/elf-file.h"
#include "blocks/record.h"
#include "plan/conflict.h"
#include "process/process.h"
#include "process/running.h"

struct dynamic {
	const struct rarog_elf *elf;
	const uint8_t *entries; /* of Elf64_Dyn, at any address */
	size_t n;
	const char *texts;
	size_t n_texts;
};

/* The first of them from *@at on that has one of these tags, and *@at after it. */
static bool next_entry(const struct dynamic *dynamic, size_t *at, int64_t tag, int64_t or_tag,
		       Elf64_Dyn *ret_entry)
{
	while (*at < dynamic->n) {
		memcpy(ret_entry, dynamic->entries + *at * sizeof(*ret_entry), sizeof(*ret_entry));
		if (ret_entry->d_tag == DT_NULL)
			break;
		++*at;
		if (ret_entry->d_tag == tag || ret_entry->d_tag == or_tag)
			return true;
	}
	return false;
}

static bool read_dynamic(const struct rarog_elf *elf, struct dynamic *dynamic)
{
	Elf64_Dyn texts = { 0 };
	size_t n = 0, at = 0;

	*dynamic = (struct dynamic){ .elf = elf };
	for (size_t i = 0; i < elf->n_segments && !dynamic->entries; i++)
		if (elf->segments[i].p_type == PT_DYNAMIC)
			dynamic->entries = rarog_elf_bytes(elf, elf->segments[i].p_vaddr, &n);
	dynamic->n = n / sizeof(texts);
	if (!next_entry(dynamic, &at, DT_STRTAB, DT_STRTAB, &texts))
		return false;
	dynamic->texts = (const char *)rarog_elf_bytes(elf, texts.d_un.d_ptr, &dynamic->n_texts);
	return dynamic->texts;
}

/* NULL: it is not in the file. */
static const char *text_at(const struct dynamic *dynamic, uint64_t offset)
{
	return offset < dynamic->n_texts &&
			       memchr(dynamic->texts + offset, '\0', dynamic->n_texts - offset)
		       ? dynamic->texts + offset
		       : NULL;
}

static bool has_counters(const char *path)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;

	if (rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf) == 0)
		return rarog_elf_section(elf, RAROG_BLOCKS_COUNTERS);
	rarog_error_clear();
	return false;
}

/* One of the folders of a list with colons; $ORIGIN is where the program is. */
static bool counts_in(const char *list, const char *program, const char *library)
{
	const char *slash = strrchr(program, '/');
	bool counts = false;

	for (const char *at = list; at && *at && !counts; at += strspn(at, ":")) {
		size_t n = strcspn(at, ":"), origin = strncmp(at, "$ORIGIN", 7) == 0 ? 7 : 0;
		rarog_cleanup(rarog_freep) char *path =
			rarog_asprintf("%.*s%.*s/%s", origin && slash ? (int)(slash - program) : 0,
				       program, (int)(n - origin), at + origin, library);

		counts = path && has_counters(path);
		at += n;
	}
	return counts;
}

static bool is_of(const struct dynamic *dynamic, const char *program, const char *library)
{
	bool counts = counts_in(getenv("LD_LIBRARY_PATH"), program, library);
	Elf64_Dyn folders;
	size_t at = 0;

	while (!counts && next_entry(dynamic, &at, DT_RUNPATH, DT_RPATH, &folders))
		counts = counts_in(text_at(dynamic, folders.d_un.d_val), program, library);
	return counts;
}

static bool names_one_with_counters(const char *program, const struct rarog_elf *elf)
{
	struct dynamic dynamic;
	bool counts = false;
	Elf64_Dyn needed;
	size_t at = 0;

	if (!read_dynamic(elf, &dynamic))
		return false;
	while (!counts && next_entry(&dynamic, &at, DT_NEEDED, DT_NEEDED, &needed)) {
		const char *library = text_at(&dynamic, needed.d_un.d_val);

		counts = library && is_of(&dynamic, program, library);
	}
	return counts;
}

static bool is_as_it_is(const char *path)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;

	if (rarog_program_is_script(path) || !rarog_process_has_symbols(path))
		return false;
	if (rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf) < 0) {
		rarog_error_clear();
		return false;
	}
	return !rarog_elf_section(elf, RAROG_BLOCKS_COUNTERS) &&
	       !names_one_with_counters(path, elf) && !rarog_conflict_gs(path) &&
	       !rarog_conflict_ptrace(path);
}

void rarog_collect_blocks_choose(const char *program, struct rarog_collect_way *way)
{
	const struct rarog_engine *engine =
		rarog_collector_engine_with(way->collector, RAROG_ENGINE_COUNTS);
	char path[PATH_MAX];

	if (!(way->collector->traits & RAROG_COLLECTOR_BLOCKS) || !engine || !program ||
	    rarog_program_find(program, path) < 0 || !is_as_it_is(path))
		return;
	way->engine = engine;
	rarog_warn("%s was not built by rarog cc: its machine code is counted (--engine %s)",
		   program, engine->name);
}
