/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boxes as lines of text. */
#ifndef RAROG_VIEW_TERM_BOXES_H
#define RAROG_VIEW_TERM_BOXES_H

#include "view/plot/boxes.h"
#include "view/term/show.h"

/** rarog_show_boxes() - a line of @columns for each row, below its lane's title: "[main   ]" is one
 * call or context, "|" one that has a column, shades are many short calls, the darker the more of
 * the time. 0, -ENOMEM. */
int rarog_show_boxes(struct rarog_show *show, const struct rarog_boxes *boxes, int columns);

/** rarog_show_boxes_deep() - the note for people on those that lie deeper than --depth; @what: one
 * of them is. */
void rarog_show_boxes_deep(struct rarog_show *show, const struct rarog_boxes *boxes,
			   const char *what);

#endif
