/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Techniques on random call graphs, against what their definitions say: who calls whom is found by
 * trying all paths, chains are walked one by one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/optimize.h"
#include "unit.h"

enum { FUNCTIONS = 11, NODES = FUNCTIONS + 3, GRAPHS = 1500 };

/* The last node is that of pointers, the two before it are functions of other files. */
struct world {
	uint32_t n, functions;
	struct rarog_call_graph graph;
	struct rarog_subject subject;
	bool calls[NODES][NODES]; /* by one edge */
	bool leads[NODES][NODES]; /* between functions, through what is none */
	bool comes[NODES][NODES]; /* by any path; each comes to itself */
	bool is_protected[NODES];
	struct rarog_parameters parameters;
	struct rarog_statistics statistics;
	uint8_t since_run[NODES];
	bool wanted[NODES]; /* pruned */
	char names[NODES][16];
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % n;
}

static uint8_t kind_of(const struct world *w, uint32_t node)
{
	if (node < w->functions)
		return RAROG_CALLEE_FUNCTION;
	return node == w->n - 1 ? RAROG_CALLEE_POINTER : RAROG_CALLEE_IMPORT;
}

static void add_callees(struct world *w, uint64_t *seed)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct rarog_callee callee = { .name = w->names[i], .kind = kind_of(w, i) };

		snprintf(w->names[i], sizeof(w->names[i]), "f%u", i);
		callee.address = i < w->functions ? 0x1000 + 16 * i : 0;
		callee.roots = i == 0 ? RAROG_ROOT_MAIN : 0;
		if (i < w->functions && below(seed, 12) == 0)
			callee.roots |= RAROG_ROOT_THREAD;
		if (i < w->functions && below(seed, 3) == 0)
			callee.flags = RAROG_CALLEE_CONSTANT;
		assert_int_equal(rarog_vec_push(&w->graph.callees, callee), 0);
		w->is_protected[i] = i == 0 || below(seed, 9) == 0;
	}
}

static void add_edges(struct world *w, uint64_t *seed)
{
	uint32_t wanted = below(seed, 3 * w->n);

	for (uint32_t i = 0; i < wanted; i++) {
		uint32_t from = below(seed, w->n), to = below(seed, w->n);

		if (from != to)
			w->calls[from][to] = true;
	}
	for (uint32_t from = 0; from < w->n; from++)
		for (uint32_t to = 0; to < w->n; to++) {
			struct rarog_call_edge edge = { .from = from, .to = to };

			if (w->calls[from][to])
				assert_int_equal(rarog_vec_push(&w->graph.edges, edge), 0);
		}
}

/* By which paths does a function lead to others, when only nodes that are none are in between? */
static void close_paths(struct world *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		for (uint32_t j = 0; j < w->n; j++) {
			w->leads[i][j] = w->calls[i][j];
			w->comes[i][j] = w->calls[i][j] || i == j;
		}
	for (uint32_t k = w->functions; k < w->n; k++)
		for (uint32_t i = 0; i < w->n; i++)
			for (uint32_t j = 0; j < w->n; j++)
				w->leads[i][j] |= w->leads[i][k] && w->leads[k][j];
	for (uint32_t k = 0; k < w->n; k++)
		for (uint32_t i = 0; i < w->n; i++)
			for (uint32_t j = 0; j < w->n; j++)
				w->comes[i][j] |= w->comes[i][k] && w->comes[k][j];
}

static void add_statistics(struct world *w, uint64_t *seed)
{
	static const uint64_t counts[] = { 0, 1, 900, 9500, 10400, 20000, 3000000 };

	for (uint32_t i = 0; i < w->functions; i++) {
		double median = 5 + below(seed, 200);
		struct rarog_function_statistics f = {
			.name = strdup(w->names[i]),
			.every = 1 + below(seed, 3),
			.count = counts[below(seed, 7)],
			.q1_ns = median,
			.median_ns = median,
			.q3_ns = median * (below(seed, 2) ? 1.01 : 2),
			.has_quartiles = below(seed, 4) > 0,
			.age = below(seed, 12),
		};

		f.has_quartiles = f.has_quartiles && f.count > 0;
		f.sampled = f.count ? 1 + f.count / f.every : 0;
		if (below(seed, 4) == 0)
			free(f.name);
		else
			assert_int_equal(rarog_vec_push(&w->statistics.v, f), 0);
	}
	w->statistics.runs = below(seed, 12);
	for (uint32_t i = 0; i < w->n; i++)
		w->since_run[i] = below(seed, 4) ? RAROG_CHANGE_NONE
						 : (uint8_t)below(seed, RAROG_CHANGE_NEW + 1);
	rarog_statistics_settle(&w->statistics);
}

