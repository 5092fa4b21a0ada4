/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which compilers made a binary, with which flags: as DW_AT_producer of its compilation units says
 * (gcc writes flags there, clang with -grecord-command-line), else .GCC.command.line
 * (-frecord-gcc-switches) and .comment, which strip leaves alone.
 */
#ifndef RAROG_BINARY_PRODUCERS_H
#define RAROG_BINARY_PRODUCERS_H

#include "base/vec.h"
#include "binary/binary.h"

/* Own texts; distinct pairs. Flags are those that change code: no names of files or directories, no
 * definitions, no warnings. "": not known, or none. */
struct rarog_producer {
	char *compiler, *flags;
};

/* Zeroed: none. */
struct rarog_producers {
	RAROG_VEC(struct rarog_producer) list;
};

#define RAROG_PRODUCERS_MOST 256 /* pairs; of what comes then, nothing is kept */

/**
 * rarog_producers_add() - those of @binary
 *
 * Reads of the debug information no more than the heads of the units. Return: 0 or -ENOMEM.
 */
int rarog_producers_add(struct rarog_producers *producers, struct rarog_binary *binary);
void rarog_producers_release(struct rarog_producers *producers);

/** rarog_producer_add() - one unit: "GNU C17 12.2.0 -O2 -g", split where the flags begin. */
int rarog_producer_add(struct rarog_producers *producers, const char *text);

#endif
