/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Oracles: functions named after the kind of place that must be chosen or the verdict (sleds.S);
 * and what must hold whatever a table says: no two jumps overlap, and all lie in code.
 */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "binary/code-ranges.h"
#include "binary/internal.h"
#include "binary/patch-site.h"

#define N_FLIPS 2000

struct file {
	char *bytes;
	size_t n;
};

static void release_file(struct file *file)
{
	free(file->bytes);
}

static struct file read_fixture(const char *name)
{
	const char *directory = getenv("RAROG_TEST_FILES");
	struct file file = { NULL, 0 };

	if (!directory) {
		print_message("# SKIP needs RAROG_TEST_FILES, which meson sets\n");
		skip();
	}
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", directory, name);
	assert_int_equal(rarog_file_read(path, 1u << 20, &file.bytes, &file.n), 0);
	return file;
}

/* Prefixes of the names in sleds.S. */
static const struct {
	const char *prefix;
	enum rarog_site_verdict verdict;
	enum rarog_site_kind kind;
} expected[] = {
	{ "entry__", RAROG_SITE_OK, RAROG_SITE_ENTRY },
	{ "nops__", RAROG_SITE_OK, RAROG_SITE_NOPS },
	{ "nops_before__", RAROG_SITE_OK, RAROG_SITE_NOPS_BEFORE },
	{ "behind_xray__", RAROG_SITE_OK, RAROG_SITE_BEHIND_XRAY },
	{ "short__", RAROG_SITE_SHORT, RAROG_SITE_NOPS },
	{ "target__", RAROG_SITE_TARGET, RAROG_SITE_BEHIND_XRAY },
	{ "sled__", RAROG_SITE_SLED, RAROG_SITE_BEHIND_XRAY },
	{ "no_fde__", RAROG_SITE_NO_FDE, RAROG_SITE_ENTRY },
	{ "fn_", RAROG_SITE_OK, RAROG_SITE_NOPS },
};

static bool is_as_named(const char *name, const struct rarog_site *site)
{
	for (size_t i = 0; i < RAROG_COUNT(expected); i++)
		if (rarog_starts_with(name, expected[i].prefix))
			return expected[i].verdict == site->verdict &&
			       expected[i].kind == site->kind;
	return true;
}

static size_t check_names(const char *fixture)
{
	rarog_cleanup(release_file) struct file file = read_fixture(fixture);
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = NULL;
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	const struct rarog_function *f;

	assert_int_equal(rarog_binary_open_memory(fixture, file.n, (const uint8_t *)file.bytes, &b),
			 0);
	assert_int_equal(rarog_patch_sites(b, &sites), 0);
	size_t n = rarog_binary_functions(b, &f), wrong = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_as_named(f[i].name, &sites[i]))
			continue;
		wrong++;
		print_error("%s: %s: %s, %s\n", fixture, f[i].name,
			    rarog_site_reason(sites[i].verdict),
			    rarog_site_kind_name(sites[i].kind));
	}
	assert_int_equal(wrong, 0);
	return n;
}

/* _start, those that are named, and one that only a table tells of */
#define FUNCTIONS 15

TEST(each_has_its_place)
{
	assert_int_equal(check_names("sleds-pie"), FUNCTIONS);
	assert_int_equal(check_names("sleds-fixed"), FUNCTIONS);
}

TEST(stripped_functions_are_found)
{
	rarog_cleanup(release_file) struct file file = read_fixture("sleds-stripped");
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = NULL;
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	const struct rarog_function *f;
	size_t found[RAROG_SITE_KINDS] = { 0 };

	assert_int_equal(
		rarog_binary_open_memory("stripped", file.n, (const uint8_t *)file.bytes, &b), 0);
	assert_int_equal(rarog_patch_sites(b, &sites), 0);
	size_t n = rarog_binary_functions(b, &f);
	for (size_t i = 0; i < n; i++)
		found[sites[i].kind] += sites[i].verdict == RAROG_SITE_OK;
	assert_int_equal(found[RAROG_SITE_NOPS_BEFORE], 2);
	assert_int_equal(found[RAROG_SITE_BEHIND_XRAY], 1);
	assert_true(found[RAROG_SITE_NOPS] >= 4);
}

/* Where the jumps of a site begin and end; the short one's is at the entry. */
static uint64_t first_byte(const struct rarog_function *f, const struct rarog_site *site)
{
	return site->kind == RAROG_SITE_NOPS_BEFORE ? f->address - RAROG_PATCH_SIZE
						    : f->address + site->offset;
}

static uint64_t behind_last_byte(const struct rarog_function *f, const struct rarog_site *site)
{
	return site->kind == RAROG_SITE_NOPS_BEFORE ? f->address + RAROG_SHORT_PATCH_SIZE
						    : f->address + site->offset + RAROG_PATCH_SIZE;
}

static void check_apart(const struct rarog_binary *b, const struct rarog_site *sites)
{
	const struct rarog_function *f;
	size_t n = rarog_binary_functions(b, &f);
	uint64_t free_from = 0;

	for (size_t i = 0; i < n; i++) {
		if (sites[i].verdict != RAROG_SITE_OK)
			continue;
		assert_true(first_byte(&f[i], &sites[i]) >= free_from);
		free_from = behind_last_byte(&f[i], &sites[i]);
		assert_non_null(rarog_code_ranges_find(&b->code, first_byte(&f[i], &sites[i])));
		assert_non_null(rarog_code_ranges_find(&b->code, free_from - 1));
	}
}

static bool survives(size_t n, const char *bytes)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = NULL;
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;

	rarog_error_clear();
	if (rarog_binary_open_memory("damaged", n, (const uint8_t *)bytes, &b) < 0 ||
	    rarog_patch_sites(b, &sites) < 0)
		return false;
	check_apart(b, sites);
	return true;
}

/* The bytes of a section of the file. */
static void find_section(const struct file *file, const char *name, size_t *ret_at, size_t *ret_n)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = NULL;
	const struct rarog_elf_section *section;

	assert_int_equal(
		rarog_binary_open_memory("whole", file->n, (const uint8_t *)file->bytes, &b), 0);
	section = rarog_elf_section(b->elf, name);
	assert_non_null(section);
	*ret_at = section->header->sh_offset;
	*ret_n = section->header->sh_size;
}

static void damage(const char *fixture, const char *section)
{
	rarog_cleanup(release_file) struct file file = read_fixture(fixture);
	size_t at, n, opened = 0;

	find_section(&file, section, &at, &n);
	assert_true(survives(file.n, file.bytes));
	srand(1);
	for (int i = 0; i < N_FLIPS; i++) {
		char *byte = &file.bytes[at + (size_t)rand() % n], kept = *byte;

		*byte = (char)(*byte + 1 + rand() % 255);
		opened += survives(file.n, file.bytes);
		if (i % 8)
			*byte = kept; /* some stay, so that damage adds up */
	}
	assert_true(opened > 0);
}

TEST(damaged_tables_are_harmless)
{
	damage("sleds-fixed", "__patchable_function_entries");
	damage("sleds-fixed", "xray_instr_map");
	damage("sleds-pie", ".rela.dyn");
	damage("sleds-stripped", "__patchable_function_entries");
	damage("sleds-stripped", "xray_instr_map");
}

TEST(kinds_have_names)
{
	for (int kind = 0; kind <= RAROG_SITE_KINDS; kind++)
		assert_non_null(rarog_site_kind_name((enum rarog_site_kind)kind));
}
