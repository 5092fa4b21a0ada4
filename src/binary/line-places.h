/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where control comes to a line of a source file. */
#ifndef RAROG_BINARY_LINE_PLACES_H
#define RAROG_BINARY_LINE_PLACES_H

#include "binary/flow-graph.h"
#include "binary/source-lines.h"

struct rarog_line_place {
	uint64_t address;  /* of an instruction */
	uint64_t copy;     /* of the function or inlined copy that it is in */
	uint32_t function; /* whose code it is, index into rarog_binary_functions() */
	int column;        /* of the statement; 0: unknown */
};

struct rarog_line_places {
	RAROG_VEC(struct rarog_line_place) v; /* by address */
};

/**
 * rarog_line_places_find() - the places at which control comes to @line from another line
 *
 * A line that is come to once a turn of a loop has one place where that happens, and one more where
 * the loop is entered if that leads there. Code in between that belongs to the line, too, has none,
 * neither have parts of it that are come back to in the same block of code. In each inlined copy,
 * and each piece of code that the compiler has doubled, the line has places of its own. The head of
 * a loop that has no code but jumps to the loop's body is passed where that begins.
 *
 * Return: 0, also without any; -ENOTSUP without message: a function with code of the line has bytes
 * that are no instructions; -EDOM without message: the line is a loop's head without code, and at
 * its body there may begin another loop's; -ENOMEM. Release in any case.
 */
int rarog_line_places_find(const struct rarog_code_graphs *graphs, struct rarog_source_lines *lines,
			   int line, struct rarog_line_places *ret_places);
void rarog_line_places_release(struct rarog_line_places *places); /* fits rarog_cleanup() */

/**
 * rarog_line_places_pair() - leave of @begins what a region begins with that ends at @ends
 *
 * Where a region that was begun in the same copy is still open whichever way control came there,
 * nothing begins at another statement of the line.
 *
 * Return: 0; -ENOTSUP without message: a place is left where a region of another place of the same
 * copy may be open, or not; -ENOMEM.
 */
int rarog_line_places_pair(const struct rarog_code_graphs *graphs, struct rarog_line_places *begins,
			   const struct rarog_line_places *ends);

#endif
