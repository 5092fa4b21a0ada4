/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles of calls have a table of what was inlined into what was measured. Those of blocks say of
 * the code of each block from where it was inlined, which is the same, block by block.
 */
#include "view/term/inlined.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct search {
	const struct rarog_show *show;
	struct rarog_inlined_sheet *list;
	uint8_t *verdicts; /* of frames: 0: not asked yet */
	size_t first;      /* the first entry of the same host */
};

enum { OTHER = 1, WANTED };

static int add_table(struct search *s)
{
	const struct rarog_inlined_into *inlined;
	long n = rarog_profile_inlined(s->show->run.profile, &inlined);
	int r = n < 0 ? (int)n : 0;

	for (long i = 0; r == 0 && i < n; i++)
		if (inlined[i].host < s->show->run.n_locations &&
		    rarog_show_matches_symbol(s->show, inlined[i].name) &&
		    rarog_vec_push(&s->list->hosts, inlined[i]) < 0)
			r = rarog_oom();
	return r;
}

static bool is_wanted(struct search *s, uint32_t frame)
{
	const char *name = s->show->tally.frames[frame].name;

	if (s->verdicts[frame] == 0)
		s->verdicts[frame] =
			name && rarog_show_matches_symbol(s->show, name) ? WANTED : OTHER;
	return s->verdicts[frame] == WANTED;
}

static bool is_same_text(const char *one, const char *other)
{
	return one == other || (one && other && strcmp(one, other) == 0);
}

/* The blocks of a function stand together. */
static bool is_known(const struct search *s, const struct rarog_inlined_into *into)
{
	for (size_t i = s->first; i < s->list->hosts.n; i++) {
		const struct rarog_inlined_into *known = &s->list->hosts.v[i];

		if (known->line == into->line && is_same_text(known->name, into->name) &&
		    is_same_text(known->file, into->file))
			return true;
	}
	return false;
}

static int add_frames(struct search *s, uint32_t host, uint32_t frame)
{
	const struct rarog_inline_frame *frames = s->show->tally.frames;

	for (; frame != RAROG_NONE; frame = frames[frame].parent) {
		const struct rarog_inlined_into into = { .name = frames[frame].name,
							 .host = host,
							 .file = frames[frame].file,
							 .line = frames[frame].line };

		if (is_wanted(s, frame) && !is_known(s, &into) &&
		    rarog_vec_push(&s->list->hosts, into) < 0)
			return rarog_oom();
	}
	return 0;
}

static int add_blocks(struct search *s)
{
	const struct rarog_tally *tally = &s->show->tally;
	const struct rarog_inline_frame *frames;
	long n = rarog_profile_frames(s->show->run.profile, &frames);
	uint32_t host = RAROG_NONE;
	int r = n < 0 ? (int)n : 0;

	s->verdicts = n > 0 ? calloc((size_t)n, 1) : NULL;
	if (n > 0 && !s->verdicts)
		return rarog_oom();
	for (size_t i = 0; r == 0 && n > 0 && i < tally->n_origins; i++) {
		const struct rarog_block_origin *origin = &tally->origins[i];

		if (tally->blocks[origin->block].location != host)
			s->first = s->list->hosts.n;
		host = tally->blocks[origin->block].location;
		r = add_frames(s, host, origin->frame);
	}
	return r;
}

int rarog_show_inlined(const struct rarog_show *show, struct rarog_inlined_sheet *ret_list)
{
	struct rarog_inlined_sheet list = { 0 };
	struct search s = { .show = show, .list = &list };
	int r = add_table(&s);

	if (r == 0)
		r = add_blocks(&s);
	free(s.verdicts);
	if (r < 0)
		rarog_inlined_list_release(&list);
	else
		*ret_list = list;
	return r;
}
