/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a USDT probe tells, from its note's text: where each argument is when the probe is passed.
 */
#ifndef RAROG_BINARY_USDT_ARGUMENT_H
#define RAROG_BINARY_USDT_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rarog_binary;

#define RAROG_USDT_ARGUMENTS   12 /* sys/sdt.h has no more */
#define RAROG_USDT_NO_REGISTER 16

enum rarog_usdt_source {
	RAROG_USDT_UNKNOWN, /* cannot be read */
	RAROG_USDT_GENERAL, /* register .base */
	RAROG_USDT_VECTOR,  /* xmm register .base */
	RAROG_USDT_NUMBER,  /* .number itself */
	RAROG_USDT_MEMORY,  /* what stands at .number + base + index * scale */
};

struct rarog_usdt_argument {
	uint8_t source;             /* enum rarog_usdt_source */
	uint8_t base, index, scale; /* registers as instructions number them, or NO_REGISTER */
	uint8_t bytes;              /* 1, 2, 4 or 8 */
	uint8_t shift;              /* of the register: 8 in ah, bh, … */
	bool is_signed, is_float;
	bool is_place; /* .number is an address in the binary */
	int64_t number;
};

/**
 * rarog_usdt_arguments() - read @text, "8@%rdi -4@-20(%rbp) 4@$7 8@total(%rip)"
 * @binary: whose symbols they name
 *
 * Reference: "UserSpaceProbeImplementation", SystemTap's wiki; operands as the GNU assembler has
 * them. What is of another form, or names a symbol that is not there or there twice, is unknown.
 *
 * Return: how many there are; those after the last that fits are left out.
 */
size_t rarog_usdt_arguments(const struct rarog_binary *binary, const char *text,
			    struct rarog_usdt_argument ret_arguments[RAROG_USDT_ARGUMENTS]);

#endif
