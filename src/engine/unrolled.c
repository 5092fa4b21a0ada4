/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A statement that each round of a loop begins has one mark on every way round it, and k where the
 * compiler has made one round of k (statement-marks.h). A statement that is under a condition has
 * more marks on one way than on another: it tells nothing. Of the others the one with the fewest
 * marks tells the factor: what is inlined twice has twice as many, and marks that stand before the
 * loop without code of their own seem to be in it; a copy never loses one. More than 1 needs two
 * statements that say so: all statements of a macro have one place.
 *
 * An inner loop is passed in one step. One that was unrolled as a whole has more marks of its own
 * statements, but not of those of the loop around it.
 */
#include "engine/unrolled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/statement-marks.h"
#include "blocks/loops.h"

#define BLOCKS_MOST 1024 /* of a loop, so that no function takes long */

struct way {
	uint32_t from, to; /* steps */
};

/* Fewest and most marks of one statement on the ways from the header through a step. */
struct passed {
	uint32_t here; /* in the step itself */
	uint32_t fewest, most;
};

struct mark {
	struct rarog_statement_mark at;
	uint32_t step;
};

/* One loop. Steps are named by a block: itself, or the header of an inner loop. */
struct round {
	uint32_t number, header;
	RAROG_VEC(struct way) ways; /* none back to the header */
	RAROG_VEC(uint32_t) ends;   /* steps that lead there */
	RAROG_VEC(struct mark) marks;
};

struct finder {
	const struct rarog_code_of_blocks *code;
	struct rarog_loops loops;
	uint32_t *order;       /* [n], steps of a round */
	uint32_t *waiting;     /* [n], ways to a step that were not yet looked at */
	uint32_t *copies;      /* [n], of the loop that this block is the header of; 0: not known */
	struct passed *passed; /* [n] */
};

/* --- the steps of a round --- */

/* RAROG_NONE: @block is not in the loop */
static uint32_t step_of(const struct finder *f, const struct round *round, uint32_t block)
{
	uint32_t at = f->loops.innermost[block], step = block;

	while (at != round->number && at != RAROG_NONE) {
		step = f->loops.list.v[at].header;
		at = f->loops.list.v[at].parent;
	}
	return at == round->number ? step : RAROG_NONE;
}

static int add_ways(const struct finder *f, struct round *round)
{
	const struct rarog_code_of_blocks *c = f->code;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < c->n_edges; i++) {
		const struct way way = { step_of(f, round, c->edges[i].from - c->first),
					 step_of(f, round, c->edges[i].to - c->first) };

		if (way.from == RAROG_NONE || way.to == RAROG_NONE)
			continue;
		if (way.to == round->header)
			r = rarog_vec_push(&round->ends, way.from);
		else if (way.from != way.to)
			r = rarog_vec_push(&round->ways, way);
	}
	return r < 0 ? rarog_oom() : 0;
}

/* The ways from @step come next, @n steps are in order: so does what the last way leads to. */
static void look_at_step(struct finder *f, struct round *round, uint32_t step, size_t *done,
			 uint32_t *n)
{
	struct way *ways = round->ways.v;

	for (size_t i = *done; i < round->ways.n; i++) {
		const struct way way = ways[i];

		if (way.from != step)
			continue;
		ways[i] = ways[*done];
		ways[(*done)++] = way;
		if (--f->waiting[way.to] == 0)
			f->order[(*n)++] = way.to;
	}
}

/* So that all ways to a step stand before those from it. */
static void sort_ways(struct finder *f, struct round *round)
{
	size_t done = 0;
	uint32_t n = 1;

	memset(f->waiting, 0, f->code->n * sizeof(*f->waiting));
	for (size_t i = 0; i < round->ways.n; i++)
		f->waiting[round->ways.v[i].to]++;
	f->order[0] = round->header;
	for (uint32_t i = 0; i < n; i++)
		look_at_step(f, round, f->order[i], &done, &n);
}

/* --- statements --- */

/* Return: 0; -ENODATA: some code has no marks; -ENOMEM. */
static int add_marks(const struct finder *f, struct round *round)
{
	long n = 0;
	int r = 0;

	for (uint32_t b = 0; r == 0 && n >= 0 && b < f->code->n; b++) {
		struct rarog_statement_marks found = { 0 };
		const struct rarog_code_piece *piece = &f->code->pieces[b];

		if (f->loops.innermost[b] != round->number || piece->size == 0)
			continue;
		n = rarog_statement_marks_add(f->code->binary, piece->address, piece->size, &found);
		for (size_t i = 0; n >= 0 && r == 0 && i < found.v.n; i++)
			r = rarog_vec_push(&round->marks, (struct mark){ found.v.v[i], b });
		rarog_statement_marks_release(&found);
	}
	return r < 0 ? rarog_oom() : n < 0 ? (int)n : 0;
}

