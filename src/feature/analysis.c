/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/elf-file.h"
#include "feature/section.h"
#include "feature/tool.h"

#define SECTION ".rarog.features"

#define MEMORY  (UINT64_C(4) << 30)
#define TIME_NS (UINT64_C(600) * 1000000000)

/* What is left out where all of it takes too much. */
#define LESS                                                                                       \
	"looking for all regions takes more than it may: those that depend on features only by "   \
	"constants that these choose are left out, as with --explicit; --analysis-memory and "     \
	"--analysis-time give it more"

static const char *text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static long number_of(json_t *object, const char *key)
{
	return (long)json_integer_value(json_object_get(object, key));
}

static int read_features(struct rarog_feature_analysis *a)
{
	json_t *all = json_object_get(a->root, "features"), *one;
	size_t i;
	int r = 0;

	json_array_foreach (all, i, one) {
		struct rarog_feature feature = {
			.name = text_of(one, "name"),
			.where = text_of(one, "where"),
			.note = text_of(one, "note"),
			.reads = (unsigned)number_of(one, "reads"),
			.writes = (unsigned)number_of(one, "writes"),
		};

		if (r == 0)
			r = rarog_vec_push(&a->features, feature);
	}
	return r;
}

static int read_units(struct rarog_feature_analysis *a)
{
	json_t *all = json_object_get(a->root, "units"), *one;
	size_t i;
	int r = 0;

	json_array_foreach (all, i, one) {
		struct rarog_feature_unit unit = {
			.name = text_of(one, "name"),
			.directory = text_of(one, "directory"),
			.n_pieces = (unsigned)number_of(one, "pieces"),
		};

		if (r == 0)
			r = rarog_vec_push(&a->units, unit);
	}
	return r;
}

static enum rarog_feature_state state_of(const char *text)
{
	if (strcmp(text, "kept") == 0)
		return RAROG_FEATURE_KEPT;
	return strcmp(text, "merged") == 0 ? RAROG_FEATURE_MERGED : RAROG_FEATURE_HIDDEN;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The features of all that it is in: a place where two meet is one of both. */
static char *label_of(const struct rarog_feature_region *region)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	json_t *names = json_array_size(region->with) > 0 ? region->with : region->features, *name;
	size_t i;

	json_array_foreach (names, i, name)
		rarog_str_addf(&text, "%s%s", i > 0 ? "," : "", json_string_value(name));
	rarog_str_addf(&text, "@%s:%d", base_name(region->file), region->line);
	return strdup(rarog_str_text(&text));
}

/* Regions may begin on one line. */
static int tell_apart(struct rarog_feature_analysis *a)
{
	for (size_t i = 0; i < a->regions.n; i++) {
		unsigned n = 1;

		for (size_t k = i + 1; k < a->regions.n; k++) {
			struct rarog_feature_region *other = &a->regions.v[k];
			char *text;

			if (strcmp(a->regions.v[i].label, other->label) != 0)
				continue;
			text = rarog_asprintf("%s.%u", other->label, ++n);
			if (!text)
				return -ENOMEM;
			free(other->label);
			other->label = text;
		}
	}
	return 0;
}

static int read_region(json_t *one, struct rarog_feature_analysis *a)
{
	struct rarog_feature_region region = {
		.kind = text_of(one, "kind"),
		.function = text_of(one, "function"),
		.file = text_of(one, "file"),
		.line = (int)number_of(one, "line"),
		.last_line = (int)number_of(one, "last_line"),
		.features = json_object_get(one, "features"),
		.with = json_object_get(one, "with"),
		.reason = json_object_get(one, "reason"),
		.instructions = (unsigned)number_of(one, "instructions"),
		.state = state_of(text_of(one, "state")),
		.jump = text_of(one, "jump"),
		.trap = text_of(one, "trap"),
		.may_be_left = json_is_true(json_object_get(one, "may_be_left")),
		.is_in_coroutine = json_is_true(json_object_get(one, "coroutine")),
	};

	region.label = label_of(&region);
	if (!region.label)
		return -ENOMEM;
	if (rarog_vec_push(&a->regions, region) == 0)
		return 0;
	free(region.label);
	return -ENOMEM;
}

