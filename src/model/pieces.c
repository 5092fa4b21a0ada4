/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/pieces.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/pieces-own.h"
#include "num/random.h"

#define STEPS 3

const char *const rarog_pieces_method_names[] = {
	"full", "iterative", "interval", "initial-guess", "bisection", "segments", NULL
};

/* Choices point to models, which move as pieces are added. */
static void choose_again(const struct rarog_pieces_options *options, struct rarog_pieces *pieces)
{
	for (size_t i = 0; i < pieces->n; i++)
		rarog_models_choose(&pieces->v[i].models, options->rule, &pieces->v[i].choice);
}

/* Points of one x stay together. */
static size_t boundary(const struct rarog_part *part, size_t at)
{
	while (at > 0 && at < part->n && part->x[at] == part->x[at - 1])
		at++;
	return at;
}

static int fit_add(const struct rarog_part *part, const struct rarog_pieces_options *options,
		   struct rarog_pieces *pieces)
{
	struct rarog_piece piece;
	int r = rarog_piece_fit(part, options, &piece);

	return r < 0 ? r : rarog_piece_add(pieces, &piece);
}

/* --- interval, bisection --- */

static int fit_intervals(const struct rarog_part *all, const struct rarog_pieces_options *options,
			 struct rarog_pieces *pieces)
{
	size_t steps = options->steps ? options->steps : STEPS, from = 0;
	int r = 0;

	if (all->n < 3 * steps)
		return rarog_fail(-EDOM, "%zu points are too few for %zu intervals", all->n, steps);
	for (size_t k = 1; r == 0 && k <= steps; k++) {
		size_t to = boundary(all, all->n * k / steps);
		struct rarog_part part = rarog_part_of(all, from, to);

		if (to < from + 3 && k < steps)
			continue;
		r = fit_add(&part, options, pieces);
		from = to;
	}
	return r;
}

/* Do these points exclude that class? */
static bool excludes(const struct rarog_choice *choice, enum rarog_growth growth)
{
	for (size_t i = 0; i < choice->n; i++)
		if (choice->candidates[i].growth == growth &&
		    choice->candidates[i].behind < RAROG_CHOICE_EXCLUDED)
			return false;
	return choice->n > 0;
}

/* Takes @take_whole, the piece of @part. */
static int bisect(const struct rarog_part *part, struct rarog_piece *take_whole,
		  const struct rarog_pieces_options *options, struct rarog_pieces *pieces)
{
	size_t middle = boundary(part, part->n / 2);
	struct rarog_part halves[2] = { rarog_part_of(part, 0, middle),
					rarog_part_of(part, middle, part->n) };
	enum rarog_growth growth = take_whole->choice.growth;
	struct rarog_piece half[2] = { 0 };
	int r = 0;

	if (middle < 3 || part->n - middle < 3)
		return rarog_piece_add(pieces, take_whole);
	for (int i = 0; r == 0 && i < 2; i++)
		r = rarog_piece_fit(&halves[i], options, &half[i]);
	if (r == 0 && !excludes(&half[0].choice, growth) && !excludes(&half[1].choice, growth)) {
		r = rarog_piece_add(pieces, take_whole);
		for (int i = 0; i < 2; i++)
			rarog_models_release(&half[i].models);
		return r;
	}
	rarog_models_release(&take_whole->models);
	for (int i = 0; i < 2; i++) {
		if (r == 0)
			r = bisect(&halves[i], &half[i], options, pieces);
		else
			rarog_models_release(&half[i].models);
	}
	return r;
}

static int fit_bisection(const struct rarog_part *all, const struct rarog_pieces_options *options,
			 struct rarog_pieces *pieces)
{
	struct rarog_piece whole;
	int r = rarog_piece_fit(all, options, &whole);

	return r < 0 ? r : bisect(all, &whole, options, pieces);
}

/* --- random parts --- */

/* The points in random order; the first so many of them, sorted by x again. */
struct shuffled {
	struct rarog_part part;
	size_t *order;
	double *room; /* x, y and weights of part */
	size_t *taken;
};

static void shuffled_release(struct shuffled *shuffled)
{
	free(shuffled->order);
	free(shuffled->room);
}

static int compare(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static int shuffle(const struct rarog_part *all, uint64_t seed, struct shuffled *shuffled)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(seed);

	shuffled->order = calloc(2 * all->n, sizeof(size_t));
	shuffled->room = calloc(3 * all->n, sizeof(double));
	if (!random || !shuffled->order || !shuffled->room)
		return rarog_oom();
	shuffled->taken = shuffled->order + all->n;
	for (size_t i = 0; i < all->n; i++)
		shuffled->order[i] = i;
	for (size_t i = all->n; i > 1; i--) {
		size_t k = rarog_random_below(random, i), swap = shuffled->order[i - 1];

		shuffled->order[i - 1] = shuffled->order[k];
		shuffled->order[k] = swap;
	}
	return 0;
}

/* all is sorted: so are its elements by their numbers. */
static void take(const struct rarog_part *all, size_t n, struct shuffled *shuffled)
{
	double *x = shuffled->room, *y = x + all->n, *weights = y + all->n;

	memcpy(shuffled->taken, shuffled->order, n * sizeof(size_t));
	qsort(shuffled->taken, n, sizeof(size_t), compare);
	for (size_t i = 0; i < n; i++) {
		size_t from = shuffled->taken[i];

		x[i] = all->x[from];
		y[i] = all->y[from];
		weights[i] = all->weights ? all->weights[from] : 1;
	}
	shuffled->part = (struct rarog_part){ n, x, y, all->weights ? weights : NULL };
}

