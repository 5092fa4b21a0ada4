/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two versions of random functions: in the second one they stand in another order, on other lines
 * and ran otherwise, some have another name, some were edited, some came and some went. Which is
 * which is known. Also: functions that differ in nothing that may change are wholly alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/str.h"
#include "check/alike.h"
#include "profile/reader.h"
#include "profile/writer.h"

enum { FUNCTIONS = 60, MAX_BLOCKS = 40, MAX_EDGES = 2 * MAX_BLOCKS, FILES = 3, LARGE = 12 };

struct function {
	int origin; /* in the first version; -1: it came */
	int twin;   /* of the same version, that it is like; -1: none */
	bool is_renamed, is_edited;
	int file;
	uint32_t n, n_edges;
	struct rarog_block_count blocks[MAX_BLOCKS];
	struct rarog_edge_count edges[MAX_EDGES];
};

struct world {
	uint64_t seed;
	int n[2];
	struct function versions[2][2 * FUNCTIONS]; /* the location is the index */
};

static uint32_t pick(struct world *w, uint32_t n)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return (uint32_t)(w->seed >> 20) % n;
}

/* Each block leads to the next, and every third to one somewhere, too. */
static void make(struct world *w, struct function *f)
{
	*f = (struct function){ .origin = -1, .twin = -1, .file = (int)pick(w, FILES) };
	f->n = 1 + pick(w, MAX_BLOCKS - 1);
	for (uint32_t i = 0; i < f->n; i++)
		f->blocks[i] = (struct rarog_block_count){ .line = 10 + i,
							   .column = 1 + pick(w, 60),
							   .instructions = 1 + pick(w, 12),
							   .count = pick(w, 1000) };
	for (uint32_t i = 0; i < f->n; i++) {
		if (i + 1 < f->n)
			f->edges[f->n_edges++] =
				(struct rarog_edge_count){ .from = i, .to = i + 1 };
		if (pick(w, 3) == 0)
			f->edges[f->n_edges++] =
				(struct rarog_edge_count){ .from = i, .to = pick(w, f->n) };
	}
}

/* Another line, other counts: nothing that tells functions apart. */
static void move(struct world *w, struct function *f)
{
	uint32_t by = pick(w, 500);

	for (uint32_t i = 0; i < f->n; i++) {
		f->blocks[i].line += by;
		f->blocks[i].count = pick(w, 1000);
	}
}

/* Up to a tenth of the blocks. */
static void edit(struct world *w, struct function *f)
{
	f->is_edited = true;
	for (uint32_t i = pick(w, f->n / 10 + 1) + 1; i > 0; i--)
		f->blocks[pick(w, f->n)].instructions += 1 + pick(w, 3);
}

static void make_first(struct world *w)
{
	w->n[0] = FUNCTIONS;
	for (int i = 0; i < FUNCTIONS; i++) {
		struct function *f = &w->versions[0][i];

		make(w, f);
		if (i > 0 && pick(w, 8) == 0) {
			int like = (int)pick(w, (uint32_t)i);

			*f = w->versions[0][like];
			f->twin = like;
		}
	}
}

static bool has_twin(const struct world *w, int number)
{
	if (w->versions[0][number].twin >= 0)
		return true;
	for (int i = 0; i < w->n[0]; i++)
		if (w->versions[0][i].twin == number)
			return true;
	return false;
}

static void swap(struct function *a, struct function *b)
{
	struct function copy = *a;

	*a = *b;
	*b = copy;
}

static void make_second(struct world *w)
{
	w->n[1] = 0;
	for (int i = 0; i < FUNCTIONS; i++) {
		struct function *f = &w->versions[1][w->n[1]];

		if (pick(w, 10) > 0) { /* else it went */
			*f = w->versions[0][i];
			f->origin = i;
			f->is_renamed = pick(w, 2) == 0;
			move(w, f);
			if (pick(w, 4) == 0)
				edit(w, f);
			w->n[1]++;
		}
		if (pick(w, 10) == 0)
			make(w, &w->versions[1][w->n[1]++]);
	}
	for (int i = w->n[1] - 1; i > 0; i--)
		swap(&w->versions[1][i], &w->versions[1][pick(w, (uint32_t)i + 1)]);
}

/* --- profiles --- */

