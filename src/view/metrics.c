/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coverage: a function of which calls were measured is at the bottom if it leads to no other
 * measured one, but for such as lead back to it; it is at the top if none leads to it, but for main
 * and the chain of only callees that begins there. What these sets cover is the time of their
 * outermost calls in the tree of contexts, over that of all roots: so neither recursion nor a
 * function within another of the set counts twice, and each thread has its own root.
 */
#include "view/metrics.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/lower-bound.h"
#include "base/table.h"
#include "base/units.h"
#include "profile/measured.h"
#include "view/run.h"

/* --- which functions --- */

struct covering {
	struct rarog_run run;
	bool *is_measured, *is_bottom, *is_top; /* [locations] */
	double *scale;                          /* [locations]: all calls / recorded ones */
	uint64_t depths;                        /* of those at the bottom, all together */
	long root;                              /* location of main, -1 */
};

static void covering_release(struct covering *c)
{
	free(c->is_measured);
	free(c->is_bottom);
	free(c->is_top);
	free(c->scale);
}

/* Location of each node of the graph, RAROG_NONE. */
static void find_locations(const struct covering *c, const struct rarog_call_graph *graph,
			   uint32_t binary, uint32_t location_of[])
{
	const struct rarog_callee *v = graph->callees.v;
	size_t n = 0;

	while (n < graph->callees.n && v[n].kind == RAROG_CALLEE_FUNCTION && v[n].file == 0)
		n++;
	memset(location_of, 0xff, graph->callees.n * sizeof(*location_of));
	for (uint32_t i = 0; i < c->run.n_locations; i++) {
		const struct rarog_location *l = &c->run.locations[i];
		size_t k;

		if (!c->is_measured[i] || l->binary != binary)
			continue;
		k = rarog_lower_bound(j, n, v[j].address < l->address);
		if (k < n && v[k].address == l->address)
			location_of[k] = i;
	}
}

/* Along sure edges: what a call through a pointer may lead to, it hardly ever does. */
static bool leads(const struct rarog_call_facts *facts, uint32_t upper, uint32_t lower)
{
	return rarog_call_reach_has(&facts->reach, upper, lower) &&
	       !rarog_call_reach_has(&facts->reach, lower, upper);
}

/* main, and what is called by nothing but a chain of only callees that begins there. */
static void find_chain(const struct rarog_call_facts *facts, const struct rarog_call_graph *graph,
		       bool is_chain[])
{
	uint32_t node = facts->root;

	for (size_t i = 0; i < graph->callees.n && node != RAROG_CALL_NOWHERE; i++) {
		uint32_t next = RAROG_CALL_NOWHERE;
		size_t n = 0;

		is_chain[node] = true;
		for (uint32_t k = facts->out.first[node]; k < facts->out.first[node + 1]; k++)
			if (graph->callees.v[facts->out.to[k]].kind == RAROG_CALLEE_FUNCTION) {
				next = facts->out.to[k];
				n++;
			}
		node = n == 1 && !is_chain[next] ? next : RAROG_CALL_NOWHERE;
	}
}

struct graph_covering {
	struct covering *all;
	struct rarog_call_facts sure, possible;
	uint32_t *location_of; /* [callees] */
	bool *is_chain;        /* [callees] */
	size_t n;
};

static void graph_covering_release(struct graph_covering *g)
{
	rarog_call_facts_release(&g->sure);
	rarog_call_facts_release(&g->possible);
	free(g->location_of);
	free(g->is_chain);
}

static void place(struct graph_covering *g, uint32_t node)
{
	bool is_bottom = true, is_top = !g->is_chain[node];
	uint32_t location = g->location_of[node], level = g->possible.level[node];

	for (uint32_t k = 0; k < g->n && (is_bottom || is_top); k++) {
		if (k == node || g->location_of[k] == RAROG_NONE)
			continue;
		is_bottom = is_bottom && !leads(&g->sure, node, k);
		is_top = is_top && !(!g->is_chain[k] && leads(&g->sure, k, node));
	}
	g->all->is_bottom[location] = is_bottom;
	g->all->is_top[location] = is_top;
	g->all->depths += is_bottom && level != RAROG_LEVEL_NONE ? level : 0;
}

