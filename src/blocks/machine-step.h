/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one instruction after the other does to counters, registers and the stack. */
#ifndef RAROG_BLOCKS_MACHINE_STEP_H
#define RAROG_BLOCKS_MACHINE_STEP_H

#include <Zydis/Zydis.h>

#include "blocks/machine-values.h"
#include "blocks/machine-walk.h"

/* Bytes of a block. */
struct rarog_code {
	const uint8_t *bytes; /* NULL: not in the file */
	uint32_t size;
	uint64_t address;
};

struct rarog_steps {
	const struct rarog_walk_notes *notes;
	ZydisDecoder decoder;
	struct rarog_holding now;    /* at the instruction */
	struct rarog_holding thrown; /* after any call */
	uint32_t block;
	bool is_telling; /* all is known: say what is used … */
	bool is_reached; /* … in a block that control can come to */
	uint64_t table;  /* address of the table that the last jump went through; 0: not known */
	int r;
};

void rarog_steps_init(struct rarog_steps *steps, const struct rarog_walk_notes *notes);
void rarog_steps_release(struct rarog_steps *steps);

/** rarog_steps_at_entry() - what a function's first instruction finds. */
struct rarog_holding rarog_steps_at_entry(void);

/** rarog_steps_through() - a block whose instructions find @before; what they leave is
 * steps->now, but for what was read from counters, which is followed inside of a block only. 0,
 * -ENOMEM. */
int rarog_steps_through(struct rarog_steps *steps, uint32_t block,
			const struct rarog_holding *before, const struct rarog_code *code);

#endif
