/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compilers name files as they were named to them, often relative to where they ran. The path of
 * the function's own file, which DWARF knows, says where that was.
 */
#include "collect/blocks/inlined.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/binary.h"
#include "blocks/record-texts.h"

struct inlined {
	struct rarog_profile_writer *writer;
	const struct rarog_record *record;
	const char *file;
	uint32_t *rows; /* of the record's frames, once they are written */
};

/* @name below the folder in which the compiler ran; the caller frees. */
static char *full_path(const struct inlined *in, const char *name)
{
	size_t own = strlen(in->record->file), all = in->file ? strlen(in->file) : 0;

	if (strcmp(name, in->record->file) == 0 && in->file)
		return strdup(in->file);
	if (*name == '/' || *in->record->file == '/' || all <= own ||
	    !rarog_ends_with(in->file, in->record->file))
		return strdup(name);
	return rarog_asprintf("%.*s%s", (int)(all - own), in->file, name);
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
	rarog_cleanup(rarog_freep) char *file = full_path(in, text(in, file_of(in, frame->parent)));
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(text(in, frame->name));
	struct rarog_inline_frame row = {
		.parent = frame->parent == RAROG_RECORD_NONE ? RAROG_NONE : in->rows[frame->parent],
		.name = demangled ? demangled : text(in, frame->name),
		.file = file,
		.line = frame->line,
		.column = frame->column,
	};
	long r = file ? rarog_profile_add_frame(in->writer, &row) : rarog_oom();

	in->rows[number] = (uint32_t)r;
	return r < 0 ? (int)r : 0;
}

static int add_origin(struct inlined *in, uint32_t row, const struct rarog_record_block *block)
{
	rarog_cleanup(rarog_freep) char *file = full_path(in, text(in, file_of(in, block->frame)));
	struct rarog_block_origin origin = {
		.block = row,
		.frame = in->rows[block->frame],
		.file = file,
		.line = block->inner_line,
		.column = block->inner_column,
	};

	return file ? rarog_profile_add_origin(in->writer, &origin) : rarog_oom();
}

int rarog_block_inlined_write(struct rarog_profile_writer *writer,
			      const struct rarog_record *record, uint32_t first_block,
			      const char *file)
{
	rarog_cleanup(rarog_freep) uint32_t *rows = calloc(record->n_frames + 1, sizeof(*rows));
	struct inlined in = { writer, record, file, rows };
	int r = rows ? 0 : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < record->n_frames; i++)
		r = add_frame(&in, i);
	for (uint32_t i = 0; r == 0 && i < record->flow.n_blocks; i++)
		if (record->blocks[i].frame != RAROG_RECORD_NONE)
			r = add_origin(&in, first_block + i, &record->blocks[i]);
	return r;
}
