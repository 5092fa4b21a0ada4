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

int rarog_block_inlined_write(struct rarog_profile_writer *writer,
			      const struct rarog_block_record *record, uint32_t first_block,
			      struct rarog_binary *binary, const struct rarog_function *function)
{
	rarog_cleanup(rarog_freep) uint32_t *rows = calloc(record->n_frames + 1, sizeof(*rows));
	struct inlined in = { writer, record, binary, function, rows };
	int r = rows ? 0 : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < record->n_frames; i++)
		r = add_frame(&in, i);
	for (uint32_t i = 0; r == 0 && i < record->flow.n_blocks; i++)
		if (record->blocks[i].frame != RAROG_RECORD_NONE)
			r = add_origin(&in, first_block + i, &record->blocks[i]);
	return r;
}
