/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that a probe may stand after, instead of at the function's entry. */
#ifndef RAROG_BINARY_PROBE_STEP_H
#define RAROG_BINARY_PROBE_STEP_H

#include <stdbool.h>

#include <Zydis/Zydis.h>

#include "binary/internal.h"

/* What may be stepped over besides what always goes on. */
enum rarog_probe_liberty {
	RAROG_PROBE_FAULTS = 1, /* what may fault */
	RAROG_PROBE_STACK = 2,  /* changes of the stack pointer */
};

/* One walk along the first instructions of a function. */
struct rarog_probe_step {
	const struct rarog_binary *binary;
	ZydisDecoder decoder;
	unsigned liberties; /* of enum rarog_probe_liberty */
	uint8_t written;    /* argument registers that it has written to, see probe-place.h */
	bool has_stored;    /* it has written to memory */
};

/**
 * rarog_probe_step() - what the instruction of code[0 … n-1], which stands at @address, does
 *
 * Return: its length; 0: it may end otherwise than by going on, or must not be stepped over.
 */
size_t rarog_probe_step(struct rarog_probe_step *step, size_t n, const uint8_t code[n],
			uint64_t address);

#endif
