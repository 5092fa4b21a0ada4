/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/record-place.h"

#include <errno.h>
#include <string.h>

static bool is_same(struct rarog_place a, struct rarog_place b)
{
	return a.line == b.line && a.column == b.column;
}

/* @place is the last of those that are kept, and was the @at-th. */
static void keep(struct rarog_place kept[RAROG_PLACES_KEPT], struct rarog_place place, uint32_t at)
{
	if (at == RAROG_PLACES_KEPT)
		at--;
	memmove(kept + 1, kept, at * sizeof(*kept));
	kept[0] = place;
}

static uint32_t index_of(const struct rarog_place kept[RAROG_PLACES_KEPT], struct rarog_place place)
{
	uint32_t at = 0;

	while (at < RAROG_PLACES_KEPT && !is_same(kept[at], place))
		at++;
	return at;
}

static struct rarog_place code_place(struct rarog_coder *s, struct rarog_place_odds *odds,
				     struct rarog_recent *recent, struct rarog_place place)
{
	struct rarog_place *last = &recent->last, *kept = recent->kept;
	uint32_t at = index_of(kept, place);
	bool is_line;

	if (rarog_coder_bit(s, &odds->is_same, is_same(place, *last)))
		return *last;
	if (rarog_coder_bit(s, &odds->is_kept, at < RAROG_PLACES_KEPT)) {
		at = rarog_coder_number(s, &odds->kept, at);
		if (at >= RAROG_PLACES_KEPT)
			s->error = s->error ? s->error : -EINVAL;
		else
			place = kept[at];
	} else {
		place.line =
			rarog_coder_near(s, odds->line, &odds->is_below, last->line, place.line);
		is_line = place.line == last->line;
		place.column = rarog_coder_number(s, &odds->column[is_line], place.column);
		at = RAROG_PLACES_KEPT;
	}
	if (s->error == 0)
		keep(kept, place, at);
	*last = place;
	return place;
}

uint32_t rarog_place_code_frame(struct rarog_places *p, struct rarog_record_block *block)
{
	struct rarog_place_models *m = p->m;
	uint32_t frame = block->frame + 1, n; /* 0: none */

	if (rarog_coder_bit(p->s, &m->is_same_frame, frame == p->frame)) {
		block->frame = p->frame - 1;
		return 0;
	}
	if (p->frame > 0 && !rarog_coder_bit(p->s, &m->has_frame, frame > 0)) {
		p->frame = 0;
		block->frame = RAROG_RECORD_NONE;
		return 0;
	}
	if (rarog_coder_bit(p->s, &m->is_new_frame, frame > p->n_frames)) {
		n = rarog_coder_number(p->s, &m->n_new, frame - p->n_frames - 1) + 1;
		p->frame = p->n_frames + n;
		block->frame = p->frame - 1;
		return n;
	}
	n = rarog_coder_number(p->s, &m->frame, p->n_frames - frame);
	if (n >= p->n_frames)
		p->s->error = p->s->error ? p->s->error : -EINVAL;
	p->frame = p->s->error ? 0 : p->n_frames - n;
	block->frame = p->frame - 1;
	return 0;
}

/* Which frame before has the name of @number; itself if none has. */
static uint32_t find_name(const struct rarog_record_frame *frames, uint32_t number)
{
	uint32_t i = number;

	while (i-- > 0)
		if (frames[i].name == frames[number].name && frames[i].file == frames[number].file)
			return i;
	return number;
}

static void code_name(struct rarog_places *p, struct rarog_record_frame *frame)
{
	struct rarog_record_frame *frames = p->record->frames;
	struct rarog_place_models *m = p->m;
	uint32_t known = p->s->is_reading ? 0 : find_name(frames, p->n_frames);

	if (p->n_frames > 0 && !rarog_coder_bit(p->s, &m->is_new_name, known == p->n_frames)) {
		known = rarog_coder_number(p->s, &m->name, p->n_frames - 1 - known);
		if (known >= p->n_frames)
			p->s->error = p->s->error ? p->s->error : -EINVAL;
		if (p->s->error < 0)
			return;
		frame->name = frames[p->n_frames - 1 - known].name;
		frame->file = frames[p->n_frames - 1 - known].file;
		return;
	}
	frame->name = rarog_coder_near(p->s, m->text, &m->is_earlier, p->text, frame->name);
	p->text = frame->name + 1;
	if (rarog_coder_bit(p->s, &m->is_own_file, frame->file == p->record->file_text))
		frame->file = p->record->file_text;
	else
		frame->file = rarog_coder_number(p->s, &m->file, frame->file);
}

static void code_parent(struct rarog_places *p, struct rarog_record_frame *frame, bool is_first)
{
	uint32_t back = frame->parent == RAROG_RECORD_NONE ? 0 : p->n_frames - frame->parent;

	back = is_first ? rarog_coder_number(p->s, &p->m->parent, back) : 1;
	if (back > p->n_frames)
		p->s->error = p->s->error ? p->s->error : -EINVAL;
	if (p->s->error < 0)
		return;
	frame->parent = back == 0 ? RAROG_RECORD_NONE : p->n_frames - back;
	frame->outermost = back == 0 ? p->n_frames : p->record->frames[frame->parent].outermost;
}

static struct rarog_recent *within(struct rarog_places *p, uint32_t frame)
{
	return &p->within[p->record->frames[frame].name % RAROG_PLACES_TABLES];
}

void rarog_place_code_new(struct rarog_places *p, bool is_first)
{
	struct rarog_record_frame *frame = &p->record->frames[p->n_frames];
	struct rarog_place place = { frame->line, frame->column };

	code_parent(p, frame, is_first);
	code_name(p, frame);
	if (p->s->error < 0)
		return;
	if (frame->parent == RAROG_RECORD_NONE)
		place = code_place(p->s, &p->m->own, &p->own, place);
	else
		place = code_place(p->s, &p->m->call, within(p, frame->parent), place);
	frame->line = place.line;
	frame->column = place.column;
	p->n_frames++;
}

void rarog_place_code(struct rarog_places *p, struct rarog_record_block *block)
{
	struct rarog_place place = { block->line, block->column };
	const struct rarog_record_frame *outermost;

	if (p->s->error < 0)
		return;
	if (block->frame == RAROG_RECORD_NONE) {
		place = code_place(p->s, &p->m->own, &p->own, place);
		block->line = place.line;
		block->column = place.column;
		return;
	}
	outermost = &p->record->frames[p->record->frames[block->frame].outermost];
	block->line = outermost->line;
	block->column = outermost->column;
	p->own.last = (struct rarog_place){ block->line, block->column };
	place = (struct rarog_place){ block->inner_line, block->inner_column };
	place = code_place(p->s, &p->m->inner, within(p, block->frame), place);
	block->inner_line = place.line;
	block->inner_column = place.column;
}
