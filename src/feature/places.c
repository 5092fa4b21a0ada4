/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes of stacks (changes.h) become places of probes, and regions that have all of theirs get
 * names.
 */
#include "feature/places.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "binary/imports.h"
#include "binary/probe-place.h"
#include "feature/changes.h"
#include "feature/region-file.h"

#define CANDIDATES RAROG_FEATURE_CANDIDATES

struct search {
	struct rarog_feature_machine machine;
	const struct rarog_strings *wanted;
	struct rarog_feature_changes changes;
	uint32_t *number_of; /* of a region among the names; UINT32_MAX: not yet */
	bool *has_code;      /* the same */
	uint32_t last_stack; /* of the range before */
	enum rarog_feature_means means;
	bool may_jump; /* by longjmp, out of functions */
	struct rarog_region_places *places;
	struct rarog_feature_placed *placed;
};

static bool is_wanted(const struct search *s, uint32_t region)
{
	const json_t *names = s->machine.analysis->regions.v[region].features;

	for (size_t i = 0; i < json_array_size(names); i++)
		for (size_t k = 0; k < s->wanted->n; k++)
			if (strcmp(json_string_value(json_array_get(names, i)), s->wanted->v[k]) ==
			    0)
				return true;
	return s->wanted->n == 0;
}

/* What samples are looked up in. */
static int add_range(struct search *s, const struct rarog_feature_instruction *one)
{
	const struct rarog_feature_stack *stack = &s->machine.stacks.v[one->stack];
	struct rarog_region_range range = { .start = one->address,
					    .end = one->address + one->length,
					    .first = (uint32_t)s->places->open.n };
	struct rarog_region_range *last =
		s->places->ranges.n > 0 ? &s->places->ranges.v[s->places->ranges.n - 1] : NULL;
	int r = 0;

	if (last && last->end == range.start && s->last_stack == one->stack) {
		last->end = range.end;
		return 0;
	}
	s->last_stack = one->stack;
	for (uint32_t i = 0; r == 0 && i < stack->n; i++) {
		uint32_t region = s->machine.items.v[stack->first + i];

		s->has_code[region] = true;
		if (is_wanted(s, region))
			r = rarog_vec_push(&s->places->open, region);
	}
	range.n = (uint32_t)s->places->open.n - range.first;
	return r < 0 || range.n == 0 ? r : rarog_vec_push(&s->places->ranges, range);
}

static int add_ranges(struct search *s, const struct rarog_feature_code *code)
{
	int r = 0;

	s->last_stack = RAROG_FEATURE_UNKNOWN;
	for (size_t i = 0; r == 0 && i < code->instructions.n; i++)
		if (code->instructions.v[i].stack != 0)
			r = add_range(s, &code->instructions.v[i]);
		else
			s->last_stack = 0;
	return r;
}

static int add_host(struct search *s, uint64_t function)
{
	for (size_t i = 0; i < s->places->hosts.n; i++)
		if (s->places->hosts.v[i] == function)
			return 0;
	return rarog_vec_push(&s->places->hosts, function) < 0 ? rarog_oom() : 0;
}

static bool is_jump(const char *name)
{
	return name && (strstr(name, "longjmp") || strstr(name, "setjmp"));
}

/* Then nothing in a function tells that it was left, but that another has its place. The jump may
 * be in a library, and in a static program both are functions of its own. */
static bool may_jump_out(const struct search *s)
{
	const struct rarog_imports *imports = rarog_code_graphs_imports(s->machine.graphs);
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(s->machine.binary, &functions);

	for (size_t i = 0; i < imports->list.n; i++)
		if (is_jump(imports->list.v[i].name))
			return true;
	for (size_t i = 0; i < n; i++)
		if (is_jump(functions[i].name))
			return true;
	return false;
}

