/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line tables of the compilation units that have code of one source file: which code begins
 * which of its lines, and what comes between.
 */
#ifndef RAROG_BINARY_SOURCE_LINES_H
#define RAROG_BINARY_SOURCE_LINES_H

#include "base/vec.h"
#include "binary/binary.h"

struct rarog_line_row {
	uint64_t address; /* vaddr */
	uint64_t copy;    /* if has_copy: that of rarog_source_lines_copy() */
	uint32_t unit;    /* compilation unit that has code here */
	int line, column; /* line 0: of another file, or of none */
	bool has_copy;
	bool is_statement; /* a statement begins here */
	bool is_end;       /* of a sequence: no code of it is here */
};

struct rarog_source_lines {
	RAROG_VEC(struct rarog_line_row) rows; /* by address, then as in the tables */
	const char *path;                      /* of the file; NULL: no unit has code of it */
	const char *other; /* of another file that is called so, too; NULL: none; both borrowed */
	struct rarog_binary *binary; /* borrowed */
};

/**
 * rarog_source_lines_read() - of the file @file of @binary
 * @file: the file's path, or its end, after a '/'
 *
 * Return: 0, also without any; -ENOMEM. Release in any case.
 */
int rarog_source_lines_read(struct rarog_binary *binary, const char *file,
			    struct rarog_source_lines *ret_lines);
void rarog_source_lines_release(struct rarog_source_lines *lines); /* fits rarog_cleanup() */

/** rarog_source_lines_at() - the row that the code at @address belongs to; -1: none. */
long rarog_source_lines_at(const struct rarog_source_lines *lines, uint64_t address);

/** rarog_source_lines_copy() - a number for the function, or inlined copy of one, that the code of
 * the row @row is in; 0: unknown. Looked for once. */
uint64_t rarog_source_lines_copy(struct rarog_source_lines *lines, size_t row);

/** rarog_source_lines_marks() - do only beginnings of statements count as such in the unit of
 * @row? gcc says so when it optimizes; else every part of a line that the compiler comes back to
 * does. */
bool rarog_source_lines_marks(const struct rarog_source_lines *lines,
			      const struct rarog_line_row *row);

/** rarog_source_lines_optimized() - may turns of a loop in @function have become one (unrolled,
 * vectorized, a call of memset)? gcc tells its flags, clang describes calls only when it
 * optimizes. false: not, or not to be told. */
bool rarog_source_lines_optimized(const struct rarog_source_lines *lines,
				  const struct rarog_function *function);

/** rarog_source_lines_next() - the least line from @line on (backwards: the greatest up to @line)
 * that a statement begins on, in a function; 0: none. */
int rarog_source_lines_next(const struct rarog_source_lines *lines, int line, bool backwards);

/** rarog_source_is_called() - is @path meant by @file: its whole, or its last parts? */
bool rarog_source_is_called(const char *path, const char *file);

/**
 * rarog_source_files_visit() - every source file that units of @binary name; the same perhaps
 * several times
 *
 * @visit gets its path, borrowed from the binary. Return: 0, -ENOMEM.
 */
int rarog_source_files_visit(struct rarog_binary *binary,
			     void (*visit)(void *context, const char *path), void *context);

#endif
