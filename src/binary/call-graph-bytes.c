/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The arrays as they are in memory, each after its length, and the names in one text. Only the same
 * machine's Rarog of the same version reads them, so nothing is translated; everything that is an
 * index is checked.
 *
 *	"RAROGC\n" version  n of: files callees edges sites tables, text bytes   the arrays   text
 */
#include "binary/call-graph-bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

enum part { FILES, CALLEES, EDGES, SITES, TABLES, TEXT, PARTS };

struct head {
	char magic[7];
	uint8_t version;
	uint64_t n[PARTS];
};

static const size_t sizes[PARTS] = {
	[FILES] = 2 * sizeof(uint32_t),
	[CALLEES] = sizeof(struct rarog_callee),
	[EDGES] = sizeof(struct rarog_call_edge),
	[SITES] = sizeof(uint64_t),
	[TABLES] = sizeof(struct rarog_call_table),
	[TEXT] = 1,
};

static const struct head empty = { .magic = "RAROGC\n", .version = RAROG_CALL_GRAPH_VERSION };

/* --- to bytes --- */

static int add_text(struct rarog_str *text, const char *name, uint32_t *ret_at)
{
	*ret_at = (uint32_t)text->length;
	return rarog_str_add_bytes(text, strlen(name) + 1, name);
}

static int add(struct rarog_str *bytes, size_t n, const void *data)
{
	return n ? rarog_str_add_bytes(bytes, n, data) : 0;
}

static int add_files(const struct rarog_call_graph *graph, struct rarog_str *bytes,
		     struct rarog_str *text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < graph->files.n; i++) {
		uint32_t at[2];

		r = add_text(text, graph->files.v[i].path, &at[0]);
		if (r == 0)
			r = add_text(text, graph->files.v[i].build_id, &at[1]);
		if (r == 0)
			r = add(bytes, sizeof(at), at);
	}
	return r;
}

/* Where the name is in the text stands in place of the pointer. */
static int add_callees(const struct rarog_call_graph *graph, struct rarog_str *bytes,
		       struct rarog_str *text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < graph->callees.n; i++) {
		struct rarog_callee callee = graph->callees.v[i];
		uint32_t at;

		r = add_text(text, callee.name, &at);
		callee.name = (const char *)(uintptr_t)at;
		if (r == 0)
			r = add(bytes, sizeof(callee), &callee);
	}
	return r;
}

/* Nothing between the members: the same graph has the same bytes. */
static int add_edges(const struct rarog_call_graph *graph, struct rarog_str *bytes)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < graph->edges.n; i++) {
		const struct rarog_call_edge *from = &graph->edges.v[i];
		struct rarog_call_edge edge;

		memset(&edge, 0, sizeof(edge));
		edge.from = from->from, edge.to = from->to;
		edge.first_site = from->first_site, edge.n_sites = from->n_sites;
		edge.kind = from->kind, edge.is_sure = from->is_sure;
		r = add(bytes, sizeof(edge), &edge);
	}
	return r;
}

static int add_tables(const struct rarog_call_graph *graph, struct rarog_str *bytes)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < graph->tables.n; i++) {
		const struct rarog_call_table *from = &graph->tables.v[i];
		struct rarog_call_table table;

		memset(&table, 0, sizeof(table));
		table.jump = from->jump, table.address = from->address;
		table.callee = from->callee, table.entries = from->entries;
		table.entry_bytes = from->entry_bytes, table.is_bounded = from->is_bounded;
		r = add(bytes, sizeof(table), &table);
	}
	return r;
}

int rarog_call_graph_pack(const struct rarog_call_graph *graph, char **ret_bytes, size_t *ret_n)
{
	rarog_cleanup(rarog_str_release) struct rarog_str bytes = { 0 }, text = { 0 };
	struct head head = empty;
	int r = add(&bytes, sizeof(head), &head);

	if (r == 0)
		r = add_files(graph, &bytes, &text);
	if (r == 0)
		r = add_callees(graph, &bytes, &text);
	if (r == 0)
		r = add_edges(graph, &bytes);
	if (r == 0)
		r = add(&bytes, graph->sites.n * sizes[SITES], graph->sites.v);
	if (r == 0)
		r = add_tables(graph, &bytes);
	if (r == 0)
		r = add(&bytes, text.length, text.text);
	if (r < 0)
		return rarog_oom();
	head.n[FILES] = graph->files.n, head.n[CALLEES] = graph->callees.n;
	head.n[EDGES] = graph->edges.n, head.n[SITES] = graph->sites.n;
	head.n[TABLES] = graph->tables.n, head.n[TEXT] = text.length;
	memcpy(bytes.text, &head, sizeof(head));
	*ret_n = bytes.length;
	*ret_bytes = rarog_str_take(&bytes);
	return *ret_bytes ? 0 : rarog_oom();
}

