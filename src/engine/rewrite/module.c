/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/lower-bound.h"
#include "binary/code-map.h"
#include "binary/instruction.h"
#include "binary/patch-site.h"
#include "engine/rewrite/outside.h"
#include "engine/rewrite/rounds.h"
#include "engine/rewrite/row.h"
#include "engine/rewrite/stamp.h"
#include "engine/rewrite/values.h"
#include "engine/rewrite/within.h"
#include "plan/function-match.h"
#include "plan/marks.h"
#include "plan/obstacles.h"
#include "plan/place-set.h"
#include "process/namespaces.h"

struct judging {
	struct rarog_rewrite_module *module;
	struct rarog_plan *plan;
	struct rarog_code_graphs *graphs;
	const struct rarog_code_map *map;
	struct rarog_filled_words words;
	struct rarog_place_set places;
	struct rarog_site *sites;
	const struct rarog_function *functions;
	size_t n, n_undescribed;
	RAROG_VEC(uint64_t) reads; /* bytes of code that code reads, sorted */
};

/* --- code that is read --- */

static int note_read(struct judging *j, uint64_t address)
{
	return rarog_code_region_of(j->map, address) ? rarog_vec_push(&j->reads, address) : 0;
}

static int note_reads(struct judging *j, const struct rarog_function *f)
{
	const uint8_t *code = rarog_binary_bytes(j->map->binary, f->address, f->size);
	struct rarog_instruction in;
	int r = 0;

	for (uint64_t at = 0; code && r == 0 && at < f->size; at += in.length) {
		if (!rarog_instruction_scan(f->size - at, code + at, f->address + at, &in)) {
			in.length = 1;
			continue;
		}
		if (in.is_lea)
			continue;
		if (in.memory_offset)
			r = note_read(j, in.memory);
		else if (in.displacement && !rarog_binary_is_pie(j->map->binary))
			r = note_read(j, in.displacement);
	}
	return r;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int find_reads(struct judging *j)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < j->n; i++)
		r = note_reads(j, &j->functions[i]);
	if (j->reads.n > 1)
		qsort(j->reads.v, j->reads.n, sizeof(*j->reads.v), by_address);
	return r < 0 ? rarog_oom() : 0;
}

static bool is_read(const struct judging *j, const struct rarog_function *f)
{
	size_t at = rarog_lower_bound(i, j->reads.n, j->reads.v[i] < f->address);

	return at < j->reads.n && j->reads.v[at] - f->address < f->size;
}

/* --- one function --- */

static bool overlaps(const struct judging *j, size_t i)
{
	const struct rarog_function *f = &j->functions[i];

	return f->size == 0 || (i + 1 < j->n && f[1].address - f->address < f->size) ||
	       (i > 0 && f->address - f[-1].address < f[-1].size);
}

static bool is_written(const struct judging *j, size_t i)
{
	const struct rarog_function *f = &j->functions[i];
	const struct rarog_site *site = &j->sites[i];

	return site->verdict == RAROG_SITE_TEXTREL || site->verdict == RAROG_SITE_SLED ||
	       site->kind == RAROG_SITE_BEHIND_NOPS || site->kind == RAROG_SITE_BEHIND_XRAY ||
	       rarog_code_reached(j->map, f->address, f->size, RAROG_REACH_WRITTEN);
}

/* What the sites and the map tell. */
static enum rarog_rewrite_reason look_at(const struct judging *j, size_t i)
{
	const struct rarog_function *f = &j->functions[i];

	if (j->sites[i].verdict == RAROG_SITE_SPECIAL)
		return RAROG_REWRITE_SPECIAL;
	if (overlaps(j, i))
		return RAROG_REWRITE_OVERLAP;
	if (is_written(j, i))
		return RAROG_REWRITE_WRITTEN;
	if (is_read(j, f))
		return RAROG_REWRITE_READ;
	if (j->sites[i].verdict == RAROG_SITE_FLAGS ||
	    (!f->has_fde && rarog_code_reached(j->map, f->address, 1, RAROG_REACH_FLAGS)))
		return RAROG_REWRITE_FLAGS;
	return RAROG_REWRITE_OK;
}

/* An engine's own parts have flags that live across their beginnings. */
static bool takes_flags(const struct rarog_rewrite_shape *shape)
{
	return shape->blocks[0].live && !(shape->function->flags & RAROG_FUNCTION_COLD);
}

static int choose_values(struct judging *j, struct rarog_rewrite_shape *shape)
{
	bool is_called = !(shape->function->flags & RAROG_FUNCTION_COLD);
	int r = is_called ? rarog_rewrite_values_choose(shape, j->plan, j->module->binary) : 0;

	j->n_undescribed += r == -ENODATA;
	return r == -ENODATA ? 0 : r;
}