static void add_function(struct rarog_profile_writer *w, const struct function *f,
			 uint32_t location, uint32_t *first)
{
	struct rarog_block_count blocks[MAX_BLOCKS];

	memcpy(blocks, f->blocks, sizeof(blocks));
	for (uint32_t i = 0; i < f->n; i++)
		blocks[i].location = location;
	assert_int_equal(rarog_profile_add_blocks(w, f->n, blocks), 0);
	*first += f->n;
}

static void add_edges(struct rarog_profile_writer *w, const struct function *f, uint32_t first)
{
	struct rarog_edge_count edges[MAX_EDGES];

	memcpy(edges, f->edges, sizeof(edges));
	for (uint32_t i = 0; i < f->n_edges; i++) {
		edges[i].from += first;
		edges[i].to += first;
	}
	assert_int_equal(rarog_profile_add_edges(w, f->n_edges, edges), 0);
}

static void add_location(struct rarog_profile_writer *w, int version, int number,
			 const struct function *f)
{
	rarog_cleanup(rarog_freep) char *name = f->origin >= 0 && !f->is_renamed
							? rarog_asprintf("kept_%d", f->origin)
							: rarog_asprintf("v%d_%d", version, number);
	rarog_cleanup(rarog_freep) char *file =
		rarog_asprintf("%s/file%d.c", version ? "/new/folder" : "/old", f->file);

	assert_int_equal(
		rarog_profile_add_location(w, &(struct rarog_location){ .binary = RAROG_NONE,
									.name = name,
									.file = file }),
		number);
}

static struct rarog_profile *profile_of(const struct world *world, int version)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	struct rarog_profile *profile = NULL;
	char path[] = "/tmp/rarog-alike-XXXXXX";
	uint32_t first = 0, before = 0;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	for (int i = 0; i < world->n[version]; i++)
		add_location(w, version, i, &world->versions[version][i]);
	for (int i = 0; i < world->n[version]; i++)
		add_function(w, &world->versions[version][i], (uint32_t)i, &first);
	for (int i = 0; i < world->n[version]; i++) {
		add_edges(w, &world->versions[version][i], before);
		before += world->versions[version][i].n;
	}
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	assert_int_equal(rarog_profile_open(path, &profile), 0);
	unlink(path);
	return profile;
}

struct pair {
	struct rarog_profile *profiles[2];
	struct rarog_alike *alike;
};

static void open_pair(const struct world *w, struct pair *pair)
{
	for (int i = 0; i < 2; i++)
		pair->profiles[i] = profile_of(w, i);
	assert_int_equal(rarog_alike_new(pair->profiles, &pair->alike), 0);
}

static void close_pair(struct pair *pair)
{
	rarog_alike_free(pair->alike);
	rarog_profile_free(pair->profiles[0]);
	rarog_profile_free(pair->profiles[1]);
}

/* --- what is said of them --- */

static int index_of(const struct world *w, int origin)
{
	for (int i = 0; i < w->n[1]; i++)
		if (w->versions[1][i].origin == origin)
			return i;
	return -1;
}

struct score {
	int found, missed;
};

static void check_partner(const struct world *w, const struct pair *pair, int number,
			  const bool *const free[2], struct score *score)
{
	uint32_t partner = rarog_alike_partner(pair->alike, (uint32_t)number, free);
	int truth = index_of(w, number);
	const struct function *next = truth < 0 ? NULL : &w->versions[1][truth];

	if (partner != RAROG_NONE) {
		assert_true(free[0][number] && free[1][partner]);
		assert_false(has_twin(w, number) && w->versions[1][partner].origin != number);
		assert_int_equal(partner, truth);
	}
	if (next && next->is_renamed && !next->is_edited && next->n >= LARGE &&
	    !has_twin(w, number))
		*(partner == RAROG_NONE ? &score->missed : &score->found) += 1;
}

