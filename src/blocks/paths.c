/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/paths.h"

#include <errno.h>

#include "base/error.h"
#include "base/lower-bound.h"

int rarog_path_list_read(struct rarog_profile *profile, struct rarog_path_list *ret_paths)
{
	struct rarog_path_list paths = { 0 };
	long n = rarog_profile_paths(profile, &paths.list);
	long n_blocks = n < 0 ? n : rarog_profile_path_blocks(profile, &paths.blocks);

	if (n_blocks < 0)
		return (int)n_blocks;
	paths.n = (size_t)n;
	paths.n_blocks = (size_t)n_blocks;
	*ret_paths = paths;
	return 0;
}

/* Functions stand in the order of their blocks. */
static const struct rarog_tally_function *function_of(const struct rarog_tally *tally,
						      uint32_t block)
{
	size_t behind = rarog_lower_bound(i, tally->n, tally->functions[i].first <= block);

	return &tally->functions[behind > 0 ? behind - 1 : 0];
}

static bool is_inside(const struct rarog_tally_function *function, uint32_t block)
{
	return block >= function->first && block - function->first < function->n;
}

static bool measure(const struct rarog_tally *tally, struct rarog_path_steps *steps)
{
	const struct rarog_path *path = steps->path;

	steps->size = tally->blocks[path->block].instructions;
	for (uint32_t i = 0; i < path->n_more; i++) {
		if (!is_inside(steps->function, steps->more[i].block))
			return false;
		steps->size += tally->blocks[steps->more[i].block].instructions;
	}
	steps->instructions = steps->size * path->count;
	return is_inside(steps->function, path->block) &&
	       (path->next == RAROG_NONE || is_inside(steps->function, path->next));
}

int rarog_path_list_next(struct rarog_path_list *paths, const struct rarog_tally *tally,
			 struct rarog_path_steps *ret_steps)
{
	struct rarog_path_steps steps;

	if (paths->at == paths->n)
		return 0;
	steps.path = &paths->list[paths->at];
	steps.more = paths->blocks + paths->at_block;
	if (tally->n == 0 || steps.path->n_more > paths->n_blocks - paths->at_block)
		return rarog_fail(-EBADMSG, "section paths is damaged: path %zu has no blocks",
				  paths->at);
	steps.function = function_of(tally, steps.path->block);
	if (!measure(tally, &steps))
		return rarog_fail(-EBADMSG,
				  "section paths is damaged: path %zu leads out of its "
				  "function",
				  paths->at);
	paths->at++;
	paths->at_block += steps.path->n_more;
	*ret_steps = steps;
	return 1;
}

int rarog_path_heaviest_first(const void *a, const void *b)
{
	const struct rarog_path_steps *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions < y->instructions ? 1 : -1;
	return (x->path > y->path) - (x->path < y->path);
}