static int read_regions(struct rarog_feature_analysis *a)
{
	json_t *all = json_object_get(a->root, "regions"), *one;
	size_t i;
	int r = 0;

	json_array_foreach (all, i, one)
		if (r == 0)
			r = read_region(one, a);
	return r < 0 ? r : tell_apart(a);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct rarog_feature_piece *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* [unit, piece, region…] */
static int read_piece(json_t *one, struct rarog_feature_analysis *a)
{
	size_t n = json_array_size(one);
	struct rarog_feature_piece piece = {
		.unit = (uint32_t)json_integer_value(json_array_get(one, 0)),
		.piece = (uint32_t)json_integer_value(json_array_get(one, 1)),
		.first = (uint32_t)a->open.n,
		.n = n > 2 ? (uint32_t)n - 2 : 0,
	};

	for (size_t i = 2; i < n; i++) {
		json_int_t region = json_integer_value(json_array_get(one, i));

		if (region < 0 || (size_t)region >= a->regions.n)
			return -EINVAL;
		if (rarog_vec_push(&a->open, (uint32_t)region) < 0)
			return -ENOMEM;
	}
	return rarog_vec_push(&a->pieces, piece);
}

static int read_pieces(struct rarog_feature_analysis *a)
{
	json_t *all = json_object_get(a->root, "pieces"), *one;
	size_t i;
	int r = 0;

	json_array_foreach (all, i, one)
		if (r == 0)
			r = read_piece(one, a);
	if (a->pieces.n > 1)
		qsort(a->pieces.v, a->pieces.n, sizeof(*a->pieces.v), compare_pieces);
	return r;
}

/* [unit, piece, region] */
static int read_decisions(struct rarog_feature_analysis *a)
{
	json_t *all = json_object_get(a->root, "decisions"), *one;
	size_t i;
	int r = 0;

	json_array_foreach (all, i, one) {
		struct rarog_feature_decision decision = {
			.unit = (uint32_t)json_integer_value(json_array_get(one, 0)),
			.piece = (uint32_t)json_integer_value(json_array_get(one, 1)),
			.region = (uint32_t)json_integer_value(json_array_get(one, 2)),
		};

		if (r == 0)
			r = rarog_vec_push(&a->decisions, decision);
	}
	return r;
}

int rarog_feature_analysis_parse(const char *name, const char *text,
				 struct rarog_feature_analysis *ret_analysis)
{
	struct rarog_feature_analysis *a = ret_analysis;
	json_error_t error;
	int r = 0;

	*a = (struct rarog_feature_analysis){ .root = json_loads(text, 0, &error) };
	if (!a->root)
		return rarog_fail(-EIO, "%s: what was found of its features cannot be read: %s",
				  name, error.text);
	a->warnings = json_object_get(a->root, "warnings");
	r = read_units(a);
	if (r == 0)
		r = read_features(a);
	if (r == 0)
		r = read_regions(a);
	if (r == 0)
		r = read_pieces(a);
	if (r == 0)
		r = read_decisions(a);
	if (r == -EINVAL)
		return rarog_fail(-EIO, "%s: a piece of code is in a region that is not there",
				  name);
	return r < 0 ? rarog_oom() : 0;
}

/* An older one cannot read what a newer one wrote. 0: no code is clang's. */
static unsigned newest_clang(struct rarog_elf *elf)
{
	static const char words[] = "clang version ";
	const struct rarog_elf_section *section = rarog_elf_section(elf, ".comment");
	size_t n = 0, length = sizeof(words) - 1;
	const uint8_t *bytes = section ? rarog_elf_section_unpacked(section, &n) : NULL;
	unsigned long newest = 0;

	for (size_t i = 0; bytes && n > 0 && bytes[n - 1] == 0 && i + length < n; i++) {
		unsigned long version;

		if (memcmp(bytes + i, words, length) != 0)
			continue;
		version = strtoul((const char *)bytes + i + length, NULL, 10);
		newest = version > newest ? version : newest;
	}
	return (unsigned)newest;
}

int rarog_feature_analysis_read(const char *path, const struct rarog_feature_choice *choice,
				struct rarog_feature_analysis *ret_analysis)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	rarog_cleanup(rarog_freep) char *text = NULL;
	const struct rarog_elf_section *section;
	struct rarog_feature_choice its = *choice;
	struct rarog_feature_tool tool;
	const uint8_t *bytes;
	bool is_less = false;
	size_t n = 0;
	int r = rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf);

	*ret_analysis = (struct rarog_feature_analysis){ 0 };
	if (r < 0)
		return r;
	section = rarog_elf_section(elf, SECTION);
	bytes = section ? rarog_elf_section_unpacked(section, &n) : NULL;
	if (!bytes)
		return rarog_fail(-ENODATA,
				  "%s: it says nothing of its features; compile and link it with "
				  "rarog cc --features, and do not strip it",
				  path);
	if (rarog_feature_section_count(n, bytes) < 0)
		return rarog_fail(-EBADMSG,
				  "%s: what it says of its features is damaged; link it anew",
				  path);
	its.memory = its.memory ? its.memory : MEMORY;
	its.time_ns = its.time_ns ? its.time_ns : TIME_NS;
	r = rarog_feature_tool_find(newest_clang(elf), &tool);
	if (r == 0)
		r = rarog_feature_tool_run(&tool, n, bytes, &its, &text);
	if (r == -E2BIG && !choice->is_explicit) {
		its.is_explicit = is_less = true;
		r = rarog_feature_tool_run(&tool, n, bytes, &its, &text);
	}
	if (r == 0)
		r = rarog_feature_analysis_parse(path, text, ret_analysis);
	if (r == 0 && is_less)
		json_array_append_new(ret_analysis->warnings, json_string(LESS));
	return r;
}

void rarog_feature_analysis_release(struct rarog_feature_analysis *analysis)
{
	for (size_t i = 0; i < analysis->regions.n; i++)
		free(analysis->regions.v[i].label);
	rarog_vec_release(&analysis->units);
	rarog_vec_release(&analysis->features);
	rarog_vec_release(&analysis->regions);
	rarog_vec_release(&analysis->pieces);
	rarog_vec_release(&analysis->open);
	rarog_vec_release(&analysis->decisions);
	json_decref(analysis->root);
	analysis->root = NULL;
}

const struct rarog_feature_piece *rarog_feature_piece_find(
	const struct rarog_feature_analysis *analysis, uint32_t unit, uint32_t piece)
{
	const struct rarog_feature_piece key = { .unit = unit, .piece = piece };

	if (analysis->pieces.n == 0)
		return NULL;
	return bsearch(&key, analysis->pieces.v, analysis->pieces.n, sizeof(key), compare_pieces);
}