static int find_facts(struct graph_covering *g, const struct rarog_call_graph *graph,
		      enum rarog_level_rule levels)
{
	int r;

	g->n = graph->callees.n;
	g->location_of = calloc(g->n + 1, sizeof(*g->location_of));
	g->is_chain = calloc(g->n + 1, sizeof(*g->is_chain));
	if (!g->location_of || !g->is_chain)
		return rarog_oom();
	r = rarog_call_facts_find(graph, true, levels, &g->sure);
	if (r == 0)
		r = rarog_call_facts_find(graph, false, levels, &g->possible);
	if (r == 0)
		find_chain(&g->sure, graph, g->is_chain);
	return r;
}

static int cover_graph(struct covering *c, const struct rarog_call_graph *graph, uint32_t binary,
		       enum rarog_level_rule levels)
{
	rarog_cleanup(graph_covering_release) struct graph_covering g = { .all = c };
	int r = find_facts(&g, graph, levels);

	if (r < 0 || !g.sure.reach.bits)
		return r;
	find_locations(c, graph, binary, g.location_of);
	for (uint32_t i = 0; i < g.n; i++)
		if (g.location_of[i] != RAROG_NONE)
			place(&g, i);
	if (g.sure.root != RAROG_CALL_NOWHERE && g.location_of[g.sure.root] != RAROG_NONE)
		c->root = g.location_of[g.sure.root];
	return 0;
}

static bool has_measured(const struct covering *c, uint32_t binary)
{
	for (size_t i = 0; i < c->run.n_locations; i++)
		if (c->is_measured[i] && c->run.locations[i].binary == binary)
			return true;
	return false;
}

static int cover_binary(struct covering *c, const struct rarog_metric_graphs *graphs,
			uint32_t binary)
{
	rarog_cleanup(rarog_call_graph_release) struct rarog_call_graph graph = { 0 };
	int r = graphs->graph(graphs->user, c->run.binaries[binary].path, &graph);

	if (r == 0)
		return cover_graph(c, &graph, binary, graphs->levels);
	if (r == -ENOMEM)
		return r;
	rarog_error_clear();
	return 0;
}

static int find_measured(struct covering *c, const struct rarog_measured_table *measured,
			 struct rarog_metrics *m)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(c->run.profile, &summaries);

	for (long i = 0; i < n; i++) {
		const struct rarog_summary *s = &summaries[i];

		if (s->strand != RAROG_NONE || s->count == 0 ||
		    c->run.locations[s->location].kind != RAROG_LOCATION_FUNCTION)
			continue;
		m->reached += !c->is_measured[s->location];
		c->is_measured[s->location] = true;
		c->scale[s->location] = s->timed > 0 ? (double)s->count / (double)s->timed : 0;
		m->is_estimated |=
			s->timed < s->count || measured->how[s->location] == RAROG_HOW_OFF;
	}
	return n < 0 ? -EBADMSG : 0;
}

/* --- what they cover --- */

static double covered(const struct covering *c, long n, const struct rarog_node nodes[],
		      const bool is_in[], bool is_within[])
{
	double sum = 0, all = 0;

	for (long i = 0; i < n; i++) {
		const struct rarog_node *node = &nodes[i];
		bool inside = node->parent != RAROG_NONE && is_within[node->parent];
		double time;

		is_within[i] = inside;
		if (node->location == RAROG_NONE)
			continue; /* that of all roots */
		time = (double)node->inclusive * c->scale[node->location];
		if (node->parent == RAROG_NONE || nodes[node->parent].location == RAROG_NONE)
			all += time;
		if (is_in[node->location] && !inside)
			sum += time;
		is_within[i] = inside || is_in[node->location];
	}
	return all > 0 ? sum / all : NAN;
}

/* Of calls that were not recorded nobody knows in which others they were: a part above the whole
 * says only that. */
static double share(const struct rarog_metrics *m, double part)
{
	return m->is_estimated && part > 1 ? NAN : part;
}

static uint64_t count(size_t n, const bool is_in[])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += is_in[i];
	return sum;
}