TEST(partners_are_the_true_ones)
{
	static struct world w;
	struct score score = { 0 };

	for (unsigned seed = 1; seed <= 40; seed++) {
		bool is_free[2][2 * FUNCTIONS] = { 0 };
		const bool *const free[2] = { is_free[0], is_free[1] };
		struct pair pair = { 0 };

		w.seed = seed * 0x9e3779b97f4a7c15;
		make_first(&w);
		make_second(&w);
		for (int i = 0; i < w.n[0]; i++)
			is_free[0][i] =
				index_of(&w, i) < 0 || w.versions[1][index_of(&w, i)].is_renamed;
		for (int i = 0; i < w.n[1]; i++)
			is_free[1][i] = w.versions[1][i].origin < 0 || w.versions[1][i].is_renamed;
		open_pair(&w, &pair);
		for (int i = 0; i < w.n[0]; i++)
			check_partner(&w, &pair, i, free, &score);
		close_pair(&pair);
	}
	print_message("# found: %d, missed: %d\n", score.found, score.missed);
	assert_true(score.found > 100 && score.missed * 20 < score.found);
}

/* The blocks after the entry in another order, as another compiler puts them. */
static void shuffle(struct world *w, struct function *f)
{
	uint32_t place[MAX_BLOCKS];
	struct function before = *f;

	for (uint32_t i = 0; i < f->n; i++)
		place[i] = i;
	for (uint32_t i = f->n; i-- > 2;) {
		uint32_t other = 1 + pick(w, i), kept = place[i];

		place[i] = place[other];
		place[other] = kept;
	}
	for (uint32_t i = 0; i < f->n; i++)
		f->blocks[place[i]] = before.blocks[i];
	f->n_edges = 0;
	for (uint32_t from = 0; from < f->n; from++)
		for (uint32_t i = 0; i < before.n_edges; i++)
			if (place[before.edges[i].from] == from)
				f->edges[f->n_edges++] = (struct rarog_edge_count){
					.from = from, .to = place[before.edges[i].to]
				};
}

TEST(lines_counts_and_order_do_not_matter)
{
	static struct world w = { .seed = 7 };
	struct pair pair = { 0 };

	make_first(&w);
	w.n[1] = w.n[0];
	for (int i = 0; i < w.n[0]; i++) {
		w.versions[1][i] = w.versions[0][i];
		w.versions[1][i].origin = i;
		move(&w, &w.versions[1][i]);
		shuffle(&w, &w.versions[1][i]);
	}
	open_pair(&w, &pair);
	for (uint32_t i = 0; i < (uint32_t)w.n[0]; i++) {
		struct rarog_likeness likeness =
			rarog_alike_compare(pair.alike, (const uint32_t[]){ i, i });

		assert_true(likeness.share > 0.999999 && likeness.share < 1.000001);
		assert_true(likeness.bits > 0);
	}
	close_pair(&pair);
}

TEST(what_is_edited_is_less_alike_both_ways)
{
	static struct world w = { .seed = 11 }, back;
	struct pair pair = { 0 }, other = { 0 };

	make_first(&w);
	make_second(&w);
	open_pair(&w, &pair);
	back.n[0] = w.n[1];
	back.n[1] = w.n[0];
	memcpy(back.versions[0], w.versions[1], sizeof(back.versions[0]));
	memcpy(back.versions[1], w.versions[0], sizeof(back.versions[1]));
	open_pair(&back, &other);
	for (uint32_t i = 0; i < (uint32_t)w.n[0]; i++)
		for (uint32_t k = 0; k < (uint32_t)w.n[1]; k++) {
			struct rarog_likeness there =
				rarog_alike_compare(pair.alike, (const uint32_t[]){ i, k });
			struct rarog_likeness here =
				rarog_alike_compare(other.alike, (const uint32_t[]){ k, i });
			const struct function *f = &w.versions[1][k];

			assert_true(there.share >= 0 && there.share <= 1.000001);
			assert_true(there.share - here.share < 1e-6 &&
				    here.share - there.share < 1e-6);
			assert_true(f->origin != (int)i || !f->is_edited || there.share < 0.999999);
		}
	close_pair(&pair);
	close_pair(&other);
}

TEST(a_location_without_blocks_is_like_nothing)
{
	static struct world w = { .seed = 3 };
	struct rarog_likeness likeness;
	struct pair pair = { 0 };

	make_first(&w);
	make_second(&w);
	open_pair(&w, &pair);
	likeness = rarog_alike_compare(pair.alike, (const uint32_t[]){ 0, 2 * FUNCTIONS });
	assert_true(likeness.share <= 0 && likeness.bits <= 0);
	assert_false(rarog_alike_is(&likeness));
	close_pair(&pair);
}
