/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why functions that somebody asks for have no calls. */
#ifndef RAROG_VIEW_TERM_UNTRACED_H
#define RAROG_VIEW_TERM_UNTRACED_H

#include "view/term/show.h"

/** rarog_show_untraced() - of functions that are wanted: why their entries cannot be replaced, "is
 * part of the run-time system". @reasons: by location, zeroed. 0, -ENOMEM. */
int rarog_show_untraced(struct rarog_show *show, const char *reasons[]);

#endif