static int add_function(struct search *s, size_t function)
{
	struct rarog_feature_code code;
	int r = rarog_feature_code_read(&s->machine, function, &code);

	if (r > 0 && add_ranges(s, &code) < 0)
		r = rarog_oom();
	if (r > 0 && s->may_jump && add_host(s, code.graph.blocks.v[0].address) < 0)
		r = -ENOMEM;
	if (r > 0 && rarog_feature_changes_add(&s->machine, &code, &s->changes) < 0)
		r = -ENOMEM;
	rarog_feature_code_release(&code);
	return r < 0 ? r : 0;
}

/* --- regions --- */

static int add_place(struct search *s, uint32_t region, uint64_t address, uint8_t action)
{
	struct rarog_region_place place = { .address = address,
					    .region = region,
					    .action = action };

	if (!is_wanted(s, region))
		return 0;
	for (size_t i = 0; i < s->places->v.n; i++) {
		const struct rarog_region_place *other = &s->places->v.v[i];

		if (other->address == address && other->region == region && other->action == action)
			return 0;
	}
	s->placed->n_copies[region] += action == RAROG_MARK_BEGIN;
	return rarog_vec_push(&s->places->v, place);
}

static void lower(struct search *s, uint32_t region, enum rarog_feature_code_state state)
{
	if (s->placed->states[region] > state)
		s->placed->states[region] = (uint8_t)state;
}

static int place_change(struct search *s, const struct rarog_feature_change *change,
			uint64_t address)
{
	const struct rarog_feature_stack *from = &s->machine.stacks.v[change->from];
	const struct rarog_feature_stack *to = &s->machine.stacks.v[change->to];
	uint32_t n = rarog_feature_stacks_common(&s->machine, from, to);
	int r = 0;

	for (uint32_t i = from->n; r == 0 && i-- > n;) {
		uint32_t region = s->machine.items.v[from->first + i];

		r = add_place(s, region, address, RAROG_MARK_STOP);
	}
	for (uint32_t i = n; r == 0 && i < to->n; i++) {
		uint32_t region = s->machine.items.v[to->first + i];

		if (change->may_be_closed) {
			lower(s, region, RAROG_FEATURE_ONCE);
			r = add_place(s, region, address, RAROG_MARK_STOP);
		}
		if (r == 0)
			r = add_place(s, region, address, RAROG_MARK_BEGIN);
	}
	return r;
}

static void refuse(struct search *s, const struct rarog_feature_change *change,
		   const struct rarog_mark_site *site)
{
	const struct rarog_feature_stack *both[] = { &s->machine.stacks.v[change->from],
						     &s->machine.stacks.v[change->to] };
	uint32_t n = rarog_feature_stacks_common(&s->machine, both[0], both[1]);

	rarog_debug(RAROG_LOG_SITE,
		    "regions change at 0x%" PRIx64 " (stack %u of %u to %u of %u): no probe: %s",
		    change->at[0], change->from, both[0]->n, change->to, both[1]->n,
		    site->verdict ? rarog_mark_reason((enum rarog_mark_verdict)site->verdict)
				  : "where the stack is, is unknown");
	for (size_t k = 0; k < RAROG_COUNT(both); k++)
		for (uint32_t i = n; i < both[k]->n; i++)
			lower(s, s->machine.items.v[both[k]->first + i], RAROG_FEATURE_NO_PLACE);
}

enum fitness { UNFIT, FIT, FIT_QUICK, FIT_NOPS };

static bool is_readable(const struct rarog_mark_site *site)
{
	return site->has_frame && site->return_place.from != RAROG_RETURN_UNKNOWN;
}

/* A breakpoint takes one byte, whatever leads to those after it. */
static enum fitness breakpoint_fitness(const struct search *s, uint64_t address,
				       const struct rarog_mark_site *site)
{
	static const enum fitness of_kind[] = {
		[RAROG_PROBE_REFUSED] = UNFIT,
		[RAROG_PROBE_STEPPED] = FIT,
		[RAROG_PROBE_QUICK] = FIT_QUICK,
	};

	if (site->verdict == RAROG_MARK_NOWHERE || site->verdict == RAROG_MARK_MIDDLE ||
	    site->verdict == RAROG_MARK_EARLY)
		return UNFIT;
	return of_kind[rarog_probe_kind_at(s->machine.binary, address)];
}

