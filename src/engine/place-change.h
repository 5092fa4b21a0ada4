/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a running engine is told of a place: struct rarog_engine.set_place(). */
#ifndef RAROG_ENGINE_PLACE_CHANGE_H
#define RAROG_ENGINE_PLACE_CHANGE_H

#include <stdint.h>

/* What becomes of a call. The number is the word that probes read (agent/layout.h). */
enum rarog_place_action {
	RAROG_PLACE_OFF,     /* it is not even counted */
	RAROG_PLACE_EVERY,   /* every N-th is recorded, the others are counted */
	RAROG_PLACE_COUNTED, /* it is counted only */
	RAROG_PLACE_PLANNED, /* what the plan said at the start */
	RAROG_PLACE_ACTIONS,
};

struct rarog_place_change {
	const char
		*module;  /* path of the file, as in the profile; NULL: every place of all files */
	uint64_t address; /* of the function, in the file */
	enum rarog_place_action action;
	uint32_t every; /* of RAROG_PLACE_EVERY: 1 … RAROG_CALL_SAMPLING_MAX */
};

#endif