static void make(struct world *w, uint64_t *seed)
{
	memset(w, 0, sizeof(*w));
	w->functions = 1 + below(seed, FUNCTIONS);
	w->n = w->functions + 3;
	add_callees(w, seed);
	add_edges(w, seed);
	close_paths(w);
	add_statistics(w, seed);
	w->parameters = rarog_parameters_default();
	assert_int_equal(rarog_subject_make(&w->graph, RAROG_LEVEL_LONGEST, &w->subject), 0);
}

static void release(struct world *w)
{
	rarog_subject_release(&w->subject);
	rarog_call_graph_release(&w->graph);
	rarog_statistics_release(&w->statistics);
}

/* --- the words, by their definitions --- */

static bool as_measured(const struct world *w, uint32_t node)
{
	return w->since_run[node] == RAROG_CHANGE_NONE || w->since_run[node] == RAROG_CHANGE_CALLS;
}

static bool is_reached(const struct world *w, uint32_t node)
{
	for (uint32_t i = 0; i < w->functions; i++)
		if (w->graph.callees.v[i].roots && w->comes[i][node])
			return true;
	return false;
}

static bool is_leaf(const struct world *w, uint32_t node)
{
	for (uint32_t i = 0; i < w->functions; i++)
		if (w->leads[node][i])
			return false;
	return true;
}

static bool is_bottom(const struct world *w, uint32_t node)
{
	for (uint32_t i = 0; i < w->functions; i++)
		if (w->leads[node][i] && !w->comes[i][node])
			return false;
	return true;
}

static uint32_t level(const struct world *w, uint32_t node)
{
	return w->subject.facts.level[node];
}

static uint32_t number(struct world *w, enum rarog_technique_parameter parameter, uint32_t value)
{
	w->parameters.number[parameter] = value;
	return value;
}

/* --- what is pruned, by brute force --- */

static void want_top_down(struct world *w, uint64_t *seed)
{
	uint32_t levels = number(w, RAROG_PARAMETER_CG_PROJ_LEVELS, below(seed, 5));
	bool keep = number(w, RAROG_PARAMETER_CG_PROJ_KEEP_LEAF, below(seed, 2));

	for (uint32_t i = 0; i < w->functions; i++)
		w->wanted[i] = level(w, i) >= levels || (is_leaf(w, i) && !keep);
}

static uint32_t count_reached(const struct world *w, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->functions; i++)
		n += w->comes[node][i];
	return n;
}

/* Who comes before @node when functions of its level are taken one by one? */
static bool is_before(const struct world *w, uint32_t other, uint32_t node)
{
	uint32_t a = count_reached(w, other), b = count_reached(w, node);

	if (level(w, other) != level(w, node))
		return level(w, other) < level(w, node);
	return a != b ? a > b : other < node;
}

static void want_trim(struct world *w, uint64_t *seed)
{
	uint32_t levels = number(w, RAROG_PARAMETER_CG_TRIM_LEVELS, below(seed, 4));
	uint32_t least = number(w, RAROG_PARAMETER_CG_TRIM_MIN_FUNCTIONS, below(seed, 8));
	bool keep = number(w, RAROG_PARAMETER_CG_TRIM_KEEP_LEAF, below(seed, 2));

	for (uint32_t i = 0; i < w->functions; i++) {
		uint32_t before = 0;

		for (uint32_t k = 0; k < w->functions; k++)
			before += k != i && is_reached(w, k) && (keep || !is_leaf(w, k)) &&
				  (level(w, k) < levels || level(w, i) >= levels) &&
				  is_before(w, k, i);
		w->wanted[i] =
			(!keep && is_leaf(w, i)) || (level(w, i) >= levels && before >= least);
	}
}

