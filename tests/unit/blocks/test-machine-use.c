/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random functions as a compiler might write them are looked through and then executed: the
 * processor says what they did to counters. Each block counts itself besides, elsewhere, so what
 * every use that was found adds up to is known, and has to be what is in the counters.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "unit.h"

#include "base/file.h"
#include "base/str.h"
#include "blocks/machine-use.h"
#include "random-code.h"

enum { OWNERS = COUNTERS / OWN, FUNCTIONS = 500, CALLS = 8 };

static _Thread_local int64_t own_slot = 1;

/* --- the file --- */

struct library {
	char *bytes;
	size_t n;
	void *handle;
};

static void *symbol(const struct library *library, const char *name)
{
	void *address = dlsym(library->handle, name);

	assert_non_null(address);
	return address;
}

static void make_writable(void *start, size_t n, int protection)
{
	uintptr_t page = (uintptr_t)start & ~(uintptr_t)4095;

	assert_int_equal(mprotect((void *)page, (uintptr_t)start + n - page, protection), 0);
}

static void open_library(struct library *library, struct world *w)
{
	rarog_cleanup(rarog_freep) char *path =
		rarog_asprintf("%s/walked.so", getenv("RAROG_TEST_FILES"));
	char *base;

	assert_int_equal(rarog_file_read(path, 1 << 20, &library->bytes, &library->n), 0);
	library->handle = dlopen(path, RTLD_NOW);
	assert_non_null(library->handle);
	w->arena = symbol(library, "arena");
	w->tables = symbol(library, "tables");
	w->counters = symbol(library, "counters");
	w->tally = symbol(library, "tally");
	w->sink = symbol(library, "sink");
	w->helper = symbol(library, "helper");
	make_writable(w->arena, ARENA, PROT_READ | PROT_WRITE | PROT_EXEC);
	make_writable(w->tables, TABLES, PROT_READ | PROT_WRITE);
	__asm__("movq %%fs:0, %0" : "=r"(base));
	w->slot = (int32_t)((char *)&own_slot - base);
}

/* Addresses in the file, which memory is moved against. */
struct image {
	struct rarog_binary *binary;
	struct rarog_code_graphs *graphs;
	uint64_t bias;
	long arena;
};

static uint64_t offset_of(const struct rarog_binary *binary, uint64_t vaddr)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(binary, &segments);

	for (size_t i = 0; i < n; i++)
		if (vaddr - segments[i].vaddr < segments[i].file_size)
			return vaddr - segments[i].vaddr + segments[i].file_offset;
	fail();
	return 0;
}

static void open_image(const struct library *library, const struct world *w, struct image *image)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *empty = NULL;
	const struct rarog_function *functions;
	size_t n;

	assert_int_equal(rarog_binary_open_memory("walked.so", library->n,
						  (const uint8_t *)library->bytes, &empty),
			 0);
	n = rarog_binary_functions(empty, &functions);
	for (size_t i = 0; i < n; i++)
		if (strcmp(functions[i].name, "arena") == 0)
			image->bias = (uint64_t)(uintptr_t)w->arena - functions[i].address;
	memcpy(library->bytes + offset_of(empty, (uint64_t)(uintptr_t)w->arena - image->bias),
	       w->code, ARENA);
	memcpy(library->bytes + offset_of(empty, (uint64_t)(uintptr_t)w->tables - image->bias),
	       w->entries, TABLES);
	assert_int_equal(rarog_binary_open_memory("walked.so", library->n,
						  (const uint8_t *)library->bytes, &image->binary),
			 0);
	assert_int_equal(rarog_code_graphs_new(image->binary, &image->graphs), 0);
	image->arena =
		rarog_binary_find(image->binary, (uint64_t)(uintptr_t)w->arena - image->bias);
	assert_true(image->arena >= 0);
}

/* --- comparing --- */

static int64_t executions(const struct world *w, const struct image *image,
			  const struct rarog_code_graph *graph, uint32_t block)
{
	uint64_t at = graph->blocks.v[block].address + image->bias - (uint64_t)(uintptr_t)w->arena;
	int64_t tally;
	int b = 0;

	while (b + 1 < w->n_blocks && w->blocks[b + 1].first <= at)
		b++;
	memcpy(&tally, w->tally + 8 * b, sizeof(tally));
	return tally;
}

static int64_t sum_of_uses(const struct world *w, const struct image *image,
			   const struct rarog_native_uses *uses, uint64_t address)
{
	rarog_cleanup(rarog_code_graph_release) struct rarog_code_graph graph = { 0 };
	size_t n;
	const struct rarog_native_use *use = rarog_native_uses_of(uses, (size_t)image->arena, &n);
	int64_t sum = 0;

	assert_int_equal(rarog_code_graphs_read(image->graphs, (size_t)image->arena, false, &graph),
			 0);
	for (size_t i = 0; i < n; i++)
		if (use[i].counter == address && use[i].kind == RAROG_USE_ADD)
			sum += use[i].factor * executions(w, image, &graph, use[i].block);
	return sum;
}

static void run(struct world *w)
{
	void (*function)(uint64_t decisions);

	memcpy(&function, &w->arena, sizeof(function));
	memset(w->counters, 0, 8 * COUNTERS);
	memset(w->tally, 0, 8 * BLOCKS);
	for (int i = 0; i < CALLS; i++)
		function((uint64_t)random_code_pick(w, UINT32_MAX) << 32 |
			 random_code_pick(w, UINT32_MAX));
}

/* The number of counters that are known. */
static int compare(const struct world *w, const struct image *image, unsigned seed)
{
	struct rarog_block_record records[OWNERS] = { 0 };
	struct rarog_map map = { .n_functions = OWNERS,
				 .functions = records,
				 .counters = (uint64_t)(uintptr_t)w->counters - image->bias,
				 .n_counters = COUNTERS };
	rarog_cleanup(rarog_native_uses_freep) struct rarog_native_uses *uses = NULL;
	int known = 0;

	for (uint64_t i = 0; i < OWNERS; i++) {
		records[i].counters = map.counters + i * OWN * 8;
		records[i].n_counters = OWN;
	}
	assert_int_equal(rarog_native_uses_new(image->binary, image->graphs, &map, false, &uses),
			 0);
	for (uint64_t i = 0; i < COUNTERS; i++) {
		uint64_t address = map.counters + 8 * i;
		int64_t sum = sum_of_uses(w, image, uses, address), truth;

		memcpy(&truth, w->counters + 8 * i, sizeof(truth));
		if (rarog_native_uses_rule(uses, address) != RAROG_RULE_SUM)
			continue;
		if (sum != truth)
			fail_msg("function %u, counter %d: %lld, uses say %lld", seed, (int)i,
				 (long long)truth, (long long)sum);
		known++;
	}
	return known;
}

TEST(uses_are_what_the_processor_does)
{
	struct library library = { 0 };
	static struct world w;
	int known = 0;

	open_library(&library, &w);
	for (unsigned seed = 1; seed <= FUNCTIONS; seed++) {
		struct image image = { 0 };

		w.seed = seed * 0x9e3779b97f4a7c15;
		random_code_make(&w);
		run(&w);
		open_image(&library, &w, &image);
		known += compare(&w, &image, seed);
		rarog_code_graphs_free(image.graphs);
		rarog_binary_free(image.binary);
	}
	/* not by knowing nothing */
	print_message("# known: %d of %d counters\n", known, FUNCTIONS * COUNTERS);
	assert_true(known > FUNCTIONS * COUNTERS / 20 * 19);
	dlclose(library.handle);
	free(library.bytes);
}
