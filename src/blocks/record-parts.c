/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Without optimisation most functions have none; with it there are several to a block. So odds
 * begin even here, and learn.
 */
#include "blocks/record-parts.h"

#include <errno.h>
#include <stdlib.h>

struct models {
	struct rarog_number_odds n, frame, file, line[2];
	struct rarog_number_odds more, parent, name, call, column, begins[2];
	struct rarog_odds is_same_frame, is_own_file, is_before, is_made, ends, is_above, stops;
};

struct parts {
	struct rarog_coder *s;
	struct rarog_block_record *record;
	struct models *m;
	size_t frames, capacity; /* there is room for so many frames and parts, when reading */
	struct rarog_record_part last;
};

static bool has_room(struct parts *p, void **items, size_t n, size_t *capacity, size_t size)
{
	void *more;

	if (!p->s->is_reading || n < *capacity)
		return true;
	more = reallocarray(*items, 2 * *capacity + 16, size);
	if (!more) {
		p->s->error = -ENOMEM;
		return false;
	}
	*items = more;
	*capacity = 2 * *capacity + 16;
	return true;
}

static void refuse(struct parts *p)
{
	p->s->error = p->s->error ? p->s->error : -EINVAL;
}

/* --- frames --- */

static void code_frame(struct parts *p, uint32_t number)
{
	struct rarog_record_frame *frame = &p->record->frames[number];
	uint32_t back;

	if (p->s->is_reading)
		*frame = (struct rarog_record_frame){ .parent = RAROG_RECORD_NONE };
	back = frame->parent == RAROG_RECORD_NONE ? 0 : number - frame->parent;
	back = rarog_coder_number(p->s, &p->m->parent, back);
	if (back > number) {
		refuse(p);
		return;
	}
	frame->parent = back == 0 ? RAROG_RECORD_NONE : number - back;
	frame->outermost = back == 0 ? number : p->record->frames[frame->parent].outermost;
	frame->name = rarog_coder_number(p->s, &p->m->name, frame->name);
	frame->file = rarog_coder_number(p->s, &p->m->file, frame->file);
	frame->line = rarog_coder_number(p->s, &p->m->call, frame->line);
	frame->column = rarog_coder_number(p->s, &p->m->column, frame->column);
}

static void code_frames(struct parts *p, uint32_t first)
{
	struct rarog_block_record *record = p->record;
	uint32_t n = rarog_coder_number(p->s, &p->m->more, record->n_frames - first);

	p->frames = first;
	for (uint32_t i = first; i - first < n && p->s->error == 0; i++) {
		if (!has_room(p, (void **)&record->frames, i, &p->frames, sizeof(*record->frames)))
			return;
		code_frame(p, i);
		if (p->s->is_reading)
			record->n_frames = i + 1;
	}
}

static uint32_t find_function(const struct rarog_record_frame *frames, uint32_t number)
{
	uint32_t i = 0;

	while (frames[i].name != frames[number].name || frames[i].file != frames[number].file)
		i++;
	return i;
}

/* Once for each function. */
static void code_begins(struct parts *p)
{
	struct rarog_record_frame *frames = p->record->frames;
	uint32_t line = 0;

	for (uint32_t i = 0; i < p->record->n_frames && p->s->error == 0; i++) {
		uint32_t known = find_function(frames, i);

		if (known < i) {
			frames[i].begins = frames[known].begins;
			continue;
		}
		line = rarog_coder_near(p->s, p->m->begins, &p->m->is_above, line,
					frames[i].begins);
		frames[i].begins = line;
	}
}

/* --- parts --- */

static void code_part(struct parts *p, struct rarog_record_part *part)
{
	struct rarog_coder *s = p->s;
	uint32_t own = RAROG_RECORD_NONE;
	uint32_t flags = part->flags;

	if (rarog_coder_bit(s, &p->m->is_same_frame, part->frame == p->last.frame))
		part->frame = p->last.frame;
	else
		part->frame = rarog_coder_number(s, &p->m->frame, part->frame + 1) - 1;
	if (part->frame != RAROG_RECORD_NONE && part->frame >= p->record->n_frames) {
		refuse(p);
		return;
	}
	if (part->frame != RAROG_RECORD_NONE)
		own = p->record->frames[part->frame].file;
	if (rarog_coder_bit(s, &p->m->is_own_file, part->file == own))
		part->file = own;
	else
		part->file = rarog_coder_number(s, &p->m->file, part->file);
	part->line = rarog_coder_near(s, p->m->line, &p->m->is_before, p->last.line, part->line);
	part->flags = rarog_coder_bit(s, &p->m->is_made, flags & RAROG_LINE_IS_MADE)
			      ? RAROG_LINE_IS_MADE
			      : 0;
	part->flags |=
		rarog_coder_bit(s, &p->m->ends, flags & RAROG_LINE_ENDS) ? RAROG_LINE_ENDS : 0;
	p->last = *part;
}

static void code_block(struct parts *p, struct rarog_record_block *block)
{
	struct rarog_block_record *record = p->record;
	uint32_t n = rarog_coder_number(p->s, &p->m->n, block->n_parts);

	if (rarog_coder_bit(p->s, &p->m->stops, block->flags & RAROG_RECORD_STOPS))
		block->flags |= RAROG_RECORD_STOPS;
	if (p->s->is_reading)
		block->first_part = record->n_parts;
	block->n_parts = 0;
	for (uint32_t i = 0; i < n && p->s->error == 0; i++) {
		uint32_t at = block->first_part + i;

		if (!has_room(p, (void **)&record->parts, at, &p->capacity, sizeof(*record->parts)))
			return;
		if (p->s->is_reading)
			record->parts[at] = (struct rarog_record_part){ 0 };
		code_part(p, &record->parts[at]);
		block->n_parts++;
	}
	if (p->s->is_reading)
		record->n_parts += block->n_parts;
}

void rarog_record_code_parts(struct rarog_coder *s, struct rarog_block_record *record,
			     uint32_t n_frames)
{
	struct parts p = { .s = s,
			   .record = record,
			   .m = calloc(1, sizeof(*p.m)),
			   .last = { .frame = RAROG_RECORD_NONE } };

	if (!p.m)
		s->error = -ENOMEM;
	else if (s->error == 0)
		code_frames(&p, n_frames);
	if (s->error == 0)
		code_begins(&p);
	for (size_t i = 0; i < record->flow.n_blocks && s->error == 0; i++)
		code_block(&p, &record->blocks[i]);
	free(p.m);
}
