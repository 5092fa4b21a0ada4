/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the System V ABI for x86-64 puts the parameters of a call, as they are at the first
 * instruction of the function: psABI 1.0, 3.2.3. What has no place that can be named in a register
 * or on the stack (x87, vectors wider than 8 bytes, complex numbers) is refused by its name.
 */
#ifndef RAROG_BINARY_ABI_CLASS_H
#define RAROG_BINARY_ABI_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rarog_abi_class {
	RAROG_ABI_NONE = 0, /* padding */
	RAROG_ABI_INTEGER,
	RAROG_ABI_SSE,
	RAROG_ABI_SSEUP, /* the upper half of a 16-byte vector: in the same register */
	RAROG_ABI_MEMORY,
};

/* A scalar inside of a parameter; of a plain int the only one, at offset 0. */
struct rarog_abi_field {
	uint64_t offset; /* bytes */
	uint32_t size;   /* bytes */
	uint32_t align;  /* its natural alignment */
	enum rarog_abi_class class;
};

/* A parameter, classified. */
struct rarog_abi_value {
	enum rarog_abi_class eightbytes[2];
	uint64_t size; /* 0: an empty structure of C, which is not passed at all */
	uint32_t align;
};

enum rarog_abi_where {
	RAROG_ABI_NOWHERE = 0, /* nothing is passed */
	RAROG_ABI_REGISTERS,
	RAROG_ABI_STACK,
};

#define RAROG_ABI_GENERAL 6 /* registers for INTEGER: rdi, rsi, rdx, rcx, r8, r9 */
#define RAROG_ABI_VECTOR  8 /* for SSE: xmm0 … xmm7 */

struct rarog_abi_place {
	enum rarog_abi_where where;
	/* REGISTERS: of each eightbyte, number among those of its class; class NONE: has none */
	enum rarog_abi_class classes[2];
	uint8_t registers[2];
	int32_t stack; /* STACK: bytes above the stack pointer at the entry, at least 8 */
};

/**
 * rarog_abi_classify() - the class of a value made of @n scalars
 * @size: of the whole, bytes
 * @align: of the whole
 */
struct rarog_abi_value rarog_abi_classify(size_t n, const struct rarog_abi_field fields[],
					  uint64_t size, uint32_t align);

/**
 * rarog_abi_assign() - the places of the @n parameters of a function
 * @has_hidden: the result is returned in memory: its address comes first
 */
void rarog_abi_assign(bool has_hidden, size_t n, const struct rarog_abi_value values[],
		      struct rarog_abi_place ret_places[]);

#endif
