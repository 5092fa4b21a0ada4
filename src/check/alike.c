/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function is the bag of what its blocks are like: each alone, and with its neighbours
 * (one round after Weisfeiler and Leman 1968; Shervashidze et al. 2011; after more rounds one
 * edited block would have changed all). Alone, a block is its size, its ways in and out, its column
 * and the one of what was inlined there. What few functions have weighs more: the logarithm of in
 * how many it is found (Spärck Jones 1972), which is also how many bits of evidence it is that both
 * have it.
 *
 * Counts do not enter: that they changed is what is to be found out. Nor do lines, which move.
 */
#include "check/alike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "blocks/tally.h"

#define ROUNDS 2

/* A wrong match is worse than none. The less of it is the same, the more has to speak for it. */
static const struct rarog_likeness least[] = { { 0.7, 24 }, { 0.4, 40 } };

#define LEAST_MARGIN 0.15 /* that the next one is less like */

struct feature {
	uint64_t label;
	uint32_t function; /* of both profiles, the first's first */
	float weight;
	bool is_alone; /* the block without neighbours: what evidence is taken from */
};

struct bag {
	size_t first, n; /* in features, by label */
	double weight;
	uint32_t location;
	const char *file; /* "": not known */
};

struct side {
	struct rarog_tally tally;
	const struct rarog_location *locations;
	long n_locations;
	uint32_t *bag_of; /* by location */
};

struct rarog_alike {
	struct side sides[2];
	struct feature *features; /* by function, label */
	struct bag *bags;         /* of both */
	size_t n_features, n_bags;
	size_t n_first; /* bags of the first */
};

/* --- labels --- */

/* Murmur's finaliser: every bit changes half of all. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 33) * 0xff51afd7ed558ccd;
	value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53;
	return value ^ value >> 33;
}

static uint64_t join(uint64_t a, uint64_t b)
{
	return mix(a * 0x9e3779b97f4a7c15 + b + 1);
}

/* Not of what: that may have another name, too. */
static uint64_t label_of_inlined(const struct rarog_tally *tally, uint32_t block)
{
	const struct rarog_block_origin *origin = rarog_tally_origin(tally, block);

	return origin ? 1 + (uint64_t)origin->column : 0;
}

/* Blocks alone. */
static void label_blocks(const struct rarog_tally *tally, const struct rarog_tally_function *f,
			 uint64_t *labels)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const struct rarog_block_count *block = &tally->blocks[f->first + i];

		labels[i] = join(join(block->instructions, block->column), i == 0);
		labels[i] = join(labels[i], label_of_inlined(tally, f->first + i));
	}
	for (uint32_t i = 0; i < f->n_edges; i++) {
		const struct rarog_edge_count *edge = &tally->edges[f->first_edge + i];

		labels[edge->from - f->first] += 0x10001;
		labels[edge->to - f->first] += 0x1000000001;
	}
	for (uint32_t i = 0; i < f->n; i++)
		labels[i] = mix(labels[i]);
}

/* … and with those of the round before around them, whose order does not matter. */
static void label_again(const struct rarog_tally *tally, const struct rarog_tally_function *f,
			const uint64_t *before, uint64_t *labels)
{
	for (uint32_t i = 0; i < f->n; i++)
		labels[i] = before[i] * 3;
	for (uint32_t i = 0; i < f->n_edges; i++) {
		const struct rarog_edge_count *edge = &tally->edges[f->first_edge + i];
		uint32_t from = edge->from - f->first, to = edge->to - f->first;

		labels[from] += mix(before[to] + 1);
		labels[to] += mix(before[from] + 2);
	}
	for (uint32_t i = 0; i < f->n; i++)
		labels[i] = mix(labels[i]);
}

static void add_features(struct rarog_alike *alike, const struct rarog_tally_function *f,
			 const uint64_t *labels, int round)
{
	for (uint32_t i = 0; i < f->n; i++)
		alike->features[alike->n_features++] =
			(struct feature){ .label = join(labels[i], (uint64_t)round),
					  .function = (uint32_t)alike->n_bags,
					  .is_alone = round == 0 };
}

static const char *file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