/* --- from bytes --- */

struct reading {
	struct head head;
	const char *part[PARTS];
	const char *text; /* kept in the graph */
};

static bool find_parts(size_t n, const char *bytes, struct reading *d)
{
	size_t at = sizeof(d->head);

	if (n < at)
		return false;
	memcpy(&d->head, bytes, sizeof(d->head));
	if (memcmp(&d->head, &empty, offsetof(struct head, n)) != 0)
		return false;
	for (int i = 0; i < PARTS; i++) {
		if (d->head.n[i] > (n - at) / sizes[i])
			return false;
		d->part[i] = bytes + at;
		at += d->head.n[i] * sizes[i];
	}
	return at == n && d->head.n[TEXT] > 0 && bytes[n - 1] == '\0' && d->head.n[CALLEES] > 0;
}

static int read_files(const struct reading *d, struct rarog_call_graph *graph)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < d->head.n[FILES]; i++) {
		uint32_t at[2];

		memcpy(at, d->part[FILES] + i * sizeof(at), sizeof(at));
		if (at[0] >= d->head.n[TEXT] || at[1] >= d->head.n[TEXT])
			return -EBADMSG;
		r = rarog_vec_push(&graph->files,
				   (struct rarog_call_file){ d->text + at[0], d->text + at[1] });
	}
	return r;
}

static bool fix_callees(const struct reading *d, struct rarog_call_graph *graph)
{
	for (size_t i = 0; i < graph->callees.n; i++) {
		struct rarog_callee *callee = &graph->callees.v[i];
		uintptr_t at = (uintptr_t)callee->name;
		bool is_last = i + 1 == graph->callees.n;

		if (at >= d->head.n[TEXT] || callee->kind > RAROG_CALLEE_POINTER ||
		    callee->file >= graph->files.n ||
		    (callee->kind == RAROG_CALLEE_POINTER) != is_last)
			return false;
		callee->name = d->text + at;
	}
	return true;
}

static bool are_edges_right(const struct rarog_call_graph *graph)
{
	for (size_t i = 0; i < graph->edges.n; i++) {
		const struct rarog_call_edge *edge = &graph->edges.v[i];

		if (edge->from >= graph->callees.n || edge->to >= graph->callees.n ||
		    edge->kind >= RAROG_CALL_KINDS || edge->first_site > graph->sites.n ||
		    edge->n_sites > graph->sites.n - edge->first_site)
			return false;
	}
	for (size_t i = 0; i < graph->tables.n; i++)
		if (graph->tables.v[i].callee >= graph->callees.n)
			return false;
	return true;
}

#define COPY(vec, which)                                                                           \
	__extension__({                                                                            \
		int r_ = rarog_vec_reserve(vec, d->head.n[which]);                                 \
		if (r_ == 0 && d->head.n[which] > 0)                                               \
			memcpy((vec)->v, d->part[which], d->head.n[which] * sizes[which]);         \
		if (r_ == 0)                                                                       \
			(vec)->n = d->head.n[which];                                               \
		r_;                                                                                \
	})

static int read_parts(struct reading *d, struct rarog_call_graph *graph)
{
	int r;

	d->text = rarog_text_pool_add(&graph->texts, d->head.n[TEXT], d->part[TEXT]);
	r = d->text ? read_files(d, graph) : -ENOMEM;
	if (r == 0)
		r = COPY(&graph->callees, CALLEES);
	if (r == 0)
		r = COPY(&graph->edges, EDGES);
	if (r == 0)
		r = COPY(&graph->sites, SITES);
	if (r == 0)
		r = COPY(&graph->tables, TABLES);
	if (r < 0)
		return r;
	return fix_callees(d, graph) && are_edges_right(graph) ? 0 : -EBADMSG;
}

int rarog_call_graph_unpack(size_t n, const char *bytes, struct rarog_call_graph *ret_graph)
{
	struct rarog_call_graph graph = { 0 };
	struct reading d = { 0 };
	int r = find_parts(n, bytes, &d) ? read_parts(&d, &graph) : -EBADMSG;

	if (r < 0)
		rarog_call_graph_release(&graph);
	else
		*ret_graph = graph;
	return r == -ENOMEM ? rarog_oom() : r;
}
