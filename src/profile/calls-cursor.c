/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls one block at a time, in constant memory. A cursor has buffers of its own: several may walk
 * one profile.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "profile/block-file.h"
#include "profile/calls-codec.h"
#include "profile/reader.h"

struct rarog_calls_cursor {
	const struct rarog_block_file *file;
	size_t next; /* block */
	uint32_t strand;
	size_t n_locations, n_strands;
	struct rarog_block_scratch scratch;
	struct rarog_calls_decoder decoder;
};

int rarog_calls_cursor_new(struct rarog_profile *p, uint32_t strand,
			   struct rarog_calls_cursor **ret_cursor)
{
	const struct rarog_location *locations;
	const struct rarog_strand *strands;
	long n_locations = rarog_profile_locations(p, &locations);
	long n_strands = n_locations < 0 ? n_locations : rarog_profile_strands(p, &strands);

	if (n_strands < 0)
		return (int)n_strands;
	if (strand != RAROG_NONE && strand >= (size_t)n_strands)
		return rarog_fail(-EINVAL, "%s: there is no strand %u", rarog_profile_path(p),
				  strand);
	struct rarog_calls_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return rarog_oom();
	cursor->file = rarog_profile_file(p);
	cursor->strand = strand;
	cursor->n_locations = (size_t)n_locations;
	cursor->n_strands = (size_t)n_strands;
	*ret_cursor = cursor;
	return 0;
}

void rarog_calls_cursor_free(struct rarog_calls_cursor *cursor)
{
	if (!cursor)
		return;
	rarog_block_scratch_release(&cursor->scratch);
	rarog_calls_decoder_release(&cursor->decoder);
	free(cursor);
}

static int read_calls(struct rarog_calls_cursor *cursor, const struct rarog_block *block,
		      struct rarog_calls *ret_calls)
{
	struct rarog_byte_cursor bytes;
	int r = rarog_block_read(cursor->file, block, &cursor->scratch, &bytes);

	if (r < 0)
		return r;
	if (block->strand >= cursor->n_strands)
		return rarog_block_damaged(cursor->file, block, "it is of an unknown strand");
	r = rarog_calls_decode(&cursor->decoder, &bytes, block->count, cursor->n_locations,
			       ret_calls);
	if (r < 0)
		return r == -EBADMSG ? rarog_block_damaged(cursor->file, block, "it makes no sense")
				     : r;
	ret_calls->strand = block->strand;
	ret_calls->start_ticks = block->first;
	return 1;
}

int rarog_calls_next(struct rarog_calls_cursor *cursor, struct rarog_calls *ret_calls)
{
	while (cursor->next < cursor->file->n) {
		const struct rarog_block *block = &cursor->file->blocks[cursor->next++];

		if (block->kind != RAROG_BLOCK_CALLS)
			continue;
		if (cursor->strand == RAROG_NONE || cursor->strand == block->strand)
			return read_calls(cursor, block, ret_calls);
	}
	return 0;
}
