/* SPDX-License-Identifier: MIT */
/*
 * Values that are captured with the calls of a function: what the agent reads, and how. Plain
 * structs, written by rarog after the function's stub; what the numbers mean in the source, and
 * which bits of them count, only rarog knows.
 */
#ifndef RAROG_AGENT_VALUE_SET_H
#define RAROG_AGENT_VALUE_SET_H

#include <stdint.h>

#define RAROG_WAY_STEPS 6

/* Values of one function at entry, and at its return: what a record holds, and 112 of the 128
 * bytes that may be written after a chunk's end mark. */
#define RAROG_VALUES_MOST 13

/* A text that is longer has no length. */
#define RAROG_TEXT_MAX 65536

enum rarog_way_source {
	RAROG_WAY_GENERAL = 0, /* entry: rdi, rsi, rdx, rcx, r8, r9; return: rax, rdx */
	RAROG_WAY_VECTOR,      /* entry: xmm0 … xmm7; return: xmm0, xmm1; the low 8 bytes */
	RAROG_WAY_STACK,       /* 8 bytes; entry only */
};

enum rarog_way_finish {
	RAROG_WAY_PLAIN = 0,
	RAROG_WAY_LENGTH,     /* bytes up to a NUL */
	RAROG_WAY_DIFFERENCE, /* of two pointers */
};

struct rarog_value_way {
	uint8_t source, finish, number;
	uint8_t n_steps, bytes; /* the last step reads so many bytes, the others 8 */
	uint8_t pad[3];
	int32_t stack;                  /* above the stack pointer at the entry */
	int32_t steps[RAROG_WAY_STEPS]; /* value = what stands at value + step */
	int32_t other; /* DIFFERENCE: less what the last step finds, so far after it */
};

struct rarog_value_set {
	uint8_t n_enter, n_leave;
	uint8_t reads_enter, reads_leave; /* memory is read for any of them */
	uint32_t pad;
	struct rarog_value_way values[2 * RAROG_VALUES_MOST]; /* entry, then return */
};

#endif
