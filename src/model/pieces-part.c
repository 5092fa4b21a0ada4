/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the points, and lists of what was fitted to them. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/pieces-own.h"

void rarog_pieces_release(struct rarog_pieces *pieces)
{
	for (size_t i = 0; i < pieces->n; i++)
		rarog_models_release(&pieces->v[i].models);
	free(pieces->v);
	*pieces = (struct rarog_pieces){ 0 };
}

int rarog_piece_add(struct rarog_pieces *pieces, struct rarog_piece *take_piece)
{
	struct rarog_piece *v = realloc(pieces->v, (pieces->n + 1) * sizeof(*v));

	if (!v) {
		rarog_models_release(&take_piece->models);
		return rarog_oom();
	}
	pieces->v = v;
	v[pieces->n++] = *take_piece;
	*take_piece = (struct rarog_piece){ 0 };
	return 0;
}

int rarog_piece_fit(const struct rarog_part *part, const struct rarog_pieces_options *options,
		    struct rarog_piece *ret_piece)
{
	struct rarog_model_options model = options->model;
	struct rarog_piece piece = { .n = part->n };
	int r;

	if (part->n < 3)
		return rarog_fail(-EDOM, "%zu points are too few for a model of their own",
				  part->n);
	piece.from = part->x[0];
	piece.to = part->x[part->n - 1];
	model.weights = part->weights;
	r = rarog_models_fit(part->n, part->x, part->y, &model, &piece.models);
	if (r < 0)
		return r;
	*ret_piece = piece;
	rarog_models_choose(&ret_piece->models, options->rule, &ret_piece->choice);
	return 0;
}

struct rarog_part rarog_part_of(const struct rarog_part *all, size_t from, size_t to)
{
	return (struct rarog_part){ .n = to - from,
				    .x = all->x + from,
				    .y = all->y + from,
				    .weights = all->weights ? all->weights + from : NULL };
}