struct climb {
	struct world *w;
	uint32_t bottom, length, top;
	bool *found;
};

static bool is_near(const struct climb *c, uint32_t node)
{
	double end = level(c->w, c->bottom), at = level(c->w, node);

	return is_reached(c->w, node) && at >= c->top && at >= rint(end - c->length / 2.0) &&
	       at <= rint(end + c->length / 2.0);
}

/* All chains, one by one. */
static void climb(const struct climb *c, uint32_t node, uint32_t left)
{
	c->found[node] = true;
	for (uint32_t i = 0; left > 1 && i < c->w->functions; i++)
		if (c->w->leads[i][node] && is_near(c, i))
			climb(c, i, left - 1);
}

static void want_chains(struct world *w, uint32_t length, uint32_t top, bool on_chain)
{
	bool found[NODES] = { false };

	for (uint32_t i = 0; i < w->functions; i++) {
		const struct climb c = { w, i, length, top, found };

		if (length > 0 && is_reached(w, i) && is_bottom(w, i) && level(w, i) >= top)
			climb(&c, i, length);
	}
	for (uint32_t i = 0; i < w->functions; i++)
		w->wanted[i] = found[i] == on_chain;
}

static void want_prune(struct world *w, uint64_t *seed)
{
	uint32_t length = number(w, RAROG_PARAMETER_CG_PRUNE_CHAIN_LENGTH, below(seed, 5));
	uint32_t top = number(w, RAROG_PARAMETER_CG_PRUNE_KEEP_TOP, below(seed, 4));

	want_chains(w, length, top, true);
}

static void want_bottom_up(struct world *w, uint64_t *seed)
{
	want_chains(w, number(w, RAROG_PARAMETER_CG_PROJ_LEVELS, below(seed, 5)), 0, false);
}

static void want_match(struct world *w, uint64_t *seed)
{
	(void)seed;
	memset(w->wanted, 0, sizeof(w->wanted));
}

static void compare(struct world *w, enum rarog_technique_number technique, const char *what)
{
	struct rarog_decision joined[NODES];
	struct rarog_deciding d = { .subject = &w->subject,
				    .parameters = &w->parameters,
				    .statistics = &w->statistics,
				    .since_run = w->since_run,
				    .is_protected = w->is_protected };

	assert_int_equal(rarog_optimize_decide(&d, 1, &technique, joined), 0);
	rarog_vec_release(&d.v);
	for (uint32_t i = 0; i < w->n; i++) {
		bool wanted = i < w->functions && w->wanted[i] && !w->is_protected[i];

		if ((joined[i].action == RAROG_ACTION_PRUNED) != wanted)
			fail_msg("%s: f%u of %u on level %d is %s", what, i, w->functions,
				 (int)level(w, i), wanted ? "kept" : "pruned");
	}
}

static const struct {
	const char *what;
	enum rarog_cg_mode mode;
	void (*want)(struct world *w, uint64_t *seed);
} shapes[] = {
	{ "match", RAROG_CG_MATCH, want_match },
	{ "top-down", RAROG_CG_TOP_DOWN, want_top_down },
	{ "soft", RAROG_CG_SOFT, want_trim },
	{ "strict", RAROG_CG_STRICT, want_trim },
	{ "prune", RAROG_CG_PRUNE, want_prune },
	{ "bottom-up", RAROG_CG_BOTTOM_UP, want_bottom_up },
};

TEST(shapes_are_what_they_are_defined_to_be)
{
	uint64_t seed = 1;

	for (int i = 0; i < GRAPHS; i++)
		for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
			struct world w;

			make(&w, &seed);
			w.parameters.number[RAROG_PARAMETER_CG_MODE] = shapes[k].mode;
			shapes[k].want(&w, &seed);
			for (uint32_t f = 0; f < w.functions; f++)
				w.wanted[f] |= !is_reached(&w, f);
			compare(&w, RAROG_TECHNIQUE_CG_SHAPING, shapes[k].what);
			release(&w);
		}
}

