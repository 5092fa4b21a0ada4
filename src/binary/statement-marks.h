/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where statements begin, as the compiler has marked them. gcc marks each statement once when it
 * optimizes, and copies the mark with the code: so marks tell how many copies there are.
 */
#ifndef RAROG_BINARY_STATEMENT_MARKS_H
#define RAROG_BINARY_STATEMENT_MARKS_H

#include "base/vec.h"
#include "binary/binary.h"

struct rarog_statement_mark {
	uint64_t address;
	const char *file; /* the same place in memory for one file of a unit; borrowed */
	int line, column;
};

struct rarog_statement_marks {
	RAROG_VEC(struct rarog_statement_mark) v; /* by address */
};

/**
 * rarog_statement_marks_add() - those in @size bytes of code from @address on
 *
 * Return: how many; -ENODATA without message: the code has no such marks; -ENOMEM.
 */
long rarog_statement_marks_add(struct rarog_binary *binary, uint64_t address, uint64_t size,
			       struct rarog_statement_marks *marks);
void rarog_statement_marks_release(struct rarog_statement_marks *marks);

#endif
