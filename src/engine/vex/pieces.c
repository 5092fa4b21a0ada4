/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One entry for each instruction of each run, with the run's count and whether a piece begins or
 * ends there; sorted by address and size, equal ones added up. Then neighbours are joined.
 */
#include "engine/vex/pieces.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"

struct step {
	uint64_t address, count;
	uint8_t size;
	bool begins, ends; /* a run */
};

struct steps {
	RAROG_VEC(struct step) list;
};

static int by_address(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

static int run_by_address(const void *a, const void *b)
{
	const struct rarog_vex_run *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static int add_steps(struct steps *steps, const struct rarog_vex_run *run)
{
	uint64_t address = run->address;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < run->n; i++) {
		const struct step step = { address, run->count, run->sizes[i], i == 0,
					   i + 1 == run->n };

		r = rarog_vec_push(&steps->list, step);
		address += run->sizes[i];
	}
	return r;
}

static void add_up(struct steps *steps)
{
	size_t n = 0;

	for (size_t i = 0; i < steps->list.n; i++) {
		const struct step *step = &steps->list.v[i];
		struct step *last = n > 0 ? &steps->list.v[n - 1] : NULL;

		if (last && by_address(last, step) == 0) {
			last->count += step->count;
			last->begins |= step->begins;
			last->ends |= step->ends;
		} else {
			steps->list.v[n++] = *step;
		}
	}
	steps->list.n = n;
}

static int join(const struct steps *steps, struct rarog_vex_pieces *pieces)
{
	bool goes_on = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < steps->list.n; i++) {
		const struct step *step = &steps->list.v[i];
		struct rarog_vex_piece *last = goes_on ? &pieces->list.v[pieces->list.n - 1] : NULL;

		if (last && !step->begins && last->address + last->size == step->address &&
		    last->count == step->count) {
			last->n++;
			last->size += step->size;
			last->last = step->size;
		} else {
			r = rarog_vec_push(&pieces->list,
					   (struct rarog_vex_piece){ step->address, step->count, 1,
								     step->size, step->size });
		}
		goes_on = !step->ends;
	}
	return r;
}

int rarog_vex_pieces_make(size_t n, struct rarog_vex_run runs[n],
			  struct rarog_vex_pieces *ret_pieces)
{
	struct rarog_vex_pieces pieces = { 0 };
	struct steps steps = { 0 };
	int r = 0;

	if (n > 1)
		qsort(runs, n, sizeof(*runs), run_by_address);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_steps(&steps, &runs[i]);
	if (r == 0 && steps.list.n > 1)
		qsort(steps.list.v, steps.list.n, sizeof(*steps.list.v), by_address);
	add_up(&steps);
	if (r == 0)
		r = join(&steps, &pieces);
	rarog_vec_release(&steps.list);
	if (r < 0) {
		rarog_vec_release(&pieces.list);
		return rarog_oom();
	}
	*ret_pieces = pieces;
	return 0;
}

void rarog_vex_pieces_release(struct rarog_vex_pieces *pieces)
{
	rarog_vec_release(&pieces->list);
}