TEST(constant_functions_are_left_out_below_the_top)
{
	uint64_t seed = 2;

	for (int i = 0; i < GRAPHS; i++) {
		struct world w;
		uint32_t top;

		make(&w, &seed);
		top = number(&w, RAROG_PARAMETER_STATIC_KEEP_TOP, below(&seed, 4));
		for (uint32_t f = 0; f < w.functions; f++)
			w.wanted[f] = is_reached(&w, f) && level(&w, f) >= top &&
				      w.graph.callees.v[f].flags == RAROG_CALLEE_CONSTANT;
		compare(&w, RAROG_TECHNIQUE_STATIC_BASELINE, "static baseline");
		release(&w);
	}
}

/* --- statistics --- */

static const struct rarog_function_statistics *stats(const struct world *w, uint32_t node)
{
	for (size_t i = 0; i < w->statistics.v.n; i++)
		if (strcmp(w->statistics.v.v[i].name, w->names[node]) == 0)
			return &w->statistics.v.v[i];
	return NULL;
}

/* Functions of other files count as nothing there, but for those that call back. */
static bool wraps(const struct world *w, uint32_t caller, uint32_t node)
{
	const struct rarog_function_statistics *c = stats(w, caller), *f = stats(w, node);

	if (caller >= w->functions || !c || !c->has_quartiles || c->count != f->count)
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		if (w->calls[caller][i] && i != node && kind_of(w, i) != RAROG_CALLEE_IMPORT)
			return false;
	return f->median_ns >= 0.8 * c->median_ns;
}

static bool is_wrapped(const struct world *w, uint32_t node)
{
	bool any = false;

	for (uint32_t i = 0; i < w->n; i++) {
		if (w->calls[i][node] && !wraps(w, i, node))
			return false;
		any |= w->calls[i][node];
	}
	return any && stats(w, node)->has_quartiles;
}

TEST(a_run_says_what_the_next_one_can_do_without)
{
	uint64_t seed = 3;
	size_t wrapped = 0;

	for (int i = 0; i < 8 * GRAPHS; i++) {
		struct world w;

		make(&w, &seed);
		for (uint32_t k = 0; k < w.functions; k++) {
			const struct rarog_function_statistics *f = stats(&w, k);
			bool same =
				f && f->has_quartiles &&
				(f->q3_ns - f->q1_ns < 0.05 * f->median_ns || f->median_ns <= 10);

			w.wanted[k] = f && is_reached(&w, k) && f->age < 9 && as_measured(&w, k) &&
				      (f->count > 1000000 || (same && f->count > 10000) ||
				       is_wrapped(&w, k));
			wrapped += w.wanted[k] && f->count <= 10000;
		}
		compare(&w, RAROG_TECHNIQUE_DYNAMIC_BASELINE, "dynamic baseline");
		release(&w);
	}
	assert_true(wrapped > 10);
}

static uint32_t expect_every(const struct world *w, uint32_t node)
{
	const struct rarog_function_statistics *f = stats(w, node);
	double every;

	if (!f || f->sampled == 0 || !as_measured(w, node)) {
		every = ldexp(1, (int)level(w, node));
		return (uint32_t)every << (w->graph.callees.v[node].flags == RAROG_CALLEE_CONSTANT);
	}
	if (f->sampled >= 9000 && f->sampled <= 11000)
		return f->every;
	every = (double)f->sampled * f->every / 10000;
	return every < 1 ? 1 : (uint32_t)every;
}

TEST(rates_come_from_the_last_run_or_from_levels)
{
	const enum rarog_technique_number technique = RAROG_TECHNIQUE_DYNAMIC_SAMPLING;
	uint64_t seed = 4;

	for (int i = 0; i < GRAPHS; i++) {
		struct rarog_decision joined[NODES];
		struct world w;
		struct rarog_deciding d = { .subject = &w.subject,
					    .parameters = &w.parameters,
					    .statistics = &w.statistics,
					    .since_run = w.since_run,
					    .is_protected = w.is_protected };

		make(&w, &seed);
		assert_int_equal(rarog_optimize_decide(&d, 1, &technique, joined), 0);
		for (uint32_t k = 0; k < w.n; k++) {
			bool may = k < w.functions && is_reached(&w, k) && !w.is_protected[k];
			uint32_t every = may ? expect_every(&w, k) : 1;

			assert_int_equal(joined[k].action,
					 every > 1 ? RAROG_ACTION_SAMPLE : RAROG_ACTION_RECORD);
			assert_int_equal(joined[k].n, every > 1 ? every : 0);
		}
		rarog_vec_release(&d.v);
		release(&w);
	}
}

