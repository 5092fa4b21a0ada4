/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profile's frames are also those of machine code; a page has only what its blocks have, with
 * numbers of their own.
 */
#include "view/html/block-origins.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/vec.h"
#include "view/html/columns.h"

struct data {
	const struct rarog_tally *tally;
	struct rarog_html_texts *files;
	struct rarog_json *json;
	RAROG_VEC(const struct rarog_inline_frame *) list;
	uint32_t *number; /* of the profile's frames, RAROG_NONE: not in the list */
	struct rarog_html_texts names;
};

static void data_release(struct data *data)
{
	rarog_vec_release(&data->list);
	free(data->number);
	rarog_html_texts_release(&data->names);
}

int rarog_html_origins_add_files(const struct rarog_tally *tally, struct rarog_html_texts *files)
{
	long r = 0;

	for (size_t i = 0; r >= -1 && i < tally->n_origins; i++) {
		const struct rarog_block_origin *origin = &tally->origins[i];

		r = rarog_html_texts_index(files, origin->file);
		for (uint32_t at = origin->frame; r >= -1 && at != RAROG_NONE;
		     at = tally->frames[at].parent)
			r = rarog_html_texts_index(files, tally->frames[at].file);
	}
	return r < -1 ? (int)r : 0;
}

/* One more than the greatest frame of a block; those around it stand before it. */
static size_t frames_end(const struct rarog_tally *tally)
{
	size_t end = 0;

	for (size_t i = 0; i < tally->n_origins; i++)
		if (tally->origins[i].frame != RAROG_NONE && tally->origins[i].frame >= end)
			end = (size_t)tally->origins[i].frame + 1;
	return end;
}

/* Marks what blocks have with 0, then numbers that. */
static int find_frames(struct data *data)
{
	const struct rarog_tally *tally = data->tally;
	size_t end = frames_end(tally);
	long r = 0;

	data->number = malloc((end + 1) * sizeof(*data->number));
	if (!data->number)
		return rarog_oom();
	for (size_t i = 0; i < end; i++)
		data->number[i] = RAROG_NONE;
	for (size_t i = 0; i < tally->n_origins; i++)
		for (uint32_t at = tally->origins[i].frame;
		     at != RAROG_NONE && data->number[at] == RAROG_NONE;
		     at = tally->frames[at].parent)
			data->number[at] = 0;
	for (size_t i = 0; r >= -1 && i < end; i++) {
		if (data->number[i] == RAROG_NONE)
			continue;
		data->number[i] = (uint32_t)data->list.n;
		r = rarog_html_texts_index(&data->names, tally->frames[i].name);
		if (r >= -1 && rarog_vec_push(&data->list, &tally->frames[i]) < 0)
			r = -ENOMEM;
	}
	return r < -1 ? rarog_oom() : 0;
}

static uint32_t number_of(const struct data *data, uint32_t frame)
{
	return frame == RAROG_NONE ? RAROG_NONE : data->number[frame];
}

static void write_text(const struct data *data, struct rarog_html_texts *texts, const char *text)
{
	rarog_json_int(data->json, NULL, rarog_html_texts_index(texts, text));
}

static void write_frames(struct data *data)
{
	const struct rarog_inline_frame *const *v = data->list.v;
	struct rarog_json *json = data->json;
	size_t n = data->list.n;

	RAROG_COLUMN(json, "names", data->names.n, i,
		     rarog_json_string(json, NULL, data->names.v[i]));
	rarog_json_object(json, "frames");
	RAROG_COLUMN(json, "parent", n, i, rarog_html_index(json, number_of(data, v[i]->parent)));
	RAROG_COLUMN(json, "name", n, i, write_text(data, &data->names, v[i]->name));
	RAROG_COLUMN(json, "file", n, i, write_text(data, data->files, v[i]->file));
	RAROG_COLUMN(json, "line", n, i, rarog_json_uint(json, NULL, v[i]->line));
	RAROG_COLUMN(json, "column", n, i, rarog_json_uint(json, NULL, v[i]->column));
	rarog_json_end_object(json);
}

static void write_blocks(struct data *data)
{
	const struct rarog_block_origin *v = data->tally->origins;
	struct rarog_json *json = data->json;
	size_t n = data->tally->n_origins;

	RAROG_COLUMN(json, "block", n, i, rarog_json_uint(json, NULL, v[i].block));
	RAROG_COLUMN(json, "frame", n, i, rarog_html_index(json, number_of(data, v[i].frame)));
	RAROG_COLUMN(json, "file", n, i, write_text(data, data->files, v[i].file));
	RAROG_COLUMN(json, "line", n, i, rarog_json_uint(json, NULL, v[i].line));
	RAROG_COLUMN(json, "column", n, i, rarog_json_uint(json, NULL, v[i].column));
}

int rarog_html_origins_write(const struct rarog_tally *tally, struct rarog_html_texts *files,
			     struct rarog_json *json)
{
	rarog_cleanup(
		data_release) struct data data = { .tally = tally, .files = files, .json = json };
	int r = find_frames(&data);

	if (r < 0)
		return r;
	rarog_json_object(json, "inlined");
	write_frames(&data);
	write_blocks(&data);
	rarog_json_end_object(json);
	return 0;
}