static enum fitness fitness(const struct search *s, uint64_t address,
			    const struct rarog_mark_site *site)
{
	static const uint8_t nops[] = RAROG_REGION_NOPS;
	const uint8_t *code = rarog_binary_bytes(s->machine.binary, address, sizeof(nops));
	bool is_fit = s->means == RAROG_FEATURE_BY_BREAKPOINTS || site->verdict == RAROG_MARK_OK;

	if (!is_readable(site) || !is_fit)
		return UNFIT;
	if (code && memcmp(code, nops, sizeof(nops)) == 0)
		return FIT_NOPS;
	return s->means == RAROG_FEATURE_BY_BREAKPOINTS ? breakpoint_fitness(s, address, site)
							: FIT;
}

/* The first of those that do best; NULL: none will do. */
static const uint64_t *choose(struct search *s, size_t n, const uint64_t at[n],
			      const struct rarog_mark_site *sites)
{
	enum fitness best = UNFIT;
	const uint64_t *chosen = NULL;

	for (size_t i = 0; i < n; i++)
		if (fitness(s, at[i], &sites[i]) > best) {
			best = fitness(s, at[i], &sites[i]);
			chosen = &at[i];
		}
	s->placed->n_places += chosen != NULL;
	s->placed->n_stepped += s->means == RAROG_FEATURE_BY_BREAKPOINTS && best == FIT;
	return chosen;
}

static int place_one(struct search *s, struct rarog_feature_change *change,
		     const struct rarog_mark_site *sites)
{
	const uint64_t *at = choose(s, change->n, change->at, sites);

	if (at)
		return place_change(s, change, *at);
	at = choose(s, change->n_later, change->later, sites + CANDIDATES);
	if (!at && change->host)
		return add_host(s, change->host);
	if (!at) {
		refuse(s, change, sites);
		return 0;
	}
	change->may_be_closed = true;
	return place_change(s, change, *at);
}

static void list_addresses(const struct rarog_feature_change *change,
			   uint64_t addresses[2 * CANDIDATES])
{
	for (size_t i = 0; i < CANDIDATES; i++) {
		addresses[i] = change->at[i < change->n ? i : 0];
		addresses[CANDIDATES + i] = i < change->n_later ? change->later[i] : change->at[0];
	}
}

/* All at once: to look at a place, all code of the binary is looked at first. */
static int place_all(struct search *s)
{
	size_t n = s->changes.list.n * 2 * CANDIDATES;
	rarog_cleanup(rarog_freep) uint64_t *addresses = calloc(n + 1, sizeof(*addresses));
	rarog_cleanup(rarog_freep) struct rarog_mark_site *sites = calloc(n + 1, sizeof(*sites));
	int r;

	if (!addresses || !sites)
		return rarog_oom();
	for (size_t i = 0; i < s->changes.list.n; i++)
		list_addresses(&s->changes.list.v[i], addresses + 2 * CANDIDATES * i);
	r = rarog_mark_sites(s->machine.binary, n, addresses, sites);
	for (size_t i = 0; r == 0 && i < s->changes.list.n; i++)
		r = place_one(s, &s->changes.list.v[i], sites + 2 * CANDIDATES * i);
	return r;
}

/* --- all together --- */