static void find_root(const struct judging *j, struct rarog_rewrite_shape *shape)
{
	shape->has_roots = j->plan->roots.include.n > 0;
	shape->is_root =
		shape->has_roots && rarog_function_matches(&j->plan->roots, shape->function);
	j->module->n_roots += shape->is_root;
}

static void give_words(const struct judging *j, struct rarog_rewrite_shape *shape)
{
	struct rarog_rewrite_module *m = j->module;

	shape->first_block = m->n_blocks;
	m->n_blocks += (uint32_t)shape->n_blocks;
	shape->first_counter = m->first_counter + m->n_counters;
	m->n_counters += shape->n_counters;
	shape->first_value = m->first_counter + m->n_counters;
	m->n_counters += (uint32_t)shape->values.all.n * RAROG_ROW_VALUES_WORDS;
	shape->first_cell = shape->first_loop = RAROG_NO_EDGE;
	if (j->plan->rounds) {
		shape->first_loop = m->first_counter + m->n_counters;
		m->n_counters += (uint32_t)shape->loops.list.n * RAROG_ROUNDS_WORDS;
	}
	if (j->plan->times != RAROG_BLOCK_TIMES_MEASURED)
		return;
	shape->first_cell = m->first_counter + m->n_counters;
	m->n_counters += (uint32_t)shape->n_blocks * RAROG_CELL_WORDS;
}

static int add_function(struct judging *j, size_t i)
{
	struct rarog_rewrite_module *m = j->module;
	struct rarog_rewritten now = { 0 };
	int r = (int)look_at(j, i);

	if (r == 0)
		r = rarog_rewrite_shape_make(j->graphs, &j->words, i, &now.shape);
	if (r == 0 && takes_flags(&now.shape))
		r = RAROG_REWRITE_FLAGS;
	if (r == 0)
		r = rarog_rewrite_points_make(&now.shape, &now.points);
	if (r == 0)
		r = j->plan->rounds ? rarog_rounds_find(&now.shape) : 0;
	if (r == 0)
		r = choose_values(j, &now.shape);
	if (r == 0) {
		give_words(j, &now.shape);
		find_root(j, &now.shape);
		m->room += 6 * j->functions[i].size + 64 * now.shape.n_blocks + 64;
		if (now.shape.first_cell != RAROG_NO_EDGE)
			m->room += 2 * RAROG_STAMP_MOST * now.shape.n_blocks;
		m->room += RAROG_ROW_VALUES_MOST_CODE * (2 * now.shape.values.all.n + 1) *
			   (now.shape.values.all.n > 0 ? now.shape.n_blocks : 0);
		if (now.shape.has_roots)
			m->room += 4 * RAROG_WITHIN_MOST * now.shape.n_blocks;
		if (now.shape.first_loop != RAROG_NO_EDGE)
			m->room += 2 * RAROG_ROUNDS_MOST * now.shape.flow.n_edges;
		if (rarog_vec_push(&m->functions, now) == 0)
			return 0;
		r = rarog_oom();
	}
	rarog_rewrite_shape_release(&now.shape);
	rarog_rewrite_points_release(&now.points);
	if (r < 0)
		return r;
	rarog_debug(RAROG_LOG_SITE, "%s: %s is left: it %s", m->path, j->functions[i].name,
		    rarog_rewrite_reason_text((enum rarog_rewrite_reason)r));
	return rarog_vec_push(&m->left, (struct rarog_rewrite_left){ (uint32_t)i, (uint8_t)r }) < 0
		       ? rarog_oom()
		       : 0;
}

/* A part that was split off goes with its function. */
static bool is_wanted(const struct judging *j, size_t i)
{
	long host = rarog_binary_host(j->map->binary, (long)i);
	const struct rarog_plan_place *place =
		rarog_place_set_function(&j->places, j->functions[host].address);

	if (j->functions[i].flags & RAROG_FUNCTION_COLD && host == (long)i)
		return true;
	return (place && rarog_place_is_measured(place)) ||
	       (j->plan->roots.include.n > 0 &&
		rarog_function_matches(&j->plan->roots, &j->functions[host]));
}

/* --- one file --- */

static int find_places(struct judging *j)
{
	struct rarog_marks marks = { 0 };
	int r = rarog_place_set_resolve(j->plan, j->module->binary, j->module->path, &marks,
					&j->places);

	rarog_marks_release(&marks);
	return r;
}