static int measure_coverage(const struct covering *c, struct rarog_metrics *m)
{
	const struct rarog_node *nodes;
	long n = rarog_profile_nodes(c->run.profile, &nodes);
	rarog_cleanup(rarog_freep) bool *within = n >= 0 ? calloc((size_t)n + 1, 1) : NULL;

	if (!within)
		return n < 0 ? -EBADMSG : rarog_oom();
	m->hotspot_functions = count(c->run.n_locations, c->is_bottom);
	m->top_functions = count(c->run.n_locations, c->is_top);
	if (m->top_functions == 0 && c->root >= 0) {
		c->is_top[c->root] = true; /* all that is measured is one chain */
		m->top_functions = 1;
	}
	m->hotspot = share(m, covered(c, n, nodes, c->is_bottom, within));
	m->top = share(m, covered(c, n, nodes, c->is_top, within));
	m->hotspot_depth =
		m->hotspot_functions > 0 ? (double)c->depths / (double)m->hotspot_functions : NAN;
	return 0;
}

static int cover(struct rarog_profile *profile, const struct rarog_metric_graphs *graphs,
		 struct rarog_metrics *m)
{
	rarog_cleanup(covering_release) struct covering c = { .root = -1 };
	struct rarog_measured_table measured;
	int r = rarog_run_load(profile, &c.run);
	size_t n = c.run.n_locations + 1;

	if (r < 0)
		return r;
	c.is_measured = calloc(n, sizeof(bool));
	c.is_bottom = calloc(n, sizeof(bool));
	c.is_top = calloc(n, sizeof(bool));
	c.scale = calloc(n, sizeof(double));
	if (!c.is_measured || !c.is_bottom || !c.is_top || !c.scale)
		return rarog_oom();
	r = rarog_measured_table_load(profile, &measured);
	if (r == 0)
		r = find_measured(&c, &measured, m);
	rarog_measured_table_release(&measured);
	for (uint32_t i = 0; r == 0 && i < c.run.n_binaries; i++)
		if (has_measured(&c, i))
			r = cover_binary(&c, graphs, i);
	return r < 0 ? r : measure_coverage(&c, m);
}

/* --- all of them --- */

static uint64_t number(const json_t *header, const char *object, const char *key)
{
	const json_t *value = json_object_get(json_object_get(header, object), key);

	return (uint64_t)json_integer_value(value);
}

int rarog_metrics_find(struct rarog_profile *profile, const struct rarog_metric_times *times,
		       const struct rarog_metric_graphs *graphs, struct rarog_metrics *ret_metrics)
{
	json_t *header = json_loads(rarog_profile_header(profile), 0, NULL);
	struct stat status = { 0 };
	int r;

	*ret_metrics = (struct rarog_metrics){
		.times = *times,
		.run_ns = number(header, "end", "wall_ns"),
		.raw_bytes = number(header, "totals", "raw_bytes"),
		.locations = number(header, "totals", "patched"),
	};
	json_decref(header);
	if (stat(rarog_profile_path(profile), &status) == 0)
		ret_metrics->profile_bytes = (uint64_t)status.st_size;
	r = cover(profile, graphs, ret_metrics);
	return r < 0 ? r : rarog_kinds_count(profile, &ret_metrics->kinds);
}

/* --- printed --- */

enum unit { SECONDS, BYTES, COUNT, SHARE, LEVEL };

struct row {
	const char *name, *key, *meaning;
	enum unit unit;
	double value;
};

#define ROWS 14

