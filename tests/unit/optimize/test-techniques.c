/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Techniques on random call graphs, against what their definitions say. */
#include "random-world.h"

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

			w.wanted[k] = f && is_reached(&w, k) && f->age < 9 && is_unchanged(&w, k) &&
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

	if (!f || f->sampled == 0 || !is_unchanged(w, node)) {
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
