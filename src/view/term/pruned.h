/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that techniques left out: they may have been called, and then their time is in that of
 * their callers. */
#ifndef RAROG_VIEW_TERM_PRUNED_H
#define RAROG_VIEW_TERM_PRUNED_H

#include "view/term/show.h"

/**
 * rarog_show_pruned() - which were left out
 * @by: [locations]: set to what has left it out, of others left as it is
 *
 * Return: 0; -EBADMSG.
 */
int rarog_show_pruned(const struct rarog_show *show, const char *by[]);

/** rarog_show_note_pruned() - how many there are, if any. */
void rarog_show_note_pruned(struct rarog_show *show);

#endif
