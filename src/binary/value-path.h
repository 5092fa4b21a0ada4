/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How to reach a value when a function is entered (or has returned): from a register or the stack,
 * through pointers, to an integer or floating-point number. An engine follows the path and delivers
 * 64 raw bits; rarog_value_decode() makes the value of them.
 */
#ifndef RAROG_BINARY_VALUE_PATH_H
#define RAROG_BINARY_VALUE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rarog_value_source {
	RAROG_VALUE_GENERAL, /* at entry rdi, rsi, rdx, rcx, r8, r9; at return rax, rdx */
	RAROG_VALUE_VECTOR,  /* xmm0 …, the low 8 bytes */
	RAROG_VALUE_STACK,   /* 8 bytes there */
};

enum rarog_value_finish {
	RAROG_VALUE_PLAIN,
	RAROG_VALUE_LENGTH,     /* bytes before the NUL that the reached pointer leads to */
	RAROG_VALUE_DIFFERENCE, /* of the pointers at the last step and `other` after it */
};

enum rarog_value_kind {
	RAROG_VALUE_UNSIGNED = 0,
	RAROG_VALUE_SIGNED, /* the value is an int64_t */
	RAROG_VALUE_BOOL,
	RAROG_VALUE_CHAR,      /* code point */
	RAROG_VALUE_POINTER,   /* address */
	RAROG_VALUE_REAL,      /* the value's bits are a double */
	RAROG_VALUE_OF_LENGTH, /* of a text, or elements */
	RAROG_VALUE_COST,      /* no value of the program's: what the call cost, by its name */
	RAROG_VALUE_KINDS,
};

/* names of costs */
#define RAROG_VALUE_INSTRUCTIONS "instructions"
#define RAROG_VALUE_BLOCKS       "blocks"

#define RAROG_VALUE_STEPS 6

struct rarog_value_path {
	uint8_t source, finish; /* enum rarog_value_source, rarog_value_finish */
	uint8_t number;         /* of the register */
	uint8_t n_steps;
	uint8_t bytes; /* that the last step reads, 1 … 8; the others read pointers */
	int32_t stack; /* STACK: bytes above the stack pointer at the entry */
	/* Each: the address is the value so far plus this; what stands there is the next value. */
	int32_t steps[RAROG_VALUE_STEPS];
	int32_t other;

	/* what decoding needs */
	uint8_t kind; /* enum rarog_value_kind */
	uint8_t shift, bits;
	bool is_float;    /* REAL: of 4 bytes */
	uint32_t divisor; /* DIFFERENCE: size of an element */
};

/** rarog_value_kind_names - "unsigned", "signed", "bool", "char", "pointer", "real", "length",
 * "cost". */
extern const char *const rarog_value_kind_names[RAROG_VALUE_KINDS];

/** rarog_value_decode() - the value that @raw bits at the end of @path mean, as its kind says. */
uint64_t rarog_value_decode(const struct rarog_value_path *path, uint64_t raw);

/** rarog_value_double() - a decoded value of @kind as a number. */
double rarog_value_double(enum rarog_value_kind kind, uint64_t value);

/** rarog_value_text() - a decoded value as people read it: -3, 0x7f00, 'a', 0.5. */
struct rarog_value_text {
	char text[32];
} rarog_value_text(enum rarog_value_kind kind, uint64_t value);

#endif