TEST(what_no_run_has_called_is_left_out_unless_it_is_new)
{
	uint64_t seed = 6;

	for (int i = 0; i < GRAPHS; i++) {
		struct world w;

		make(&w, &seed);
		for (uint32_t k = 0; k < w.functions; k++)
			w.wanted[k] = w.statistics.runs != 9 && stats(&w, k) &&
				      stats(&w, k)->count == 0 && as_measured(&w, k);
		compare(&w, RAROG_TECHNIQUE_REACHED_BEFORE, "reached before");
		release(&w);
	}
}

/* --- together --- */

static void shuffle(uint64_t *seed, size_t n, enum rarog_technique_number order[n])
{
	for (size_t i = n; i > 1; i--) {
		size_t k = below(seed, (uint32_t)i);
		enum rarog_technique_number t = order[k];

		order[k] = order[i - 1];
		order[i - 1] = t;
	}
}

static size_t choose(unsigned subset, enum rarog_technique_number order[RAROG_TECHNIQUES])
{
	size_t n = 0;

	for (unsigned i = 0; i < RAROG_TECHNIQUES; i++)
		if (subset & 1u << i && rarog_techniques[i].decide)
			order[n++] = (enum rarog_technique_number)i;
	return n;
}

static void decide(struct world *w, size_t n, const enum rarog_technique_number order[n],
		   struct rarog_decision joined[NODES])
{
	struct rarog_deciding d = { .subject = &w->subject,
				    .parameters = &w->parameters,
				    .statistics = &w->statistics,
				    .since_run = w->since_run,
				    .is_protected = w->is_protected };

	assert_int_equal(rarog_optimize_decide(&d, n, order, joined), 0);
	rarog_vec_release(&d.v);
}

/* Protected functions stay; what more techniques leave out contains what fewer do. */
static void check(const struct world *w, const struct rarog_decision more[NODES],
		  const struct rarog_decision fewer[NODES])
{
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->is_protected[i] || i >= w->functions)
			assert_int_equal(more[i].action, RAROG_ACTION_RECORD);
		assert_true(more[i].action <= fewer[i].action);
		if (more[i].action == fewer[i].action)
			assert_true(more[i].n >= fewer[i].n);
	}
}

static void compare_decisions(const struct world *w, const struct rarog_decision a[NODES],
			      const struct rarog_decision b[NODES])
{
	for (uint32_t i = 0; i < w->n; i++) {
		assert_int_equal(a[i].action, b[i].action);
		assert_int_equal(a[i].n, b[i].n);
		assert_int_equal(a[i].technique, b[i].technique);
		assert_ptr_equal(a[i].why, b[i].why);
	}
}

TEST(any_techniques_in_any_order_say_the_same)
{
	uint64_t seed = 5;

	for (int i = 0; i < GRAPHS; i++) {
		struct world w;

		make(&w, &seed);
		w.parameters.number[RAROG_PARAMETER_CG_MODE] = below(&seed, 6);
		rarog_parameters_predict(&w.parameters, RAROG_PIPELINE_CUSTOM, &w.subject.size);
		for (unsigned subset = 0; subset < 1u << RAROG_TECHNIQUES; subset++) {
			struct rarog_decision first[NODES], second[NODES], fewer[NODES];
			enum rarog_technique_number order[RAROG_TECHNIQUES];
			size_t n = choose(subset, order);

			decide(&w, n, order, first);
			shuffle(&seed, n, order);
			decide(&w, n, order, second);
			compare_decisions(&w, first, second);
			decide(&w, n ? n - 1 : 0, order, fewer);
			check(&w, first, fewer);
		}
		release(&w);
	}
}
