/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions begin other than by a call: those that the file's own tables name, and those that
 * are handed over to others, to be run as threads, handlers, or whenever the callee wants.
 */
#ifndef RAROG_BINARY_CALL_ROOTS_H
#define RAROG_BINARY_CALL_ROOTS_H

#include "binary/call-scan.h"
#include "binary/instruction.h"

#define RAROG_HANDED_KEPT 8

/* The functions whose addresses code computed last, up to the next call. */
struct rarog_call_handed {
	uint32_t by_register[16]; /* the function and 1; 0: none */
	uint32_t last[RAROG_HANDED_KEPT];
	unsigned n; /* of all so far */
};

/** rarog_call_note_taken() - look for an address of a function in an instruction; 0, -ENOMEM. */
int rarog_call_note_taken(struct rarog_call_handed *handed, struct rarog_call_scan *scan,
			  const struct rarog_code_part *part, const uint8_t *code,
			  const struct rarog_instruction *in);

/** rarog_call_handed_over() - a call: what is @target (NULL: unknown) given? Forgets it. 0,
 * -ENOMEM. */
int rarog_call_handed_over(struct rarog_call_handed *handed, struct rarog_call_scan *scan,
			   const struct rarog_code_part *part,
			   const struct rarog_call_target *target);

/** rarog_call_roots_read() - what the file's own tables name; 0, -ENOMEM. */
int rarog_call_roots_read(struct rarog_call_scan *scan);

#endif