static int by_statement(const void *a, const void *b)
{
	const struct rarog_statement_mark *x = &((const struct mark *)a)->at;
	const struct rarog_statement_mark *y = &((const struct mark *)b)->at;

	if (x->file != y->file)
		return (uintptr_t)x->file < (uintptr_t)y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

static void pass(struct passed *to, const struct passed *from)
{
	uint32_t fewest = from->fewest + to->here, most = from->most + to->here;

	to->fewest = fewest < to->fewest ? fewest : to->fewest;
	to->most = most > to->most ? most : to->most;
}

/* How many marks of the statement that @marks are of a round passes; 0: not always as many. */
static uint32_t count_passed(struct finder *f, const struct round *round, size_t n,
			     const struct mark marks[n])
{
	struct passed all = { .fewest = UINT32_MAX };

	for (uint32_t i = 0; i < f->code->n; i++)
		f->passed[i] = (struct passed){ .fewest = UINT32_MAX / 2 };
	for (size_t i = 0; i < n; i++)
		f->passed[marks[i].step].here++;
	f->passed[round->header].fewest = f->passed[round->header].most =
		f->passed[round->header].here;
	for (size_t i = 0; i < round->ways.n; i++)
		pass(&f->passed[round->ways.v[i].to], &f->passed[round->ways.v[i].from]);
	for (size_t i = 0; i < round->ends.n; i++)
		pass(&all, &f->passed[round->ends.v[i]]);
	return all.fewest == all.most ? all.most : 0;
}

/* 0: not known */
static uint32_t count_copies(struct finder *f, struct round *round)
{
	uint32_t fewest = 0, n_fewest = 0;

	if (round->marks.n > 1)
		qsort(round->marks.v, round->marks.n, sizeof(*round->marks.v), by_statement);
	for (size_t i = 0, end; i < round->marks.n; i = end) {
		uint32_t passed;

		for (end = i + 1; end < round->marks.n &&
				  by_statement(&round->marks.v[i], &round->marks.v[end]) == 0;)
			end++;
		passed = count_passed(f, round, end - i, &round->marks.v[i]);
		if (passed == 0 || (fewest > 0 && passed > fewest))
			continue;
		n_fewest = passed == fewest ? n_fewest + 1 : 1;
		fewest = passed;
	}
	return fewest > 1 && n_fewest < 2 ? 0 : fewest;
}

/* --- all --- */

/* Return: 0, also if it is not known; -ENOMEM. */
static int look_at_loop(struct finder *f, uint32_t number, uint32_t *ret_copies)
{
	struct round round = { .number = number, .header = f->loops.list.v[number].header };
	int r = add_marks(f, &round);

	if (r == 0)
		r = add_ways(f, &round);
	if (r == 0) {
		sort_ways(f, &round);
		*ret_copies = count_copies(f, &round);
	}
	rarog_vec_release(&round.ways);
	rarog_vec_release(&round.ends);
	rarog_vec_release(&round.marks);
	return r == -ENODATA ? 0 : r;
}

static int look_at_all(struct finder *f)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < f->loops.list.n; i++) {
		const struct rarog_loop *loop = &f->loops.list.v[i];

		if (!loop->is_irreducible && loop->n_blocks <= BLOCKS_MOST)
			r = look_at_loop(f, i, &f->copies[loop->header]);
	}
	return r;
}

static int find_loops(struct finder *f)
{
	const struct rarog_code_of_blocks *c = f->code;
	rarog_cleanup(rarog_freep) struct rarog_block_count *blocks = calloc(c->n, sizeof(*blocks));
	rarog_cleanup(rarog_freep) struct rarog_edge_count *edges =
		calloc(c->n_edges + 1, sizeof(*edges));
	const struct rarog_tally tally = {
		.blocks = blocks, .n_blocks = c->n, .edges = edges, .n_edges = c->n_edges
	};
	const struct rarog_tally_function function = { .n = c->n, .n_edges = c->n_edges };

	if (!blocks || !edges)
		return rarog_oom();
	for (uint32_t i = 0; i < c->n_edges; i++)
		edges[i] = (struct rarog_edge_count){ c->edges[i].from - c->first,
						      c->edges[i].to - c->first, 0, false };
	return rarog_loops_find(&tally, &function, &f->loops);
}

static int find(struct finder *f)
{
	size_t n = f->code->n;
	int r = find_loops(f);

	f->order = calloc(n, sizeof(*f->order));
	f->waiting = calloc(n, sizeof(*f->waiting));
	f->copies = calloc(n, sizeof(*f->copies));
	f->passed = calloc(n, sizeof(*f->passed));
	if (!f->order || !f->waiting || !f->copies || !f->passed)
		return rarog_oom();
	return r == 0 ? look_at_all(f) : r;
}

static void finder_release(struct finder *f)
{
	rarog_loops_release(&f->loops);
	free(f->order);
	free(f->waiting);
	free(f->copies);
	free(f->passed);
}

int rarog_unrolled_write(struct rarog_profile_writer *writer,
			 const struct rarog_code_of_blocks *code)
{
	rarog_cleanup(finder_release) struct finder f = { .code = code };
	int r = code->n > 0 && code->n_edges > 0 ? find(&f) : 0;

	for (uint32_t i = 0; r == 0 && f.copies && i < code->n; i++) {
		const struct rarog_unrolled row = { code->first + i, f.copies[i] };

		if (row.copies > 0)
			r = rarog_profile_add_unrolled(writer, 1, &row);
	}
	return r;
}