static int refit(const struct rarog_part *part, const struct rarog_pieces_options *options,
		 struct rarog_model *model)
{
	struct rarog_model_options with = options->model;
	struct rarog_model next = { 0 };
	int r;

	with.weights = part->weights;
	r = rarog_model_fit(model->family, part->n, part->x, part->y, &with, &next);
	if (r == 0) {
		rarog_model_release(model);
		*model = next;
	}
	return r;
}

/* The one of the largest r2, of whatever part it has seen. */
static size_t leader(const struct rarog_models *models)
{
	size_t best = 0;

	for (size_t i = 1; i < models->n; i++)
		if (models->v[i].family->n_coefficients > 0 && models->v[i].r2 > models->v[best].r2)
			best = i;
	return best;
}

/* Only @keep is left. */
static void keep_one(struct rarog_models *models, size_t keep)
{
	struct rarog_model kept = rarog_take_struct(models->v[keep]);

	rarog_models_release(models);
	models->v[0] = kept;
	models->n = 1;
}

static int extend(const struct rarog_part *all, const struct rarog_pieces_options *options,
		  size_t steps, struct shuffled *shuffled, struct rarog_models *models)
{
	size_t parts[RAROG_MODEL_FAMILIES_MAX], best;

	for (size_t i = 0; i < RAROG_MODEL_FAMILIES_MAX; i++)
		parts[i] = 1;
	for (;;) {
		best = leader(models);
		if (parts[best] == steps)
			break;
		take(all, all->n * ++parts[best] / steps, shuffled);
		int r = refit(&shuffled->part, options, &models->v[best]);

		if (r == -EDOM) /* of more points it knows nothing */
			models->v[best].r2 = -INFINITY;
		else if (r < 0)
			return r;
	}
	keep_one(models, best);
	return 0;
}

static int begin(const struct rarog_part *all, const struct rarog_pieces_options *options,
		 size_t steps, struct shuffled *shuffled, struct rarog_piece *piece)
{
	int r;

	if (all->n < 3 * steps)
		return rarog_fail(-EDOM, "%zu points are too few for %zu parts", all->n, steps);
	r = shuffle(all, options->model.seed, shuffled);
	if (r < 0)
		return r;
	take(all, all->n / steps, shuffled);
	return rarog_piece_fit(&shuffled->part, options, piece);
}

static int fit_random(const struct rarog_part *all, const struct rarog_pieces_options *options,
		      struct rarog_pieces *pieces)
{
	size_t steps = options->steps ? options->steps : STEPS;
	rarog_cleanup(shuffled_release) struct shuffled shuffled = { 0 };
	struct rarog_piece piece = { 0 };
	int r = begin(all, options, steps, &shuffled, &piece);

	if (r == 0 && piece.models.n == 0)
		r = rarog_fail(-EDOM, "no model fits the first of %zu parts", steps);
	if (r == 0 && options->method == RAROG_METHOD_ITERATIVE)
		r = extend(all, options, steps, &shuffled, &piece.models);
	if (r == 0 && options->method == RAROG_METHOD_INITIAL_GUESS) {
		size_t best = piece.choice.best ? (size_t)(piece.choice.best - piece.models.v) : 0;

		keep_one(&piece.models, best);
		r = refit(all, options, &piece.models.v[0]);
	}
	if (r < 0) {
		rarog_models_release(&piece.models);
		return r;
	}
	piece.from = all->x[0];
	piece.to = all->x[all->n - 1];
	piece.n = all->n;
	return rarog_piece_add(pieces, &piece);
}

/* --- all methods --- */

static int (*const methods[])(const struct rarog_part *all,
			      const struct rarog_pieces_options *options,
			      struct rarog_pieces *pieces) = {
	[RAROG_METHOD_FULL] = fit_add,
	[RAROG_METHOD_ITERATIVE] = fit_random,
	[RAROG_METHOD_INTERVAL] = fit_intervals,
	[RAROG_METHOD_INITIAL_GUESS] = fit_random,
	[RAROG_METHOD_BISECTION] = fit_bisection,
	[RAROG_METHOD_SEGMENTS] = rarog_pieces_of_segments,
};

/* What saw a single family on all points cannot exclude another. */
static void say_so(struct rarog_pieces *pieces)
{
	for (size_t i = 0; i < pieces->n; i++) {
		struct rarog_choice *choice = &pieces->v[i].choice;

		choice->is_told = false;
		snprintf(choice->reason, sizeof(choice->reason),
			 "only one family was fitted to all points; --method full compares all");
	}
}

int rarog_pieces_fit(size_t n, const double x[], const double y[],
		     const struct rarog_pieces_options *options, struct rarog_pieces *ret_pieces)
{
	rarog_cleanup(rarog_pieces_release) struct rarog_pieces pieces = { 0 };
	struct rarog_part all = { n, x, y, options->model.weights };
	int r = methods[options->method](&all, options, &pieces);

	if (r < 0)
		return r;
	choose_again(options, &pieces);
	if (methods[options->method] == fit_random)
		say_so(&pieces);
	*ret_pieces = rarog_take_struct(pieces);
	return 0;
}
