/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boxes as lines of text. */
#ifndef RAROG_VIEW_TERM_BOXES_H
#define RAROG_VIEW_TERM_BOXES_H

#include <stdbool.h>
#include <stdio.h>

#include "view/plot/boxes.h"

struct rarog_boxes_print {
	const struct rarog_boxes *boxes;
	const struct rarog_location *locations;
	int columns; /* of the picture */
	bool is_ascii, colour;
};

/** rarog_boxes_print() - a line for each row, below its lane's title: "[main   ]" is one call or
 * context, "|" one that has a column, shades are many short calls, the darker the more of the time.
 * 0, -ENOMEM. */
int rarog_boxes_print(const struct rarog_boxes_print *print, FILE *out);

#endif
