/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Digests are compared item by item. A cold part is an item of its own, but nobody measures one:
 * what has become of it has become of its function.
 */
#include "optimize/code-changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/symbol-name.h"

/* --- from items to functions --- */

static bool is_change(uint8_t change)
{
	return change != RAROG_CHANGE_NONE && change != RAROG_CHANGE_RENAMED;
}

static void put(const struct rarog_call_graph *graph, uint64_t address, uint8_t change,
		uint8_t of_nodes[])
{
	long node = rarog_call_graph_at(graph, address);

	if (node >= 0 && of_nodes[node] < change)
		of_nodes[node] = change;
}

/* A part that is new is other code of its function. */
static void put_part(const struct rarog_code_changes_wanted *c, uint64_t address, uint8_t change,
		     uint8_t of_nodes[])
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(c->binary, &functions);
	long i = rarog_binary_find(c->binary, address);

	if (i < 0 || (size_t)i >= n || !(functions[i].flags & RAROG_FUNCTION_COLD) ||
	    !is_change(change))
		return;
	put(c->graph, functions[rarog_binary_host(c->binary, i)].address,
	    change == RAROG_CHANGE_NEW ? RAROG_CHANGE_CODE : change, of_nodes);
}

static void spread(const struct rarog_code_changes_wanted *c, const struct rarog_code_digest *now,
		   const uint8_t of_items[], uint8_t of_nodes[])
{
	for (size_t i = 0; i < now->v.n; i++) {
		if (!now->v.v[i].is_function)
			continue;
		put(c->graph, now->v.v[i].address, of_items[i], of_nodes);
		put_part(c, now->v.v[i].address, of_items[i], of_nodes);
	}
}

/* One that is gone was code of its function, too. */
static int put_gone(const struct rarog_code_changes_wanted *c, const struct rarog_code_digest *then,
		    const struct rarog_code_digest *now, uint8_t of_nodes[])
{
	for (size_t i = 0; i < then->v.n; i++) {
		const char *name = then->v.v[i].name;
		size_t length = rarog_symbol_name_host(name);
		rarog_cleanup(rarog_freep) char *host = NULL;
		long k;

		if (!name[length] || !then->v.v[i].is_function ||
		    rarog_code_digest_find(now, name) >= 0)
			continue;
		host = strndup(name, length);
		if (!host)
			return rarog_oom();
		k = rarog_code_digest_find(now, host);
		if (k >= 0)
			put(c->graph, now->v.v[k].address, RAROG_CHANGE_CODE, of_nodes);
	}
	return 0;
}

static int compare(const struct rarog_code_changes_wanted *c, const struct rarog_code_digest *then,
		   const struct rarog_code_digest *now, uint8_t **ret_changes)
{
	rarog_cleanup(rarog_freep) uint8_t *of_items = calloc(now->v.n + 1, 1);
	uint8_t *of_nodes = calloc(c->graph->callees.n + 1, 1);
	int r = of_items && of_nodes ? rarog_digest_diff(then, now, of_items) : rarog_oom();

	if (r == 0) {
		spread(c, now, of_items, of_nodes);
		r = put_gone(c, then, now, of_nodes);
	}
	*ret_changes = of_nodes;
	return r;
}

/* --- since the last run --- */

struct comparison {
	const struct rarog_code_changes_wanted *wanted;
	const struct rarog_code_digest *now;
};

/* Of all functions that were measured with the digest @key; none: it is known no longer. */
static int take_changes(const struct comparison *c, const char *key, uint8_t changes[])
{
	rarog_cleanup(rarog_code_digest_release) struct rarog_code_digest then = { 0 };
	rarog_cleanup(rarog_freep) uint8_t *since = NULL;
	const struct rarog_call_graph *graph = c->wanted->graph;
	const struct rarog_optimizer_sources *from = c->wanted->from;
	int r = from->digest_of_run(from->user, key, &then);

	if (r > 0)
		r = compare(c->wanted, &then, c->now, &since);
	for (size_t i = 0; r == 0 && since && i < graph->callees.n; i++) {
		const char *name = graph->callees.v[i].name;
		const struct rarog_function_statistics *f =
			name ? rarog_statistics_find(c->wanted->statistics, name) : NULL;

		if (f && f->digest && strcmp(f->digest, key) == 0)
			changes[i] = since[i];
	}
	return r;
}

static bool is_first_of_key(const struct rarog_statistics *statistics, size_t i)
{
	const struct rarog_function_statistics *v = statistics->v.v;

	for (size_t k = 0; k < i; k++)
		if (v[k].digest && strcmp(v[k].digest, v[i].digest) == 0)
			return false;
	return true;
}

/* Each function since the run that measured it last: one digest for few runs, not one for each. */
static int since_runs(const struct comparison *c, uint8_t **ret_changes)
{
	const struct rarog_statistics *statistics = c->wanted->statistics;
	size_t n = c->wanted->graph->callees.n + 1;
	uint8_t *changes = malloc(n);
	int r = changes ? 0 : rarog_oom();

	*ret_changes = changes;
	if (r == 0)
		memset(changes, RAROG_CHANGE_NEW, n);
	for (size_t i = 0; r == 0 && i < statistics->v.n; i++)
		if (statistics->v.v[i].digest && is_first_of_key(statistics, i))
			r = take_changes(c, statistics->v.v[i].digest, changes);
	return r;
}

/* --- since the version before --- */

static int since_version(const struct comparison *c, uint8_t **ret_changes)
{
	rarog_cleanup(rarog_code_digest_release) struct rarog_code_digest then = { 0 };
	const struct rarog_optimizer_sources *from = c->wanted->from;
	int r = from->digest_before(from->user, c->wanted->path, &then);

	return r > 0 ? compare(c->wanted, &then, c->now, ret_changes) : r;
}

/* --- together --- */

int rarog_code_changes_find(const struct rarog_code_changes_wanted *wanted,
			    struct rarog_code_changes *changes)
{
	rarog_cleanup(rarog_code_digest_release) struct rarog_code_digest now = { 0 };
	const struct rarog_optimizer_sources *from = wanted->from;
	const struct comparison c = { wanted, &now };
	int r;

	if ((!wanted->by_version && !wanted->by_run) || !from->digest)
		return 0;
	r = from->digest(from->user, wanted->binary, wanted->path, &now);
	if (r <= 0)
		return r;
	r = 0;
	if (wanted->by_version)
		r = since_version(&c, &changes->since_version);
	if (r == 0 && wanted->by_run && wanted->statistics)
		r = since_runs(&c, &changes->since_run);
	return r;
}

void rarog_code_changes_release(struct rarog_code_changes *changes)
{
	free(changes->since_version);
	free(changes->since_run);
}