static void list(const struct rarog_metrics *m, struct row rows[ROWS])
{
	const struct row all[ROWS] = {
		{ "M_PT", "m_pt_s", "all of it", SECONDS, (double)m->times.profiling_ns },
		{ "M_CPT", "m_cpt_s", "collecting", SECONDS, (double)m->times.collection_ns },
		{ "M_PRT", "m_prt_s", "the program's run", SECONDS, (double)m->run_ns },
		{ "M_RDV", "m_rdv_bytes", "raw data", BYTES, (double)m->raw_bytes },
		{ "M_PS", "m_ps_bytes", "the profile", BYTES, (double)m->profile_bytes },
		{ "M_OO", "m_oo_s", "optimising", SECONDS, (double)m->times.overhead_ns },
		{ "M_ORE", "m_ore_s", "… of which what it needs to know", SECONDS,
		  (double)m->times.resources_ns },
		{ "M_PL", "m_pl", "functions with a probe", COUNT, (double)m->locations },
		{ "M_PLR", "m_plr", "… that were called", COUNT, (double)m->reached },
		{ "M_HC", "m_hc", "time in functions at the bottom", SHARE, m->hotspot },
		{ "M_HCD", "m_hcd", "… their level, on average", LEVEL, m->hotspot_depth },
		{ "M_HCP", "m_hcp", "… how many they are", COUNT, (double)m->hotspot_functions },
		{ "M_TLC", "m_tlc", "time in functions at the top", SHARE, m->top },
		{ "M_TLCP", "m_tlcp", "… how many they are", COUNT, (double)m->top_functions },
	};

	memcpy(rows, all, sizeof(all));
}

static struct rarog_amount format(const struct row *row, bool is_estimated)
{
	struct rarog_amount text;

	if (row->unit == SECONDS)
		return rarog_format_ns((uint64_t)row->value);
	if (row->unit == BYTES)
		return rarog_format_bytes((uint64_t)row->value);
	if (row->unit == COUNT)
		return rarog_format_count((uint64_t)row->value);
	if (isnan(row->value))
		snprintf(text.text, sizeof(text.text), "unknown");
	else if (row->unit == LEVEL)
		snprintf(text.text, sizeof(text.text), "%.1f", row->value);
	else
		snprintf(text.text, sizeof(text.text), "%s%.1f %%", is_estimated ? "about " : "",
			 100 * row->value);
	return text;
}

static int add_kinds(struct rarog_table *table, const struct rarog_kinds *kinds)
{
	int r = 0;

	for (int i = 0; r == 0 && i < RAROG_KINDS; i++) {
		const struct rarog_amount value = rarog_format_count(kinds->functions[i]);
		const struct rarog_cell cells[] = { { .text = i == 0 ? "M_FC" : "" },
						    { .text = value.text },
						    { .text = rarog_kind_names[i] } };

		if (kinds->functions[i] > 0 || i == 0)
			r = rarog_table_add(table, cells);
	}
	return r;
}

int rarog_metrics_print(const struct rarog_metrics *metrics, FILE *out, bool colour)
{
	static const struct rarog_column columns[] = { { .title = "Metric" },
						       { .title = "Value", .is_right = true },
						       { .title = "Of" } };
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	struct row rows[ROWS];
	int r = table ? 0 : rarog_oom();

	list(metrics, rows);
	for (size_t i = 0; r == 0 && i < ROWS; i++) {
		const struct rarog_amount value = format(&rows[i], metrics->is_estimated);
		const struct rarog_cell cells[] = { { .text = rows[i].name },
						    { .text = value.text },
						    { .text = rows[i].meaning } };

		r = rarog_table_add(table, cells);
	}
	if (r == 0)
		r = add_kinds(table, &metrics->kinds);
	if (r == 0)
		rarog_table_print(table, out, 0, colour);
	return r;
}

int rarog_metrics_write(const struct rarog_metrics *metrics, FILE *out)
{
	struct rarog_json json;
	struct row rows[ROWS];

	list(metrics, rows);
	rarog_json_start_object(&json, out);
	for (size_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];

		if (row->unit == SECONDS)
			rarog_json_double(&json, row->key, row->value / 1e9);
		else if (row->unit == BYTES || row->unit == COUNT)
			rarog_json_uint(&json, row->key, (uint64_t)row->value);
		else
			rarog_json_double(&json, row->key, row->value);
	}
	rarog_json_bool(&json, "is_estimated", metrics->is_estimated);
	rarog_json_object(&json, "m_fc");
	for (int i = 0; i < RAROG_KINDS; i++)
		rarog_json_uint(&json, rarog_kind_names[i], metrics->kinds.functions[i]);
	rarog_json_uint(&json, "too_few", metrics->kinds.too_few);
	rarog_json_end_object(&json);
	return rarog_json_finish(&json);
}
