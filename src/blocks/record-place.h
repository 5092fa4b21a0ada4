/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of a record: where in the source its blocks are, and what they were inlined from. */
#ifndef RAROG_BLOCKS_RECORD_PLACE_H
#define RAROG_BLOCKS_RECORD_PLACE_H

#include "blocks/arithmetic-coder.h"
#include "blocks/record.h"

#define RAROG_PLACES_KEPT   16
#define RAROG_PLACES_TABLES 64

struct rarog_place {
	uint32_t line, column;
};

/* Those in one function that were used last: inlined functions share tables, by their names. */
struct rarog_recent {
	struct rarog_place last;
	struct rarog_place kept[RAROG_PLACES_KEPT];
};

/* Places of one kind. */
struct rarog_place_odds {
	struct rarog_odds is_same, is_kept, is_below;
	struct rarog_number_odds kept, line[2], column[2];
};

struct rarog_place_models {
	struct rarog_place_odds own, inner, call;
	struct rarog_odds is_same_frame, has_frame, is_new_frame, is_new_name, is_own_file,
		is_above;
	struct rarog_odds is_earlier;
	struct rarog_number_odds frame, n_new, parent, name, text[2], file, further[2], n_lines;
};

struct rarog_places {
	struct rarog_coder *s;
	struct rarog_block_record *record;
	struct rarog_place_models *m;
	uint32_t n_frames, frame; /* coded; of the block before, and 1 */
	uint32_t text;            /* after the last name that was new */
	struct rarog_recent own, within[RAROG_PLACES_TABLES]; /* the function; those inlined */
};

/* The number of the frame of @block. Returns how many frames are new, which are to be coded next.
 */
uint32_t rarog_place_code_frame(struct rarog_places *p, struct rarog_record_block *block);
/* The next frame of the record. */
void rarog_place_code_new(struct rarog_places *p, bool is_first);
/* Lines and columns. */
void rarog_place_code(struct rarog_places *p, struct rarog_record_block *block);

#endif
