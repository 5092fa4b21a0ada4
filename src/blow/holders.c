/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of a library that is one of them, or has an allocator, all functions are left out. A program's
 * own file may have an allocator linked into it, or be static: there it is what the allocator's
 * functions may call, by the call graph, but for calls through pointers.
 */
#include "blow/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/call-graph.h"
#include "plan/place-set.h"

static const char *const beginnings[] = { "ld-",   "ld.so",     "ld64",      "libc.so",
					  "libc-", "libc.musl", "libdl",     "libpthread",
					  "librt", "libgcc_s",  "libunwind", "libhoard" };
static const char *const parts[] = { "malloc" }; /* jemalloc, tcmalloc, mimalloc, … */

/* What allocators are called by; the first of these are those that each must have. */
#define MUST_HAVE 7
static const char *const entries[] = {
	"malloc",
	"je_malloc",
	"mallocx",
	"tc_malloc",
	"mi_malloc",
	"rpmalloc",
	"scalable_malloc",
	"calloc",
	"realloc",
	"free",
	"memalign",
	"aligned_alloc",
	"posix_memalign",
	"je_calloc",
	"je_realloc",
	"je_free",
	"rallocx",
	"dallocx",
	"sdallocx",
	"tc_calloc",
	"tc_realloc",
	"tc_free",
	"tc_new",
	"tc_delete",
	"mi_calloc",
	"mi_realloc",
	"mi_free",
	"rpfree",
	"scalable_free",
	/* operator new and delete: tcmalloc's do not call malloc() */
	"_Znwm",
	"_Znam",
	"_ZdlPv",
	"_ZdaPv",
	"_ZdlPvm",
	"_ZdaPvm",
};

static bool has_allocator(const struct rarog_binary *binary)
{
	for (size_t i = 0; i < MUST_HAVE; i++)
		if (rarog_binary_has_symbol(binary, entries[i]))
			return true;
	return false;
}

static bool is_named_so(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < RAROG_COUNT(beginnings); i++)
		if (rarog_starts_with(name, beginnings[i]))
			return true;
	for (size_t i = 0; i < RAROG_COUNT(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

static void leave_out(struct rarog_plan_place *place)
{
	place->action = RAROG_ACTION_OFF;
	place->reason = "may be called with a lock held";
}

/* --- an allocator in a program --- */

static bool is_entry(const struct rarog_function *function)
{
	for (size_t i = 0; i < RAROG_COUNT(entries); i++)
		if (rarog_function_is_named(function, entries[i]))
			return true;
	return false;
}

static void mark_entries(const struct rarog_binary *binary, const struct rarog_call_graph *graph,
			 bool reached[])
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);

	for (size_t i = 0; i < n; i++) {
		long at = is_entry(&functions[i]) ? rarog_call_graph_at(graph, functions[i].address)
						  : -1;

		if (at >= 0)
			reached[at] = true;
	}
}

static void mark_reached(const struct rarog_call_graph *graph, bool reached[])
{
	bool is_new = true;

	while (is_new) {
		is_new = false;
		for (size_t i = 0; i < graph->edges.n; i++) {
			const struct rarog_call_edge *edge = &graph->edges.v[i];

			if (!reached[edge->from] || reached[edge->to] ||
			    edge->kind == RAROG_CALL_POINTER || edge->kind == RAROG_CALL_BACK)
				continue; /* to whatever anyone handed over: a thread's routine */
			is_new = reached[edge->to] = true;
		}
	}
}

static int leave_allocator(struct rarog_binary *binary, struct rarog_place_set *set)
{
	rarog_cleanup(rarog_call_graph_release) struct rarog_call_graph graph = { 0 };
	rarog_cleanup(rarog_freep) bool *reached = NULL;
	const struct rarog_call_options options = { 0 };
	int r = rarog_call_graph_read(1, &binary, &options, &graph);

	if (r == 0)
		reached = calloc(graph.callees.n + 1, sizeof(*reached));
	if (r < 0 || !reached)
		return r < 0 ? r : rarog_oom();
	mark_entries(binary, &graph, reached);
	mark_reached(&graph, reached);
	for (size_t i = 0; i < set->v.n; i++) {
		long at = rarog_call_graph_at(&graph, set->v.v[i].address);

		if (at >= 0 && reached[at] && !set->v.v[i].mark)
			leave_out(&set->v.v[i]);
	}
	return 0;
}

int rarog_blow_leave_holders(void *user, struct rarog_binary *binary, struct rarog_place_set *set)
{
	bool is_library = rarog_binary_is_library(binary);

	(void)user;
	if (!(is_library && is_named_so(set->path)) && !has_allocator(binary))
		return 0;
	if (!is_library)
		return leave_allocator(binary, set);
	for (size_t i = 0; i < set->v.n; i++)
		leave_out(&set->v.v[i]);
	return 0;
}
