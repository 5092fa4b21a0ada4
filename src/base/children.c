/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/children.h"

#include <stdbool.h>

static bool was_changed;
static struct sigaction found;

void rarog_children_mind(void)
{
	const struct sigaction standard = { .sa_handler = SIG_DFL };
	struct sigaction now;

	if (sigaction(SIGCHLD, NULL, &now) < 0 || now.sa_handler != SIG_IGN || was_changed)
		return;
	was_changed = sigaction(SIGCHLD, &standard, &found) == 0;
}

void rarog_children_found(struct sigaction *ret_action)
{
	if (was_changed)
		*ret_action = found;
	else
		sigaction(SIGCHLD, NULL, ret_action);
}