/* @labels: room for two rounds of the largest function's. */
static void add_function(struct rarog_alike *alike, const struct side *side,
			 const struct rarog_tally_function *f, uint64_t *labels, size_t most)
{
	uint64_t *now = labels, *next = labels + most;
	struct bag *bag = &alike->bags[alike->n_bags];

	*bag = (struct bag){ .first = alike->n_features,
			     .n = (size_t)ROUNDS * f->n,
			     .location = f->location,
			     .file = file_name(side->locations[f->location].file) };
	side->bag_of[f->location] = (uint32_t)alike->n_bags;
	label_blocks(&side->tally, f, now);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t *swapped = now;

		add_features(alike, f, now, round);
		label_again(&side->tally, f, now, next);
		now = next;
		next = swapped;
	}
	alike->n_bags++;
}

/* --- weights --- */

static int by_label(const void *a, const void *b)
{
	const struct feature *x = a, *y = b;

	if (x->label != y->label)
		return x->label < y->label ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

static int by_function(const void *a, const void *b)
{
	const struct feature *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

/* In how many functions: of the version that has most, so that a function and its next version are
 * one. */
static size_t functions_with(const struct rarog_alike *alike, size_t first, size_t end)
{
	size_t n[2] = { 0 };

	for (size_t i = first; i < end; i++)
		if (i == first || alike->features[i].function != alike->features[i - 1].function)
			n[alike->features[i].function >= alike->n_first]++;
	return n[0] > n[1] ? n[0] : n[1];
}

static void weigh(struct rarog_alike *alike)
{
	struct feature *features = alike->features;
	double n = fmax((double)alike->n_first, (double)(alike->n_bags - alike->n_first));

	if (alike->n_features == 0)
		return;
	qsort(features, alike->n_features, sizeof(*features), by_label);
	for (size_t i = 0, end; i < alike->n_features; i = end) {
		size_t with;

		for (end = i; end < alike->n_features && features[end].label == features[i].label;
		     end++)
			;
		with = functions_with(alike, i, end);
		for (size_t k = i; k < end; k++)
			features[k].weight = (float)log2((n + 1) / (double)with);
	}
	qsort(features, alike->n_features, sizeof(*features), by_function);
	for (size_t i = 0; i < alike->n_features; i++)
		alike->bags[features[i].function].weight += (double)features[i].weight;
}

/* --- the whole --- */

static int read_side(struct rarog_profile *profile, struct side *side)
{
	int r = rarog_tally_read(profile, &side->tally);

	if (r < 0)
		return r;
	side->n_locations = rarog_profile_locations(profile, &side->locations);
	if (side->n_locations < 0)
		return (int)side->n_locations;
	side->bag_of = malloc(((size_t)side->n_locations + 1) * sizeof(*side->bag_of));
	if (!side->bag_of)
		return rarog_oom();
	for (long i = 0; i < side->n_locations; i++)
		side->bag_of[i] = RAROG_NONE;
	return 0;
}

static int make_bags(struct rarog_alike *alike)
{
	const struct rarog_tally *a = &alike->sides[0].tally, *b = &alike->sides[1].tally;
	rarog_cleanup(rarog_freep) uint64_t *labels = NULL;
	size_t most = 0;

	alike->features =
		calloc(ROUNDS * (a->n_blocks + b->n_blocks) + 1, sizeof(*alike->features));
	alike->bags = calloc(a->n + b->n + 1, sizeof(*alike->bags));
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < alike->sides[side].tally.n; i++)
			if (alike->sides[side].tally.functions[i].n > most)
				most = alike->sides[side].tally.functions[i].n;
	labels = calloc(2 * most + 1, sizeof(*labels));
	if (!alike->features || !alike->bags || !labels)
		return rarog_oom();
	for (size_t side = 0; side < 2; side++) {
		alike->n_first = alike->n_bags;
		for (size_t i = 0; i < alike->sides[side].tally.n; i++)
			add_function(alike, &alike->sides[side],
				     &alike->sides[side].tally.functions[i], labels, most);
	}
	weigh(alike);
	return 0;
}

int rarog_alike_new(struct rarog_profile *const profiles[2], struct rarog_alike **ret_alike)
{
	rarog_cleanup(rarog_alike_freep) struct rarog_alike *alike = calloc(1, sizeof(*alike));
	int r = alike ? 0 : rarog_oom();

	for (size_t side = 0; r == 0 && side < 2; side++)
		r = read_side(profiles[side], &alike->sides[side]);
	if (r == 0)
		r = make_bags(alike);
	if (r == 0)
		*ret_alike = rarog_take(alike);
	return r;
}

void rarog_alike_free(struct rarog_alike *alike)
{
	if (!alike)
		return;
	for (size_t side = 0; side < 2; side++) {
		rarog_tally_release(&alike->sides[side].tally);
		free(alike->sides[side].bag_of);
	}
	free(alike->features);
	free(alike->bags);
	free(alike);
}

/* --- comparing --- */

static struct rarog_likeness compare(const struct rarog_alike *alike, const struct bag *a,
				     const struct bag *b)
{
	const struct feature *x = alike->features + a->first, *y = alike->features + b->first;
	const struct feature *x_end = x + a->n, *y_end = y + b->n;
	double common = 0, all = a->weight + b->weight, bits = 0;

	while (x < x_end && y < y_end) {
		if (x->label == y->label) {
			common += (double)x->weight;
			bits += x->is_alone ? (double)x->weight : 0;
			x++;
			y++;
		} else if (x->label < y->label) {
			x++;
		} else {
			y++;
		}
	}
	return (struct rarog_likeness){ all > common ? common / (all - common) : 0, bits };
}

static const struct bag *bag_at(const struct rarog_alike *alike, size_t side, uint32_t location)
{
	const struct side *of = &alike->sides[side];
	uint32_t bag = location < (uint32_t)of->n_locations ? of->bag_of[location] : RAROG_NONE;

	return bag == RAROG_NONE ? NULL : &alike->bags[bag];
}

struct rarog_likeness rarog_alike_compare(const struct rarog_alike *alike,
					  const uint32_t locations[2])
{
	const struct bag *a = bag_at(alike, 0, locations[0]), *b = bag_at(alike, 1, locations[1]);

	return a && b ? compare(alike, a, b) : (struct rarog_likeness){ 0, 0 };
}

bool rarog_alike_is(const struct rarog_likeness *likeness)
{
	for (size_t i = 0; i < RAROG_COUNT(least); i++)
		if (likeness->share >= least[i].share && likeness->bits >= least[i].bits)
			return true;
	return false;
}

/* Those of a side that look most like @bag, and next to that; NULL: nothing in the file does. */
struct best {
	const struct bag *bag;
	struct rarog_likeness likeness;
	double next;
};

static struct best find_best(const struct rarog_alike *alike, const struct bag *bag, size_t side)
{
	size_t first = side ? alike->n_first : 0, end = side ? alike->n_bags : alike->n_first;
	struct best best = { 0 };

	for (size_t i = first; i < end; i++) {
		const struct bag *other = &alike->bags[i];
		struct rarog_likeness likeness;

		/* so much cannot be made up for */
		if (strcmp(other->file, bag->file) != 0 || other->weight > 4 * bag->weight ||
		    bag->weight > 4 * other->weight)
			continue;
		likeness = compare(alike, bag, other);
		if (likeness.share > best.likeness.share) {
			best.next = best.likeness.share;
			best.bag = other;
			best.likeness = likeness;
		} else if (likeness.share > best.next) {
			best.next = likeness.share;
		}
	}
	return best;
}

static bool is_clear(const struct best *best)
{
	return best->bag && rarog_alike_is(&best->likeness) &&
	       best->likeness.share - best->next >= LEAST_MARGIN;
}

uint32_t rarog_alike_partner(const struct rarog_alike *alike, uint32_t location,
			     const bool *const is_free[2])
{
	const struct bag *bag = bag_at(alike, 0, location);
	struct best there, back;

	if (!bag || !is_free[0][location])
		return RAROG_NONE;
	there = find_best(alike, bag, 1);
	if (!is_clear(&there) || !is_free[1][there.bag->location])
		return RAROG_NONE;
	back = find_best(alike, there.bag, 0);
	return is_clear(&back) && back.bag == bag ? there.bag->location : RAROG_NONE;
}