static int judge(struct judging *j)
{
	struct rarog_rewrite_module *m = j->module;
	int r = rarog_code_graphs_new(m->binary, &j->graphs);

	j->n = rarog_binary_functions(m->binary, &j->functions);
	rarog_plan_settle(j->plan, m->binary);
	if (r == 0)
		r = rarog_filled_words_read(m->binary, &j->words);
	if (r == 0)
		r = rarog_patch_sites(m->binary, &j->sites);
	if (r == 0)
		r = find_places(j);
	if (r < 0)
		return r;
	j->map = rarog_code_graphs_map(j->graphs);
	r = find_reads(j);
	for (size_t i = 0; r == 0 && i < j->n; i++)
		if (is_wanted(j, i))
			r = add_function(j, i);
	if (r < 0)
		return r;
	rarog_value_requests_say_undescribed(m->binary, m->path, j->n_undescribed);
	if (j->plan->times == RAROG_BLOCK_TIMES_MEASURED)
		rarog_rewrite_outside_find(m, j->map);
	m->counts = calloc(m->n_counters + 1, sizeof(*m->counts));
	m->samples = calloc(m->n_blocks + 1, sizeof(*m->samples));
	return m->counts && m->samples ? 0 : rarog_oom();
}

static void find_extent(struct rarog_rewrite_module *m)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(m->binary, &segments);

	m->low = UINT64_MAX;
	for (size_t i = 0; i < n; i++) {
		uint64_t end = segments[i].vaddr + segments[i].memory_size;

		m->low = segments[i].vaddr < m->low ? segments[i].vaddr : m->low;
		m->high = end > m->high ? end : m->high;
	}
}

static int read_module(struct rarog_rewrite_modules *modules, struct rarog_rewrite_module *m)
{
	struct judging j = { .module = m, .plan = modules->plan };
	struct rarog_plan counting = *modules->plan;
	int r;

	if (rarog_file_names(m->path, "__rseq_cs"))
		return rarog_fail(-ENOTSUP,
				  "%s has restartable sequences, which its copy would not begin "
				  "again; rarog collect sample leaves it as it is",
				  m->path);
	counting.detail = RAROG_DETAIL_COUNT; /* return addresses stay as they are */
	r = rarog_obstacles_of_file(&counting, m->path, m->path);
	if (r == 0)
		r = rarog_binary_open(m->path, &m->binary);
	if (r == 0)
		r = rarog_obstacles_in(&counting, m->binary);
	if (r < 0)
		return r;
	find_extent(m);
	m->first_counter = RAROG_ROW_FIRST + (modules->plan->libraries ? modules->n_counters : 0);
	r = judge(&j);
	modules->n_counters = m->first_counter + m->n_counters - RAROG_ROW_FIRST;
	rarog_code_graphs_free(j.graphs);
	rarog_filled_words_release(&j.words);
	rarog_place_set_release(&j.places);
	rarog_vec_release(&j.reads);
	free(j.sites);
	return r;
}

static void free_module(struct rarog_rewrite_module *m)
{
	for (size_t i = 0; i < m->functions.n; i++) {
		rarog_rewrite_shape_release(&m->functions.v[i].shape);
		rarog_rewrite_points_release(&m->functions.v[i].points);
	}
	rarog_vec_release(&m->functions);
	rarog_vec_release(&m->left);
	rarog_vec_release(&m->copies.code);
	rarog_vec_release(&m->copies.absolute);
	rarog_vec_release(&m->copies.spans);
	rarog_vec_release(&m->overwrites.list);
	rarog_binary_free(m->binary);
	free(m->counts);
	free(m->samples);
	free(m->path);
	free(m);
}

int rarog_rewrite_module_get(struct rarog_rewrite_modules *modules, const char *path,
			     struct rarog_rewrite_module **ret_module)
{
	struct rarog_rewrite_module *m;
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return rarog_fail_errno("%s", path);
	for (m = modules->first; m && !rarog_file_is_same(&m->file, &st); m = m->next)
		;
	if (m) {
		*ret_module = m;
		return 0;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return rarog_oom();
	m->file = st;
	m->path = strdup(path);
	r = m->path ? read_module(modules, m) : rarog_oom();
	if (r < 0) {
		free_module(m);
		return r;
	}
	m->next = modules->first;
	modules->first = m;
	*ret_module = m;
	return 0;
}

int rarog_rewrite_module_copy(struct rarog_rewrite_module *m, uint64_t distance)
{
	int r = 0;

	m->copies.code.n = 0;
	m->copies.absolute.n = 0;
	m->copies.spans.n = 0;
	m->overwrites.list.n = 0;
	m->copies.address = distance;
	m->distance = distance;
	for (size_t i = 0; r >= 0 && i < m->functions.n; i++) {
		struct rarog_rewritten *f = &m->functions.v[i];

		if (f->is_left)
			continue;
		r = rarog_copy_make(&f->shape, &f->points, &m->copies, &m->overwrites);
		if (r <= 0)
			continue;
		f->is_left = true;
		r = rarog_vec_push(&m->left, (struct rarog_rewrite_left){ (uint32_t)f->shape.number,
									  (uint8_t)r }) < 0
			    ? rarog_oom()
			    : 0;
	}
	return r;
}

void rarog_rewrite_modules_release(struct rarog_rewrite_modules *modules)
{
	while (modules->first) {
		struct rarog_rewrite_module *next = modules->first->next;

		free_module(modules->first);
		modules->first = next;
	}
}
