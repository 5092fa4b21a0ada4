/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/inlined.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/binary.h"
#include "blocks/record-texts.h"

struct inlined {
	struct rarog_profile_writer *writer;
	const struct rarog_block_record *record;
	struct rarog_binary *binary;
	const struct rarog_function *function; /* NULL: not known */
	uint32_t *rows;                        /* of the record's frames, once they are written */
	bool *has_begun; /* of a frame: it is said where its function begins */
};

static const char *full_path(const struct inlined *in, const char *name)
{
	const char *path = rarog_binary_source_named(
		in->binary, in->function ? in->function->address : 0, name);

	return path ? path : name;
}

static const char *text(const struct inlined *in, uint32_t number)
{
	return in->record->texts->v[number];
}

static uint32_t file_of(const struct inlined *in, uint32_t frame)
{
	return frame == RAROG_RECORD_NONE ? in->record->file_text : in->record->frames[frame].file;
}

static int add_frame(struct inlined *in, uint32_t number)
{
	const struct rarog_record_frame *frame = &in->record->frames[number];
	const char *file = full_path(in, text(in, file_of(in, frame->parent)));
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(text(in, frame->name));
	struct rarog_inline_frame row = {
		.parent = frame->parent == RAROG_RECORD_NONE ? RAROG_NONE : in->rows[frame->parent],
		.name = demangled ? demangled : text(in, frame->name),
		.file = file,
		.line = frame->line,
		.column = frame->column,
	};
	long r = rarog_profile_add_frame(in->writer, &row);

	in->rows[number] = (uint32_t)r;
	return r < 0 ? (int)r : 0;
}

static int add_origin(struct inlined *in, uint32_t row, const struct rarog_record_block *block)
{
	const char *file = full_path(in, text(in, file_of(in, block->frame)));
	struct rarog_block_origin origin = {
		.block = row,
		.frame = in->rows[block->frame],
		.file = file,
		.line = block->inner_line,
		.column = block->inner_column,
	};

	return rarog_profile_add_origin(in->writer, &origin);
}

/* --- lines --- */

static int add_part(struct inlined *in, uint32_t row, const struct rarog_record_part *part,
		    uint32_t flags)
{
	const struct rarog_block_part line = {
		.block = row,
		.frame = part->frame == RAROG_RECORD_NONE ? RAROG_NONE : in->rows[part->frame],
		.file = full_path(in, text(in, part->file)),
		.line = part->line,
		.flags = flags,
	};

	return rarog_profile_add_part(in->writer, &line);
}

/* Of the frame and those around it, where they were not met before. */
static int add_begins(struct inlined *in, uint32_t row, uint32_t frame)
{
	int r = 0;

	while (r == 0 && frame != RAROG_RECORD_NONE && !in->has_begun[frame]) {
		const struct rarog_record_frame *of = &in->record->frames[frame];
		const struct rarog_record_part begin = { frame, of->file, of->begins, 0 };

		in->has_begun[frame] = true;
		r = add_part(in, row, &begin, RAROG_PART_BEGINS);
		frame = of->parent;
	}
	return r;
}

static int add_parts(struct inlined *in, uint32_t row, const struct rarog_record_block *block)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < block->n_parts; i++) {
		const struct rarog_record_part *part = &in->record->parts[block->first_part + i];
		uint32_t flags = part->flags & RAROG_LINE_IS_MADE ? RAROG_PART_IS_MADE : 0;

		flags |= part->flags & RAROG_LINE_ENDS ? RAROG_PART_ENDS : 0;
		r = add_begins(in, row, part->frame);
		if (r == 0)
			r = add_part(in, row, part, flags);
	}
	return r;
}

int rarog_block_inlined_write(struct rarog_profile_writer *writer,
			      const struct rarog_block_record *record, uint32_t first_block,
			      struct rarog_binary *binary, const struct rarog_function *function)
{
	rarog_cleanup(rarog_freep) uint32_t *rows = calloc(record->n_frames + 1, sizeof(*rows));
	rarog_cleanup(rarog_freep) bool *has_begun = calloc(record->n_frames + 1, 1);
	struct inlined in = { writer, record, binary, function, rows, has_begun };
	int r = rows && has_begun ? 0 : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < record->n_frames; i++)
		r = add_frame(&in, i);
	for (uint32_t i = 0; r == 0 && i < record->flow.n_blocks; i++)
		if (record->blocks[i].frame != RAROG_RECORD_NONE)
			r = add_origin(&in, first_block + i, &record->blocks[i]);
	for (uint32_t i = 0; r == 0 && i < record->flow.n_blocks; i++)
		r = add_parts(&in, first_block + i, &record->blocks[i]);
	return r;
}