/* Outer regions first: of what begins at one place the first begins first. */
static int compare_regions(const void *a, const void *b, void *context)
{
	const struct rarog_feature_region *v = context;
	const uint32_t *x = a, *y = b;

	if (v[*x].instructions != v[*y].instructions)
		return v[*x].instructions > v[*y].instructions ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static bool is_named(const struct search *s, uint32_t region)
{
	if (s->means == RAROG_FEATURE_BY_SAMPLES)
		return s->has_code[region] && is_wanted(s, region);
	return s->placed->n_copies[region] > 0 && s->placed->states[region] >= RAROG_FEATURE_ONCE;
}

/* Names for those that have places, and these in their numbers; the others go. */
static int name_all(struct search *s)
{
	const struct rarog_feature_analysis *a = s->machine.analysis;
	size_t n = a->regions.n, kept = 0;
	rarog_cleanup(rarog_freep) uint32_t *order = calloc(n + 1, sizeof(*order));

	if (!order)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), compare_regions, a->regions.v);
	for (size_t i = 0; i < n; i++) {
		struct rarog_region_name name = { NULL };

		s->number_of[order[i]] = UINT32_MAX;
		if (!is_named(s, order[i]))
			continue;
		s->number_of[order[i]] = (uint32_t)s->places->names.n;
		name.text = strdup(a->regions.v[order[i]].label);
		if (!name.text || rarog_vec_push(&s->places->names, name) < 0) {
			free(name.text);
			return rarog_oom();
		}
	}
	for (size_t i = 0; i < s->places->v.n; i++) {
		struct rarog_region_place place = s->places->v.v[i];

		place.region = s->number_of[place.region];
		if (place.region != UINT32_MAX)
			s->places->v.v[kept++] = place;
	}
	s->places->v.n = s->means == RAROG_FEATURE_BY_SAMPLES ? 0 : kept;
	for (size_t i = 0; s->means == RAROG_FEATURE_BY_SAMPLES && i < s->places->open.n; i++)
		s->places->open.v[i] = s->number_of[s->places->open.v[i]];
	if (s->means != RAROG_FEATURE_BY_SAMPLES)
		s->places->ranges.n = s->places->open.n = 0;
	return 0;
}

static int find(struct search *s)
{
	size_t n = s->machine.analysis->regions.n;
	const struct rarog_function *functions;
	size_t n_functions = rarog_binary_functions(s->machine.binary, &functions);
	char whole[PATH_MAX];
	int r = 0;

	s->number_of = calloc(n + 1, sizeof(*s->number_of));
	s->has_code = calloc(n + 1, sizeof(*s->has_code));
	s->placed->states = malloc(n + 1);
	s->placed->n_copies = calloc(n + 1, sizeof(*s->placed->n_copies));
	s->places->path = strdup(realpath(rarog_binary_path(s->machine.binary), whole)
					 ? whole
					 : rarog_binary_path(s->machine.binary));
	if (!s->number_of || !s->has_code || !s->placed->states || !s->placed->n_copies ||
	    !s->places->path)
		return rarog_oom();
	memset(s->placed->states, RAROG_FEATURE_EXACT, n + 1);
	s->may_jump = may_jump_out(s);
	s->placed->may_jump = s->may_jump;
	for (size_t i = 0; r == 0 && i < n_functions; i++)
		r = add_function(s, i);
	if (r == 0)
		r = place_all(s);
	for (size_t i = 0; i < n; i++)
		if (s->placed->n_copies[i] == 0 && s->placed->states[i] == RAROG_FEATURE_EXACT)
			s->placed->states[i] = RAROG_FEATURE_NO_CODE;
	s->placed->n_unread = s->machine.n_unread;
	return r < 0 ? r : name_all(s);
}

int rarog_feature_places_find(const struct rarog_feature_analysis *analysis,
			      struct rarog_binary *binary, const struct rarog_strings *wanted,
			      enum rarog_feature_means means,
			      struct rarog_region_places *ret_places,
			      struct rarog_feature_placed *ret_placed)
{
	struct search s = {
		.wanted = wanted, .means = means, .places = ret_places, .placed = ret_placed
	};
	int r;

	*ret_places = (struct rarog_region_places){ 0 };
	*ret_placed = (struct rarog_feature_placed){ 0 };
	r = rarog_feature_machine_init(analysis, binary, &s.machine);
	if (r == 0)
		r = find(&s);
	rarog_vec_release(&s.changes.list);
	rarog_feature_machine_release(&s.machine);
	free(s.number_of);
	free(s.has_code);
	return r;
}

void rarog_feature_placed_release(struct rarog_feature_placed *placed)
{
	free(placed->states);
	free(placed->n_copies);
}
