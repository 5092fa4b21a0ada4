/* SPDX-License-Identifier: MIT */
/*
 * Values that are captured where a mark is passed: what the agent reads, and how. Plain structs,
 * written by rarog after the mark's stub; programs in the kernel follow the same ones. A value is
 * 64 bits, extended as the mark says, so all marks of one name tell the same.
 */
#ifndef RAROG_AGENT_MARK_SET_H
#define RAROG_AGENT_MARK_SET_H

#include <stdint.h>

#include "value-set.h"

#define RAROG_MARK_NO_REGISTER 16

enum rarog_mark_source {
	RAROG_MARK_UNKNOWN = 0, /* cannot be read */
	RAROG_MARK_GENERAL,     /* register .base */
	RAROG_MARK_VECTOR,      /* xmm register .base, the low 8 bytes */
	RAROG_MARK_NUMBER,      /* .number itself */
	RAROG_MARK_MEMORY,      /* at .number + base + index * scale */
};

struct rarog_mark_way {
	uint8_t source;
	uint8_t base, index, scale; /* registers as instructions number them */
	uint8_t bytes, shift;
	uint8_t is_signed;
	uint8_t is_place; /* .number is an address in the binary: for the agent where that lies in
			     memory, for programs in the kernel how far from the mark */
	int64_t number;
};

struct rarog_mark_set {
	uint8_t n;
	uint8_t reads;     /* memory, for any of them */
	uint8_t is_return; /* it is a region's end */
	uint8_t pad[5];
	struct rarog_mark_way ways[RAROG_VALUES_MOST];
};

#endif
