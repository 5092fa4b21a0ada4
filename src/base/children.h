/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog may be started with SIGCHLD ignored; then no end of a child can be waited for. */
#ifndef RAROG_BASE_CHILDREN_H
#define RAROG_BASE_CHILDREN_H

#include <signal.h>

/** rarog_children_mind() - from here on they can: first of all, once. */
void rarog_children_mind(void);

/** rarog_children_found() - what SIGCHLD was set to when rarog began, for programs that are to find
 * what it found. */
void rarog_children_found(struct sigaction *ret_action);

#endif
